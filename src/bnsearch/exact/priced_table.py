"""A large candidate table of which a dual ascent uses some rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.row_masks import RowMasks
from bnsearch.parent_sets.table import ParentSets

FIRST_ROWS = 50  # best rows of each variable that are active from the start
MAX_GROWTH = 0.5  # rows of a variable that become active at a time, as a share of its active rows
MIN_GROWTH = 10  # and at least this many


class PricedTable:
    """
    A candidate table of which some rows, the active ones, take part in a dual ascent.

    Parameters
    ----------
    table : the candidate table

    Attributes
    ----------
    table : the candidate table
    active : bool[rows]
    """

    def __init__(self, table: ParentSets) -> None:
        self.table = table
        place = np.arange(table.n_sets) - table.begin[table.child]
        self.active = (place < FIRST_ROWS) | (table.sizes == 0)
        self._masks: RowMasks | None = None

    def take_active(self) -> ParentSets:
        """Return the table of the active rows."""
        return self.table if self.active.all() else self.table.take(np.flatnonzero(self.active))

    def find_reduced_scores(
        self, bound: ClusterBound, is_spent: Callable[[], bool]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """
        Return the reduced scores of all rows and the best one of each variable; None if the time is spent.

        bound : the inequalities and multipliers
        """
        self._masks = self._masks or RowMasks.of_table(self.table)
        found = bound.make_pool(self._masks).find_best_scores(self.table, is_spent)
        if found is None:
            return None
        costs, best = found
        return np.repeat(best, np.diff(self.table.begin)) - costs, best

    def activate(self, scores: NDArray[np.float64], least: NDArray[np.float64]) -> int:
        """
        Activate rows with high reduced scores, the best first; return their number.

        scores : float64[rows], reduced scores
        least : float64[n], the reduced score above which a row of each variable becomes active
        """
        child = self.table.child
        rows = np.flatnonzero(~self.active & (scores > least[child]))
        rows = rows[np.lexsort((-scores[rows], child[rows]))]
        place = np.arange(len(rows)) - np.searchsorted(child[rows], child[rows])
        n_active = np.add.reduceat(self.active, self.table.begin[:-1], dtype=np.int64)
        rows = rows[place < np.maximum(MIN_GROWTH, MAX_GROWTH * n_active)[child[rows]]]
        self.active[rows] = True
        return len(rows)


def join_tables(tables: list[ParentSets]) -> ParentSets:
    """Return the table of the rows of some tables of the same variables."""
    if len(tables) == 1:
        return tables[0]
    return ParentSets.from_families(tables[0].names, [table.families for table in tables])
