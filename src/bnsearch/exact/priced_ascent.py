"""The search for a cluster bound over a large candidate table: dual ascent over some rows, all others are priced."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.cluster_pool import ClusterPool
from bnsearch.exact.dual_ascent import DualAscent, make_relaxed_bound
from bnsearch.exact.row_masks import RowMasks
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import improves

FIRST_ROWS = 50  # best rows of each variable that are active from the start
MAX_PRICING_SHARE = 0.3  # time of pricing as a share of the time of the rounds before it
MAX_GROWTH = 0.5  # rows of a variable that become active at a time, as a share of its active rows
MIN_GROWTH = 10  # and at least this many
REACH = 0.5  # rows become active if their reduced score is at most this many temperatures below the best active one


class PricedAscent:
    """
    The search for a cluster bound over a large candidate table, in rounds. It can be interrupted and resumed.

    A dual ascent searches for clusters and multipliers over the active rows only. Then the bound of these multipliers
    over all rows is computed, which is valid for the table, and rows with high reduced scores become active.

    Parameters
    ----------
    table : the candidate table
    core : a small table of the same variables, whose rows are active from the start; None means none. The bound covers
        the rows of both tables
    start : bound whose clusters and multipliers are the start; None starts without clusters
    memory : maximum number of bytes of the clusters

    Attributes
    ----------
    bound : the lowest bound so far
    converged : True if all rows with high reduced scores are active, and the dual ascent has converged
    pricing_seconds : duration of the last pricing
    """

    def __init__(
        self,
        table: ParentSets,
        core: ParentSets | None = None,
        start: ClusterBound | None = None,
        *,
        memory: int = 1 << 30,
    ) -> None:
        self._table, self._core = table, core
        place = np.arange(table.n_sets) - table.begin[table.child]
        self._active = (place < FIRST_ROWS) | (table.sizes == 0)
        self._masks: RowMasks | None = None
        active = self._make_active_table()
        if start is not None:
            start = ClusterBound.evaluate(active, start.clusters, start.orders, start.multipliers)
        self._ascent = DualAscent(active, start, memory=memory)
        self._is_priced = start is None  # False if no bound with clusters was computed since the tables have changed
        self.pricing_seconds = 0.0
        self.bound = self._make_relaxed_bound()
        self.converged = False

    @property
    def tables(self) -> tuple[ParentSets, ParentSets | None]:
        """The tables that the bound covers: the candidate table and the small one."""
        return self._table, self._core

    def make_table(self) -> ParentSets:
        """Return the table that the bound covers."""
        if self._core is None:
            return self._table
        return ParentSets.from_families(self._table.names, [self._table.families, self._core.families])

    def _make_active_table(self) -> ParentSets:
        """Return the table of the active rows."""
        own = self._table if self._active.all() else self._table.take(np.flatnonzero(self._active))
        if self._core is None:
            return own
        return ParentSets.from_families(own.names, [own.families, self._core.families])

    def replace_core(self, core: ParentSets) -> None:
        """Replace the small table; the bound over the last one is discarded, its clusters are kept."""
        self._core = core
        self.bound, self._is_priced = self._make_relaxed_bound(), False
        self._ascent.move_to(self._make_active_table())
        self.converged = False

    def _make_relaxed_bound(self) -> ClusterBound:
        """Return the bound without clusters: the sum of the best local scores of both tables."""
        tables = [self._table] if self._core is None else [self._table, self._core]
        best = np.max([table.scores[table.begin[:-1]] for table in tables], axis=0)
        return replace(make_relaxed_bound(self._table), value=math.fsum(best))

    def improve(self, budget: Budget, incumbent: float | None = None, max_rounds: float = math.inf) -> ClusterBound:
        """
        Search until the budget is spent, the bound agrees with the incumbent, or the bound hardly improves.

        Parameters
        ----------
        budget : time budget and stop requests
        incumbent : score of the best known network
        max_rounds : maximum number of rounds
        """
        rounds = 0
        if not self._is_priced:
            self._price(budget)
        while rounds < max_rounds and not (self.converged or budget.is_spent()):
            if incumbent is not None and not improves(self.bound.value, incumbent):
                break
            started = budget.clock()
            while rounds < max_rounds and not (self._ascent.converged or budget.is_spent(self.pricing_seconds)):
                self._ascent.improve(budget, incumbent, max_rounds=1)
                rounds += 1
                if budget.clock() - started >= self.pricing_seconds / MAX_PRICING_SHARE:
                    break
            self._price(budget)
        return self.bound

    def _price(self, budget: Budget) -> None:
        """Compute the bound over all rows, and activate rows with high reduced scores."""
        started = budget.clock()
        self._masks = self._masks or RowMasks.of_table(self._table)
        found = self._ascent.bound
        pool = ClusterPool(self._masks)
        pool.append(*found.unpack(), found.orders, found.multipliers)
        priced = pool.find_best_scores(self._table, budget.is_spent)
        if priced is None:
            return
        self._is_priced = True
        own = self._ascent.find_best_scores()
        value = pool.sum_bound(np.maximum(priced[1], own))
        if value < self.bound.value:
            self.bound = ClusterBound(found.clusters, found.orders, found.multipliers, value)
        scores = np.repeat(priced[1], np.diff(self._table.begin)) - priced[0]
        count = self._activate(scores, own)
        self.pricing_seconds = budget.clock() - started
        self.converged = self._ascent.converged and not count
        if count:
            self._ascent.move_to(self._make_active_table())

    def _activate(self, scores: NDArray[np.float64], best: NDArray[np.float64]) -> int:
        """
        Activate rows with high reduced scores; return their number.

        scores : float64[rows], reduced scores
        best : float64[n], the best reduced score of each variable's active rows
        """
        child = self._table.child
        rows = np.flatnonzero(~self._active & (scores > (best - REACH * self._ascent.temperature)[child]))
        rows = rows[np.lexsort((-scores[rows], child[rows]))]
        place = np.arange(len(rows)) - np.searchsorted(child[rows], child[rows])
        n_active = np.add.reduceat(self._active, self._table.begin[:-1], dtype=np.int64)
        rows = rows[place < np.maximum(MIN_GROWTH, MAX_GROWTH * n_active)[child[rows]]]
        self._active[rows] = True
        return len(rows)
