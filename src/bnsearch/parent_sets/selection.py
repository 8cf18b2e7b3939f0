"""What a selection of parent sets returns."""

from __future__ import annotations

from dataclasses import dataclass

from bnsearch.parent_sets.table import ParentSets


@dataclass(frozen=True)
class Selection:
    """
    A candidate table and how it came about.

    Attributes
    ----------
    table : the candidate sets
    scored : families whose score was computed
    exhaustive : every set of up to this many parents was considered
    seconds : how long it took
    stop : why it stopped: "complete", "seconds", "evaluations", "memory", "interrupted"
    """

    table: ParentSets
    scored: int
    exhaustive: int
    seconds: float
    stop: str

    @property
    def kept(self) -> int:
        """Candidate sets in the table."""
        return self.table.n_sets

    @property
    def pruned(self) -> int:
        """Families scored that a subset matches or beats."""
        return self.scored - self.kept


def no_progress(task: str, done: int, total: int) -> None:
    """Take a note of progress and do nothing."""
