"""The protocol of search methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.run import Run


class Method(Protocol):
    """
    A search method: a frozen dataclass whose fields are its parameters.

    `search` offers networks to the run until `run.going()` returns False or nothing is left to do.
    """

    name: ClassVar[str]

    def search(self, problem: Problem, run: Run) -> None:
        """Search, and offer all networks found to the run."""
        ...
