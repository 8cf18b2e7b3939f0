"""Local cuts with their multipliers, in flat arrays that kernels of the dual ascent read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.cuts import MAX_LOCAL_VARIABLES, Cut
from bnsearch.exact.row_masks import RowMasks, Rows

LocalArrays = tuple[NDArray[np.generic], ...]
Limits = tuple[NDArray[np.float64], NDArray[np.float64]]
MAX_ROWS_PER_CALL = 1 << 22  # rows that a kernel reads in one call: about 20 milliseconds
MAX_LEVELS = 32  # cuts with more distinct coefficients are not used
CUT_BYTES = 2000  # approximate memory of a cut of six variables


@dataclass(frozen=True, eq=False)
class LeveledCut:
    """
    A local cut whose coefficients are numbers of levels.

    Attributes
    ----------
    cut : the cut
    levels : float64[...], its distinct coefficients
    codes : uint8[c * 2^c], the number of the level of each coefficient
    """

    cut: Cut
    levels: NDArray[np.float64]
    codes: NDArray[np.uint8]

    @property
    def key(self) -> bytes:
        """The members and coefficients."""
        return self.cut.members.tobytes() + self.levels.tobytes() + self.codes.tobytes()


def find_cut_levels(cut: Cut) -> LeveledCut:
    """Return a local cut with the levels of its coefficients."""
    levels, codes = np.unique(cut.weights, return_inverse=True)
    return LeveledCut(cut, levels, codes.reshape(-1).astype(np.uint8))


class LocalPool:
    """
    Local cuts with their multipliers.

    Parameters
    ----------
    masks : the row masks of the candidate table

    Attributes
    ----------
    multipliers : float64[m]
    ages : int64[m], number of rounds since the multiplier was positive
    """

    def __init__(self, masks: RowMasks) -> None:
        self.masks = masks
        self.multipliers = np.empty(0)
        self.ages = np.empty(0, dtype=np.int64)
        self._cuts: list[LeveledCut] = []
        self._arrays: LocalArrays | None = None  # None if the cuts have changed

    def __len__(self) -> int:
        return len(self._cuts)

    @property
    def nbytes(self) -> int:
        """The approximate memory of the cuts in bytes."""
        return CUT_BYTES * len(self)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts."""
        return tuple(own.cut for own in self._cuts)

    @property
    def arrays(self) -> LocalArrays:
        """The pool as the kernels take it."""
        if self._arrays is None:
            self._arrays = self._make_arrays()
        return self._arrays

    def add_new(self, cuts: Sequence[Cut]) -> int:
        """Add the cuts that are not in the pool, with multipliers of 0; return their number."""
        known = {own.key for own in self._cuts}
        new = {own.key: own for own in map(find_cut_levels, cuts) if len(own.levels) <= MAX_LEVELS}
        added = [own.cut for key, own in new.items() if key not in known]
        self.append(added, np.zeros(len(added)))
        return len(added)

    def append(self, cuts: Sequence[Cut], multipliers: NDArray[np.float64]) -> None:
        """Add cuts with their multipliers."""
        self._cuts = self._cuts + [find_cut_levels(cut) for cut in cuts]
        self.multipliers = np.concatenate((self.multipliers, multipliers))
        self.ages = np.concatenate((self.ages, np.zeros(len(cuts), dtype=np.int64)))
        self._arrays = None

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Remove all cuts except those marked True."""
        self._cuts = [own for own, is_kept in zip(self._cuts, kept, strict=True) if is_kept]
        self.multipliers, self.ages = self.multipliers[kept], self.ages[kept]
        self._arrays = None

    def sum_penalties(self) -> float:
        """Return the sum of the multipliers times the limits of the cuts, which is part of the bound."""
        return float(np.dot(self.multipliers, [own.cut.limit for own in self._cuts]))

    def _make_arrays(self) -> LocalArrays:
        """Return the arrays of the pool."""
        from bnsearch.exact.kernels_local_ascent import write_local_entries

        sizes = np.array([len(own.cut.members) for own in self._cuts], dtype=np.int64)
        first = np.concatenate(([0], np.cumsum(sizes)))
        members = np.concatenate([np.empty(0, np.int32), *(own.cut.members for own in self._cuts)]).astype(np.int32)
        entry_first = np.empty(len(members) + 1, dtype=np.int64)
        count = 0  # the first pass counts the entries
        for _ in range(2):
            entries = np.empty((3, count), dtype=np.int64)
            write_local_entries(first, members, self.masks.offsets, self.masks.parents, entry_first, *entries)
            count = int(entry_first[-1])
        n_codes = np.repeat(1 << sizes, sizes)
        n_levels = np.array([len(own.levels) for own in self._cuts], dtype=np.int64)
        return (
            first,
            members,
            entry_first,
            *entries,
            np.cumsum(n_codes) - n_codes,
            np.concatenate([np.empty(0, dtype=np.uint8), *(own.codes for own in self._cuts)]),
            np.concatenate(([0], np.cumsum(n_levels))),
            np.concatenate([np.empty(0), *(own.levels for own in self._cuts)]),
            np.array([own.cut.limit for own in self._cuts], dtype=np.float64),
        )

    def add_penalties(self, costs: NDArray[np.float64], is_spent: Callable[[], bool] = lambda: False) -> bool:
        """
        Add the multipliers times the coefficients to the costs of all rows of the table.

        Return False if the time is spent before.
        """
        from bnsearch.exact.kernels_local_ascent import add_penalties

        found = np.empty(np.diff(self.masks.rows[0]).max(initial=0), dtype=np.uint8)
        cut = 0
        while cut < len(self):
            if is_spent():
                return False
            cut = add_penalties(self.masks.rows, self.arrays, self.multipliers, cut, MAX_ROWS_PER_CALL, costs, found)
        return True

    def ascend(
        self,
        rows: Rows,
        sequence: NDArray[np.int64],
        temperature: float,
        weights: NDArray[np.float64],
        limits: Limits,
        is_spent: Callable[[], bool],
    ) -> int:
        """
        Make coordinate steps of the smoothed bound, and return the number of rows read.

        Parameters
        ----------
        rows, weights : masks and weights of the rows that are taken into account; the weights are changed
        sequence : numbers of the cuts
        limits : least and largest multipliers
        is_spent : function that returns True if the steps must end
        """
        from bnsearch.exact.kernels_local_ascent import ascend_locally

        largest = int(np.diff(rows[0]).max(initial=0))
        scratch = (
            np.empty(MAX_LOCAL_VARIABLES * largest, dtype=np.uint8),
            np.empty((MAX_LOCAL_VARIABLES, MAX_LEVELS)),
            np.empty(MAX_LEVELS),
        )
        own = self.arrays, sequence
        step = MAX_ROWS_PER_CALL, temperature, weights, self.multipliers, limits, scratch
        at = total = 0
        while at < len(sequence) and not is_spent():
            at, work = ascend_locally(rows, *own, at, *step)
            total += work
        return total
