"""Cluster inequalities and local cuts with their multipliers, in flat arrays that can grow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.local_pool import LocalPool
from bnsearch.exact.row_masks import RowMasks
from bnsearch.parent_sets.table import ParentSets

PoolArrays = tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]
]
Multipliers = tuple[NDArray[np.float64], NDArray[np.float64]]  # of the clusters and of the local cuts
Item = TypeVar("Item", bound=np.generic)
MAX_ROWS_PER_CALL = 1 << 24  # rows that a kernel reads in one call: about 20 milliseconds


class ClusterPool:
    """
    Cluster inequalities with their multipliers, and a pool of local cuts.

    Attributes
    ----------
    masks : the row masks of the candidate table
    first, members, orders : int64[m + 1], int32[...], int64[m]; the members of cluster c, ascending, are
        `members[first[c]:first[c + 1]]`
    multipliers : float64[m]
    ages : int64[m], number of rounds since the multiplier was positive
    local : the local cuts with their multipliers
    """

    def __init__(self, masks: RowMasks) -> None:
        self.masks = masks
        self.first = np.zeros(1, dtype=np.int64)
        self.members = np.empty(0, dtype=np.int32)
        self.orders, self.ages = np.empty((2, 0), dtype=np.int64)
        self.multipliers = np.empty(0)
        self._keys = np.empty(0, dtype=np.uint64)
        self._entry_first = np.zeros(1, dtype=np.int64)
        self._planes, self._entry_masks = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
        self.local = LocalPool(masks)

    def __len__(self) -> int:
        return len(self.orders)

    @property
    def arrays(self) -> PoolArrays:
        """The pool as the kernels take it."""
        return self.first, self.members, self._entry_first, self._planes, self._entry_masks, self.orders

    @property
    def is_finite(self) -> bool:
        """Whether all multipliers are finite numbers."""
        return bool(np.isfinite(self.multipliers).all() and np.isfinite(self.local.multipliers).all())

    @property
    def nbytes(self) -> int:
        """The memory of the arrays in bytes."""
        own = sum(array.nbytes for array in (*self.arrays, self.multipliers, self.ages, self._keys))
        return own + self.local.nbytes

    def add_new(self, first: NDArray[np.int64], members: NDArray[np.int32], orders: NDArray[np.int64]) -> int:
        """Add the clusters that are not in the pool, with multipliers of 0; return their number."""
        keys = compute_keys(first, members, orders)
        is_new = np.zeros(len(keys), dtype=bool)
        is_new[np.unique(keys, return_index=True)[1]] = True
        is_new &= ~np.isin(keys, self._keys)
        count = int(is_new.sum())
        self.append(*take_lists(first, members, is_new), orders[is_new], np.zeros(count))
        return count

    def append(
        self,
        first: NDArray[np.int64],
        members: NDArray[np.int32],
        orders: NDArray[np.int64],
        multipliers: NDArray[np.float64],
    ) -> None:
        """Add clusters with their multipliers."""
        from bnsearch.exact.kernels_clusters import write_entries

        entry_first = np.empty(len(members) + 1, dtype=np.int64)
        count = 0  # the first pass counts the entries
        for _ in range(2):
            entries = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.uint64)
            write_entries(first, members, self.masks.offsets, self.masks.parents, entry_first, *entries)
            count = int(entry_first[-1])
        self._entry_first = np.concatenate((self._entry_first, entry_first[1:] + self._entry_first[-1]))
        self._planes = np.concatenate((self._planes, entries[0]))
        self._entry_masks = np.concatenate((self._entry_masks, entries[1]))
        self.first = np.concatenate((self.first, first[1:] + self.first[-1]))
        self.members = np.concatenate((self.members, members))
        self.orders = np.concatenate((self.orders, orders))
        self.multipliers = np.concatenate((self.multipliers, multipliers))
        self.ages = np.concatenate((self.ages, np.zeros(len(orders), dtype=np.int64)))
        self._keys = np.concatenate((self._keys, compute_keys(first, members, orders)))

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Remove all clusters except those marked True."""
        positions = np.repeat(kept, np.diff(self.first))
        entries = np.repeat(positions, np.diff(self._entry_first))
        self._entry_first, self._planes = take_lists(self._entry_first, self._planes, positions)
        self._entry_masks = self._entry_masks[entries]
        self.first, self.members = take_lists(self.first, self.members, kept)
        self.orders, self.ages = self.orders[kept], self.ages[kept]
        self.multipliers, self._keys = self.multipliers[kept], self._keys[kept]

    def compare_multipliers(self) -> float:
        """Return the mean multiplier of the local cuts as a share of that of the clusters; 1 without local cuts."""
        total = float(self.multipliers.sum())
        if not len(self.local) or total <= 0.0:
            return 1.0
        return float(self.local.multipliers.mean()) * len(self) / total

    def copy_multipliers(self) -> Multipliers:
        """Return copies of the multipliers of the clusters and of the local cuts."""
        return self.multipliers.copy(), self.local.multipliers.copy()

    def set_multipliers(self, multipliers: Multipliers) -> None:
        """Replace the multipliers of the clusters and of the local cuts."""
        self.multipliers, self.local.multipliers = multipliers

    def move_to(self, masks: RowMasks) -> ClusterPool:
        """Return the same inequalities and multipliers for the rows of another candidate table."""
        pool = ClusterPool(masks)
        pool.append(self.first, self.members, self.orders, self.multipliers)
        pool.local.append(self.local.cuts, self.local.multipliers)
        return pool

    def reduce_costs(
        self, table: ParentSets, is_spent: Callable[[], bool] = lambda: False
    ) -> tuple[NDArray[np.float64], float] | None:
        """
        Return the reduced costs of all rows of the table and the bound of the multipliers; None if the time is spent.

        The reduced cost of a row is the amount by which the bound decreases if the variable must take the row.
        """
        reduced = self.find_best_scores(table, is_spent)
        return None if reduced is None else (reduced[0], self.sum_bound(reduced[1]))

    def sum_bound(self, best: NDArray[np.float64]) -> float:
        """Return the bound of the multipliers, given the best reduced score of each variable."""
        return math.fsum((*best, *(-self.orders * self.multipliers), self.local.sum_penalties()))

    def find_best_scores(
        self, table: ParentSets, is_spent: Callable[[], bool] = lambda: False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """
        Return the reduced costs of all rows and the best reduced score of each variable; None if the time is spent.

        A reduced score is the local score, plus the multipliers of the clusters whose inequality contains the row, less
        the multipliers of the local cuts times the coefficients of the row.
        """
        from bnsearch.exact.kernels_clusters import subtract_minima, subtract_multipliers

        tops = table.scores[table.begin[:-1]]
        sizes = np.diff(table.begin)
        costs = np.repeat(tops, sizes) - table.scores
        counts = np.empty(sizes.max(initial=0), dtype=np.uint64)
        cluster = 0
        while cluster < len(self):
            if is_spent():
                return None
            cluster = subtract_multipliers(
                self.masks.rows, self.arrays, self.multipliers, cluster, MAX_ROWS_PER_CALL, costs, counts
            )
        if not self.local.add_penalties(costs, is_spent):
            return None
        minima = np.empty(table.n_variables)
        subtract_minima(table.begin, costs, minima)
        return costs, tops - minima

    def adjust(
        self,
        start: int,
        multipliers: NDArray[np.float64],
        costs: NDArray[np.float64],
        is_spent: Callable[[], bool] = lambda: False,
    ) -> float:
        """
        Improve the multipliers of the clusters from number `start` on, each once; return the improvement of the bound.

        multipliers : multipliers of all clusters; changed
        costs : their reduced costs; changed
        """
        from bnsearch.exact.kernels_clusters import adjust_multipliers

        counts = np.empty(np.diff(self.masks.rows[0]).max(initial=0), dtype=np.uint64)
        cluster, improvement = start, 0.0
        while cluster < len(self) and not is_spent():
            cluster, part = adjust_multipliers(
                self.masks.rows, self.arrays, multipliers, cluster, MAX_ROWS_PER_CALL, costs, counts
            )
            improvement += part
        return improvement


def smooth_bound(begin: NDArray[np.int64], costs: NDArray[np.float64], value: float, temperature: float) -> float:
    """
    Return a smoothed bound: the maximum of a variable's reduced scores is replaced by a soft maximum.

    begin : int64[n + 1], the rows of each variable
    costs, value : reduced costs of all rows, and the bound of the same multipliers
    """
    sums = np.add.reduceat(np.exp(costs / -temperature), begin[:-1])
    return value + temperature * float(np.log(sums).sum())


def take_lists(
    first: NDArray[np.int64], items: NDArray[Item], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[Item]]:
    """Return the lists marked True of lists in flat arrays."""
    sizes = np.diff(first)
    return np.concatenate(([0], np.cumsum(sizes[kept]))), items[np.repeat(kept, sizes)]


def compute_keys(first: NDArray[np.int64], members: NDArray[np.int32], orders: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a hash of each cluster and its order."""
    from bnsearch.exact.kernels_clusters import hash_clusters

    keys = np.empty(len(orders), dtype=np.uint64)
    hash_clusters(first, members, orders, keys)
    return keys
