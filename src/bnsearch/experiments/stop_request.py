"""A stopping rule that ends the cells in the threads of a process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bnsearch.runs.stop import Progress, Stop


@dataclass(frozen=True)
class StopOnRequest(Stop):
    """Stop when a function returns True, which ends the cells in the threads of this process."""

    is_halted: Callable[[], bool]

    def reason(self, progress: Progress) -> str | None:
        """Return "interrupted" if the function returns True."""
        return "interrupted" if self.is_halted() else None
