"""Results of candidate selection."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.scope import ALL_NETWORKS, KEPT_SETS, Scope, limit_scope
from bnsearch.parent_sets.table import ParentSets

NO_TIME = "no time for one more size"  # why a selection ended: no later selection can enumerate the next size
# Reasons for the end of a selection after which no enumerated set was dropped.
FINISHED = ("complete", "seconds", "evaluations", "memory", NO_TIME)


class VariableReport(NamedTuple):
    """
    Statistics of the candidate sets of one variable.

    Attributes
    ----------
    name : name of the variable
    scored : number of families whose local score was computed
    kept : number of candidate sets in the table
    pruned : number of families scored that are not in the table
    max_parents : size of the largest candidate set
    seconds : time spent on the variable
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
    A candidate table and a report on its selection.

    Attributes
    ----------
    table : ParentSets
        Candidate table.
    scored_of : int64[n]
        Number of families of each variable whose local score was computed.
    seconds_of : float64[n]
        Time spent on each variable, summed over threads. Enumeration counts each set once for all families in it;
        its time is divided evenly.
    depth : int
        Number of parents up to which every legal set was considered or excluded by a sound bound.
    stop : str
        Why the selection ended: "complete", "seconds", "evaluations", "memory", "no time for one more size",
        "interrupted" (Ctrl-C), "terminated" (SIGTERM), or the reason of the stopping rule of a run.
    complete : bool
        Whether every legal set, up to the maximum number of parents, was considered or excluded by a sound bound
        and none was dropped to save memory. The best network over a complete table is the best of all within `limit`.
    is_cut : bool
        Whether sets were dropped because there were more than the maximum number of a variable.
    limit : int or None
        The `max_parents` of the builder if larger sets might be optimal; otherwise None.
    seconds : float
        Time of the selection.
    seconds_for_next : float
        Expected time for enumerating the sets of one more size; infinity if that is unknown.
    notes : tuple of str
        Decisions that the user should know of.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> selection = bnsearch.Sequential(max_parents=1).select(data, bnsearch.BIC())
    >>> selection.scored, selection.kept, selection.stop
    (64, 32, 'complete')
    """

    table: ParentSets
    scored_of: NDArray[np.int64]
    seconds_of: NDArray[np.float64]
    depth: int
    stop: str
    complete: bool = False
    is_cut: bool = False
    limit: int | None = None
    seconds: float = 0.0
    seconds_for_next: float = inf
    notes: tuple[str, ...] = ()

    @property
    def scope(self) -> Scope:
        """The networks that an upper bound over the table covers."""
        if self.complete:
            return ALL_NETWORKS.restrict(self.limit, by_knowledge=False)
        return limit_scope(self.depth) if self.stop in FINISHED and not self.is_cut else KEPT_SETS

    @property
    def scored(self) -> int:
        """Number of families whose local score was computed."""
        return int(self.scored_of.sum())

    @property
    def kept(self) -> int:
        """Number of candidate sets in the table."""
        return self.table.n_sets

    @property
    def pruned(self) -> int:
        """Number of families scored that are not in the table: a subset scores as well, or other sets are better."""
        return self.scored - self.kept

    @property
    def per_variable(self) -> tuple[VariableReport, ...]:
        """The statistics of each variable."""
        table = self.table
        kept = np.diff(table.begin)
        largest = np.maximum.reduceat(table.sizes, table.begin[:-1])  # no variable is without a set
        columns = (self.scored_of, kept, self.scored_of - kept, largest, self.seconds_of)
        rows = zip(table.names, *(column.tolist() for column in columns), strict=True)
        return tuple(VariableReport(*row) for row in rows)
