"""What a selection of parent sets returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.table import ParentSets


class VariableReport(NamedTuple):
    """
    How the candidates of one variable came about.

    Attributes
    ----------
    name : the variable
    scored : families whose score was computed
    kept : candidate sets in the table
    pruned : families scored that are not in the table
    max_parents : the largest candidate set
    seconds : time spent on it
    """

    name: str
    scored: int
    kept: int
    pruned: int
    max_parents: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Selection:
    """
    A candidate table and how it came about.

    Attributes
    ----------
    table : the candidate sets
    scored_of : int64[n], families of each variable whose score was computed
    seconds_of : float64[n], time spent on each variable, in whichever thread; where sets are enumerated, each is
        counted once for all families in it, and the time is shared evenly
    exhaustive : every legal set of up to this many parents was considered, or excluded by a sound bound
    stop : why it stopped: "complete", "seconds", "evaluations", "memory", "interrupted"
    complete : every legal set, of up to as many parents as asked for, was considered or excluded by a sound bound, and
        none was left out for want of room: a network that is the best over this table is the best there is
    seconds : how long it took
    notes : what was decided on the way and should be known
    """

    table: ParentSets
    scored_of: NDArray[np.int64]
    seconds_of: NDArray[np.float64]
    exhaustive: int
    stop: str
    complete: bool = False
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def scored(self) -> int:
        """Families whose score was computed."""
        return int(self.scored_of.sum())

    @property
    def kept(self) -> int:
        """Candidate sets in the table."""
        return self.table.n_sets

    @property
    def pruned(self) -> int:
        """Families scored that are not in the table: a subset matches or beats them, or `max_sets` are better."""
        return self.scored - self.kept

    @property
    def per_variable(self) -> tuple[VariableReport, ...]:
        """The same numbers for each variable."""
        table = self.table
        kept = np.diff(table.begin)
        largest = np.maximum.reduceat(table.sizes, table.begin[:-1])  # every variable has a set
        columns = (self.scored_of, kept, self.scored_of - kept, largest, self.seconds_of)
        rows = zip(table.names, *(column.tolist() for column in columns), strict=True)
        return tuple(VariableReport(*row) for row in rows)
