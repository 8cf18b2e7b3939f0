"""The search for a cluster bound over a large candidate table: dual ascent over some rows, all others are priced."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from bnsearch.budgets.budget import Budget
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.dual_ascent import DualAscent, make_relaxed_bound
from bnsearch.exact.priced_table import PricedTable, join_tables
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import improves

MAX_PRICING_SHARE = 0.3  # time of pricing as a share of the time of the rounds before it
REACH = 0.5  # rows become active if their reduced score is at most this many temperatures below the best active one


class PricedAscent:
    """
    The search for a cluster bound over a large candidate table, in rounds. It can be interrupted and resumed.

    A dual ascent searches for clusters and multipliers over the active rows only. Then the bound of these multipliers
    over all rows is computed, which is valid for the table, and rows with high reduced scores become active.

    Parameters
    ----------
    table : the candidate table
    core : a second table of the same variables; None means none. The bound covers the rows of both tables, and the
        last one can be replaced
    start : bound whose clusters and multipliers are the start; None starts without clusters
    memory : maximum number of bytes of the clusters

    Attributes
    ----------
    bound : the lowest bound so far
    converged : True if all rows with high reduced scores are active, and the dual ascent has converged
    pricing_seconds : duration of the last pricing
    round_seconds : duration of the last round
    """

    def __init__(
        self,
        table: ParentSets,
        core: ParentSets | None = None,
        start: ClusterBound | None = None,
        *,
        memory: int = 1 << 30,
    ) -> None:
        self._tables = [PricedTable(part) for part in (table, core) if part is not None]
        active = self._make_active_table()
        if start is not None:
            start = start.evaluate_over(active)
        self._ascent = DualAscent(active, start, memory=memory)
        self._is_priced = start is None  # False if no bound with clusters was computed since the tables have changed
        self.pricing_seconds = self.round_seconds = 0.0
        self.bound = self._make_relaxed_bound()
        self.converged = False

    @property
    def tables(self) -> list[ParentSets]:
        """The tables that the bound covers."""
        return [part.table for part in self._tables]

    def make_table(self) -> ParentSets:
        """Return the table of all rows that the bound covers."""
        return join_tables(self.tables)

    def _make_active_table(self) -> ParentSets:
        """Return the table of the active rows."""
        return join_tables([part.take_active() for part in self._tables])

    def replace_core(self, core: ParentSets, *, restart: bool = True) -> None:
        """
        Replace the last table; the bound so far is discarded, its inequalities are kept.

        restart : True begins again with the highest temperature; False is for a table with only a few other rows
        """
        self._tables[-1] = PricedTable(core)
        self.bound, self._is_priced = self._make_relaxed_bound(), False
        self._ascent.move_to(self._make_active_table())
        if restart:
            self._ascent.restart_cooling()
        self.converged = False

    def _make_relaxed_bound(self) -> ClusterBound:
        """Return the bound without clusters: the sum of the best local scores of both tables."""
        best = np.max([table.scores[table.begin[:-1]] for table in self.tables], axis=0)
        return replace(make_relaxed_bound(self.tables[0]), value=math.fsum(best))

    def improve(self, budget: Budget, incumbent: float | None = None, max_rounds: float = math.inf) -> ClusterBound:
        """Search as `DualAscent.improve` does, and price the rows of both tables in between."""
        rounds = 0
        if not self._is_priced:
            self._price(budget)
        while rounds < max_rounds and not (self.converged or budget.is_spent()):
            if incumbent is not None and not improves(self.bound.value, incumbent):
                break
            started, before = budget.clock(), rounds
            while rounds < max_rounds and not (self._ascent.converged or self._has_no_time(budget)):
                began = budget.clock()
                self._ascent.improve(budget, incumbent, max_rounds=1)
                self.round_seconds = budget.clock() - began
                rounds += 1
                if budget.clock() - started >= self.pricing_seconds / MAX_PRICING_SHARE:
                    break
            if rounds == before and not self._ascent.converged:
                break
            self._price(budget)
        return self.bound

    def _has_no_time(self, budget: Budget) -> bool:
        """Return True if a round and the pricing after it are expected to exceed the budget: they would be lost."""
        return budget.is_spent(self.round_seconds + self.pricing_seconds)

    def _price(self, budget: Budget) -> None:
        """Compute the bound over all rows, and activate rows with high reduced scores."""
        started = budget.clock()
        found = self._ascent.bound
        best = own = self._ascent.find_best_scores()
        count = 0
        least = own - REACH * self._ascent.temperature
        for part in self._tables:
            priced = part.find_reduced_scores(found, budget.is_spent)
            if priced is None:
                return
            best = np.maximum(best, priced[1])
            count += part.activate(priced[0], least)
        self._is_priced = True
        value = found.sum_bound(best)
        if value < self.bound.value:
            self.bound = replace(found, value=value)
        self.converged = self._ascent.converged and not count
        if count:
            self._ascent.move_to(self._make_active_table())
        self.pricing_seconds = budget.clock() - started
