"""The memory of extension rows: a cache for each chain, which the other chains can read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.kernels.tuples import KernelTuple

ENTRY_BYTES, SLOT_BYTES = 12, 32  # memory of an entry and of a slot, as kernels_row_cache describes them
ENTRIES_PER_SLOT = 16  # entries for which there is room in the ring, for each slot
FIRST_BYTES = 1 << 24  # size of a cache at first
NEARLY_FULL = 0.7  # filled share of a cache from which on all caches are doubled

Rows = KernelTuple


class RowCaches:
    """
    Caches of extension rows for several chains, all of one size.

    Parameters
    ----------
    number : number of chains, which read each other's rows
    memory : bytes for each cache
    n : number of variables
    """

    def __init__(self, number: int, memory: int, n: int) -> None:
        self.number, self.memory, self._n = number, memory, n
        self._arrays = self._new_arrays(min(memory, FIRST_BYTES))

    def rows_of(self, chain: int) -> Rows:
        """Return the tuple `rows` of kernels_row_cache for a chain; valid until `enlarge` is called."""
        peers = (*self._arrays, np.array([chain], dtype=np.int64))
        return KernelTuple((*(array[chain] for array in self._arrays), peers))

    def enlarge(self) -> bool:
        """
        Double all caches if one is nearly full and the memory allows it; return True if they were doubled.

        No chain may run at the same time.
        """
        from bnsearch.ondemand.kernels_peers import ENTRIES
        from bnsearch.ondemand.kernels_row_cache import CANDIDATE, COMPUTED, HEAD, KEY, copy_rows

        (slots, ring), head = (self._arrays[at].shape[1] for at in (KEY, CANDIDATE)), self._arrays[HEAD]
        filled = max(head[:, COMPUTED].max() / slots, head[:, ENTRIES].max() / ring)
        doubled = 2 * (slots * SLOT_BYTES + ring * ENTRY_BYTES)
        if filled <= NEARLY_FULL or doubled > self.memory:
            return False
        smaller = [self.rows_of(chain) for chain in range(self.number)]
        self._arrays = self._new_arrays(doubled)
        for chain, rows in enumerate(smaller):
            copy_rows(rows, self.rows_of(chain))
        return True

    def load_kernels(self) -> None:
        """Compile or load the kernel that copies rows into larger caches."""
        from bnsearch.ondemand.kernels_row_cache import copy_rows

        copy_rows(self.rows_of(0), self.rows_of(0))

    def _new_arrays(self, memory: int) -> tuple[NDArray[Any], ...]:
        """Return the arrays of empty caches, as kernels_peers describes them."""
        slots = 1 << max(4, (memory // (SLOT_BYTES + ENTRIES_PER_SLOT * ENTRY_BYTES)).bit_length() - 1)
        ring = max(4 * self._n, (memory - slots * SLOT_BYTES) // ENTRY_BYTES)
        return (
            np.zeros((self.number, slots), dtype=np.uint64),
            np.full((self.number, slots), np.iinfo(np.int64).min // 2, dtype=np.int64),
            np.zeros((self.number, slots), dtype=np.int64),
            np.zeros((self.number, slots)),
            np.zeros((self.number, ring), dtype=np.int32),
            np.zeros((self.number, ring)),
            np.zeros((self.number, 8), dtype=np.int64),
        )
