"""A number for each different family, in the order of their first occurrence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.graph_stacks import Ints


class FamilyIndex:
    """
    A hash table that gives each different family a number: 0, 1, 2, ...

    Families are distinguished by keys of 64 random bits. Among a million families, two have the same key with a
    probability of 3 in 100 million.

    Parameters
    ----------
    n : number of variables
    """

    def __init__(self, n: int) -> None:
        self._codes = np.random.default_rng(0).integers(2**64, size=2 * n, dtype=np.uint64)
        self._make_table(1 << 12)
        self._known = 0

    def __len__(self) -> int:
        return self._known

    def _make_table(self, size: int) -> None:
        self._keys, self._numbers = np.empty(size, dtype=np.uint64), np.full(size, -1)

    def number_families(self, children: Ints, parents: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the numbers of families, and the indices of those that occur for the first time, in their order."""
        from bnsearch.genetic.kernels_family_index import find_families

        self._grow(self._known + len(children))
        found, new = np.empty(len(children), dtype=np.int64), np.empty(len(children), dtype=np.int64)
        entered = find_families(children, parents, self._codes, self._keys, self._numbers, self._known, found, new)
        self._known += entered
        return found, new[:entered]

    def _grow(self, entries: int) -> None:
        """Enlarge the table so that it is at most half full, which keeps searches short."""
        from bnsearch.genetic.kernels_family_index import move_families

        if 2 * entries > len(self._keys):
            old = self._keys, self._numbers
            self._make_table(1 << (4 * entries).bit_length())
            move_families(*old, self._keys, self._numbers)
