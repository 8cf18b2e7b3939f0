"""Families numbered in the order in which they are first met."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.graphs import Numbers


class Numbering:
    """
    Gives each different family a number: 0, 1, 2, ...

    Families are told apart by keys of 64 random bits. Among a million of them two have the same key with a probability
    of 3 in 100 million.

    Parameters
    ----------
    n : variables
    """

    def __init__(self, n: int) -> None:
        self._codes = np.random.default_rng(0).integers(2**64, size=2 * n, dtype=np.uint64)
        self._make_table(1 << 12)
        self._known = 0

    def __len__(self) -> int:
        return self._known

    def _make_table(self, size: int) -> None:
        self._keys, self._slots = np.empty(size, dtype=np.uint64), np.full(size, -1)

    def numbers(self, children: Numbers, parents: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
        """Return the numbers of families, and which of the families were met for the first time, in their order."""
        from bnsearch.genetic.kernels_families import find_families

        self._grow(self._known + len(children))
        found, new = np.empty(len(children), dtype=np.int64), np.empty(len(children), dtype=np.int64)
        entered = find_families(children, parents, self._codes, self._keys, self._slots, self._known, found, new)
        self._known += entered
        return found, new[:entered]

    def _grow(self, entries: int) -> None:
        """Make room: a table at most half full is quick."""
        from bnsearch.genetic.kernels_families import move_families

        if 2 * entries > len(self._keys):
            old = self._keys, self._slots
            self._make_table(1 << (4 * entries).bit_length())
            move_families(*old, self._keys, self._slots)
