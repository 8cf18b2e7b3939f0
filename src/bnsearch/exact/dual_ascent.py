"""The search for an upper bound by cluster inequalities and local cuts: smoothed dual ascent with separation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.exact.cluster_bound import ClusterBound, pack_clusters
from bnsearch.exact.cluster_pool import MAX_ROWS_PER_CALL, Multipliers, smooth_bound, take_lists
from bnsearch.exact.cooling import Cooling
from bnsearch.exact.cuts import Cut
from bnsearch.exact.local_separation import LocalSeparator
from bnsearch.exact.row_masks import RowMasks, Rows
from bnsearch.exact.separation import Separator
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import improves, tie_margin

MIN_SWEEPS, MAX_SWEEPS = 10, 50  # coordinate steps of each cluster in a round
MAX_EXPONENT = 30.0  # rows with a weight below exp(-30) are left out of a round
MAX_CHANGE = 15.0  # maximum change of a multiplier in a round, in temperatures: rows left out prevent larger changes
MIN_CHANGE = 0.1  # a round with a smaller limit is kept in any case
MAX_AGE = 5  # rounds after which a cluster with a multiplier of 0 is dropped
STEP_COST = 8  # time of a step of separation, in rows of a coordinate step: both get the same time in a round
MIN_NEW_SHARE = 0.05  # minimum share of new clusters in the pool with which the temperature is kept
MAX_LOCAL_TEMPERATURE = 0.01  # relative temperature up to which local cuts are searched: clusters come first
MIN_LOCAL_SHARE = 0.1  # share of the effort for local cuts if their multipliers are small and many clusters are new
FEW_NEW = 5  # the share for local cuts is higher if that of new clusters is below MIN_NEW_SHARE / FEW_NEW
MIN_PROGRESS = 1e-5  # improvement in a cycle, relative to that since the start, below which the search ends


class DualAscent:
    """
    The search for a cluster bound, in rounds. It can be interrupted and resumed.

    The maximum over a variable's parent sets is smoothed: a set with the reduced cost c has the weight
    exp(-c / temperature). A coordinate step changes the multiplier of one inequality. Separation is the search for
    violated inequalities. A round makes coordinate steps of the smoothed bound, separates, drops inequalities that are
    not used, and computes the bound of the multipliers, which is valid at any temperature.

    Parameters
    ----------
    parent_sets : the candidate table
    start : bound whose clusters and multipliers are the start; None starts without clusters
    memory : maximum number of bytes of the clusters; no cluster is added beyond it

    Attributes
    ----------
    bound : the lowest bound so far
    converged : True if a cycle of temperatures has hardly improved the bound

    Notes
    -----
    A coordinate step of a cluster reads the rows of its members, at about three nanoseconds per row, without those with
    high reduced costs. Computing the bound reads all rows of all members. In addition to the clusters, the search takes
    about 60 bytes for each row of the table, and 16 for each row and 64 candidate parents of its variable.

    Strongly connected components need no treatment of their own: the bound is a sum over components.
    """

    def __init__(self, parent_sets: ParentSets, start: ClusterBound | None = None, *, memory: int = 1 << 30) -> None:
        self._table = parent_sets
        if start is None:
            start = make_relaxed_bound(parent_sets)
        self._masks = RowMasks.of_table(parent_sets)
        self._pool = start.make_pool(self._masks)
        self._memory = memory
        tops = parent_sets.scores[parent_sets.begin[:-1]]
        empty = parent_sets.scores[parent_sets.begin[1:] - 1]
        self._cooling = Cooling(float(np.mean(tops - empty)) if len(tops) else 0.0)
        self._separator = Separator(parent_sets)
        self._local_separator = LocalSeparator(parent_sets.n_variables, memory)
        self._rng = np.random.default_rng(0)
        self._costs: NDArray[np.float64] | None = None  # reduced costs of the multipliers; None if they have changed
        self._value, self._max_change = start.value, MAX_CHANGE  # the former: the bound of the reduced costs
        self._is_moving = self._has_new_rows = False
        self.bound = start
        self._relaxed, self._cycle_start = float(np.sum(tops)), start.value
        self.converged = self._cooling.scale <= 0.0

    @property
    def temperature(self) -> float:
        """The current temperature."""
        return self._cooling.temperature

    def find_best_scores(self) -> NDArray[np.float64]:
        """Return float64[n], the best reduced score of each variable under the multipliers of the bound."""
        found = self.bound.make_pool(self._masks).find_best_scores(self._table)
        assert found is not None  # there is no time limit
        return found[1]

    def restart_cooling(self) -> None:
        """Begin again with the highest temperature, so that the multipliers can adapt to a table with other rows."""
        self._cooling.restart()

    def move_to(self, parent_sets: ParentSets) -> None:
        """Continue over another table of the same variables, with the same clusters, multipliers and temperature."""
        self._table, self._masks = parent_sets, RowMasks.of_table(parent_sets)
        self._pool = self._pool.move_to(self._masks)
        self._separator.move_to(parent_sets)
        self._costs = None
        self.bound = self.bound.evaluate_over(parent_sets)
        self._relaxed = relaxed(parent_sets).score
        self._cycle_start = self.bound.value
        self._has_new_rows = True
        self.converged = False

    def improve(self, budget: Budget, incumbent: float | None = None, max_rounds: float = math.inf) -> ClusterBound:
        """
        Search until the budget is spent, the bound is not higher than the incumbent, or it hardly improves.

        Parameters
        ----------
        budget, max_rounds : time budget and stop requests, and maximum number of rounds
        incumbent : score of the best known network
        """
        rounds = 0
        while rounds < max_rounds and not (self.converged or budget.is_spent()):
            if incumbent is not None and not improves(self.bound.value, incumbent):
                break
            self._run_round(budget)
            rounds += 1
        return self.bound

    def _separate_locally(
        self, rows: Rows, chosen: NDArray[np.int64], weights: NDArray[np.float64], work: int, budget: Budget
    ) -> None:
        """Search for local cuts; `work` is the number of rows that steps read in the time for the search."""
        if self._local_separator.is_possible:
            self.add_local_cuts(self._local_separator.search(self._table, rows, chosen, weights, work, budget.is_spent))

    def add_local_cuts(self, cuts: Sequence[Cut]) -> None:
        """Add local cuts, with multipliers of 0, unless the memory is used up."""
        if self._pool.nbytes < self._memory:
            self._pool.local.add_new(cuts)

    def _run_round(self, budget: Budget) -> None:
        """Make a round; leave it early if the budget is spent."""
        if self._costs is None and not self._update_bound(budget):
            return
        assert self._costs is not None
        rows, chosen = self._masks.take_below(self._costs, MAX_EXPONENT * self._cooling.temperature)
        before, smoothed = self._pool.copy_multipliers(), self._compute_smoothed_bound()
        weights, work = self._ascend(rows, chosen, self._costs, budget)
        if not self._accept_steps(before, smoothed, budget):
            return
        found = self._separator.search(rows, chosen, weights, work // STEP_COST, budget.is_spent)
        self._drop_unused()
        old = len(self._pool)
        added = self._pool.add_new(*found) if self._pool.nbytes < self._memory else 0
        relative_new = added / (MIN_NEW_SHARE * len(self._pool) + 2)
        if relative_new < 1.0 and self._cooling.relative <= MAX_LOCAL_TEMPERATURE:
            use = min(1.0, self._pool.compare_multipliers()) * (1.0 - relative_new)
            share = max(MIN_LOCAL_SHARE, use, 1.0 - FEW_NEW * relative_new)
            self._separate_locally(rows, chosen, weights, int(share * work), budget)
        if not self._update_bound(budget, old):
            return
        has_many_new = self._has_new_rows or relative_new > 1.0
        self._has_new_rows = False
        self._separator.adapt_effort(is_growing=has_many_new)
        if self._cooling.advance(is_growing=has_many_new, is_moving=self._is_moving):
            progress = self._cycle_start - self.bound.value
            self.converged = progress <= MIN_PROGRESS * (self._relaxed - self.bound.value)
            self._cycle_start = self.bound.value

    def _compute_smoothed_bound(self) -> float:
        """Return the smoothed bound of the multipliers whose reduced costs are known."""
        assert self._costs is not None
        return smooth_bound(self._table.begin, self._costs, self._value, self._cooling.temperature)

    def _accept_steps(self, multipliers: Multipliers, smoothed: float, budget: Budget) -> bool:
        """
        Compute the reduced costs after coordinate steps; return False if the round ends here.

        This is so if the time is spent, or if the smoothed bound has increased, because rows that were left out have
        become the best ones. Then the steps are taken back, and the next round makes smaller changes: no oscillation.

        multipliers, smoothed : multipliers and smoothed bound before the steps
        """
        costs, value, self._costs = self._costs, self._value, None
        if self._pool.is_finite:
            reduced = self._pool.reduce_costs(self._table, budget.is_spent)
            if reduced is None:
                return False
            self._costs, self._value = reduced
            if self._compute_smoothed_bound() <= smoothed + tie_margin(smoothed) or self._max_change <= MIN_CHANGE:
                self._max_change = min(MAX_CHANGE, 2.0 * self._max_change)
                return True
            self._max_change *= 0.5
        self._pool.set_multipliers(multipliers)
        self._costs, self._value = costs, value
        return False

    def _ascend(
        self, rows: Rows, chosen: NDArray[np.int64], costs: NDArray[np.float64], budget: Budget
    ) -> tuple[NDArray[np.float64], int]:
        """Make coordinate steps of all clusters; return the weights of the rows and the number of rows read."""
        from bnsearch.exact import kernels_smoothing as kernels

        n, temperature = self._table.n_variables, self._cooling.temperature
        weights = np.empty(len(chosen))
        kernels.compute_weights(rows[0], chosen, costs, temperature, weights)
        scratch = np.empty(len(chosen), dtype=np.uint64), np.empty(n), np.empty(n)
        pool, multipliers = self._pool.arrays, self._pool.multipliers
        reach = self._max_change * temperature
        limits = np.maximum(multipliers - reach, 0.0), multipliers + reach
        local = self._pool.local
        local_limits = np.maximum(local.multipliers - reach, 0.0), local.multipliers + reach
        before = multipliers.copy()
        evaluation = int(np.diff(self._table.begin)[self._pool.members].sum())  # rows that computing the bound reads
        total = 0
        for sweep in range(MAX_SWEEPS if len(self._pool) else 0):
            if sweep >= MIN_SWEEPS and total >= evaluation:
                break
            sequence = self._rng.permutation(len(self._pool))
            at = 0
            while at < len(sequence) and not budget.is_spent():
                at, work = kernels.ascend(
                    rows, pool, sequence, at, MAX_ROWS_PER_CALL, temperature, weights, multipliers, limits, scratch
                )
                total += work
            sequence = self._rng.permutation(len(local))
            total += local.ascend(rows, sequence, temperature, weights, local_limits, budget.is_spent)
            kernels.scale_all_weights(rows[0], weights)
        self._is_moving = bool(np.any(np.abs(multipliers - before) > 0.5 * reach))
        return weights, total

    def _drop_unused(self) -> None:
        """Drop the inequalities whose multipliers were 0 for some rounds."""
        for pool in (self._pool, self._pool.local):
            pool.ages[:] = np.where(pool.multipliers > 0.0, 0, pool.ages + 1)
            if pool.ages.max(initial=0) > MAX_AGE:
                pool.keep(pool.ages <= MAX_AGE)

    def _update_bound(self, budget: Budget, first_new: int | None = None) -> bool:
        """
        Compute the bound and, unless known, the reduced costs; return False if the bound was not computed.

        The multipliers of the clusters from number `first_new` on are adjusted first. A copy of all multipliers is
        adjusted for the bound only: the next round continues from the smoothed multipliers. The bound is saved
        only if it is lower than the best one so far. It is not computed if the budget is spent before, or if a
        multiplier is not finite. In the second case the multipliers of the lowest bound replace all others.
        """
        if not self._pool.is_finite:
            self._restore_multipliers()
            return False
        if self._costs is None:
            reduced = self._pool.reduce_costs(self._table, budget.is_spent)
            if reduced is None:
                return False
            self._costs, self._value = reduced
        if first_new is not None:
            self._value -= self._pool.adjust(first_new, self._pool.multipliers, self._costs, budget.is_spent)
        multipliers = self._pool.multipliers.copy()
        value = self._value - self._pool.adjust(0, multipliers, self._costs.copy(), budget.is_spent)
        if value < self.bound.value:
            self._save_bound(multipliers, value)
        return True

    def _restore_multipliers(self) -> None:
        """Continue from the inequalities and multipliers of the lowest bound."""
        self._pool, self._costs = self.bound.make_pool(self._masks), None

    def _save_bound(self, multipliers: NDArray[np.float64], value: float) -> None:
        """Save the bound of the inequalities with positive multipliers."""
        used = multipliers > 0.0
        lists = take_lists(self._pool.first, self._pool.members, used)
        clusters = pack_clusters(*lists, self._table.n_variables)
        local = self._pool.local
        is_used = local.multipliers > 0.0
        cuts = tuple(compress(local.cuts, is_used))
        self.bound = ClusterBound(
            clusters, self._pool.orders[used], multipliers[used], value, cuts, local.multipliers[is_used]
        )


def make_relaxed_bound(parent_sets: ParentSets) -> ClusterBound:
    """Return the bound without clusters: the sum of the best local scores."""
    none = np.empty(0)
    clusters = pack_clusters(np.zeros(1, dtype=np.int64), none.astype(np.int32), parent_sets.n_variables)
    return ClusterBound(clusters, none.astype(np.int64), none, relaxed(parent_sets).score)


def find_cluster_bound(
    parent_sets: ParentSets, budget: Budget, incumbent: float | None = None, start: ClusterBound | None = None
) -> ClusterBound:
    """
    Return an upper bound on the score of all networks over a candidate table.

    Parameters
    ----------
    parent_sets : the candidate table
    budget : limits of time and memory; a stop request ends the search for a better bound
    incumbent : score of the best known network; the search ends when the bound is not higher
    start : bound whose clusters and multipliers are improved; None starts without clusters
    """
    return DualAscent(parent_sets, start, memory=budget.memory // 4).improve(budget, incumbent)
