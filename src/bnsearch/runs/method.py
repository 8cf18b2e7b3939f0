"""What a search method is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.run import Run


class Method(Protocol):
    """
    A way to search: a frozen dataclass whose fields are its parameters.

    `search` offers networks to the run until `run.going()` says no, or until it has nothing left to do.
    """

    name: ClassVar[str]

    def search(self, problem: Problem, run: Run) -> None:
        """Search, offering to the run what is found."""
        ...
