"""The memory for extension rows: a cache for each chain, which the other chains may read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ENTRY_BYTES, SLOT_BYTES, ENTRIES_PER_SLOT = 12, 32, 16
FIRST_BYTES, NEARLY_FULL = 1 << 24, 0.7  # the size of a cache at first, and when it is doubled

Rows = tuple[Any, ...]


class RowCaches:
    """
    Caches of extension rows for a number of chains, all of one size.

    Parameters
    ----------
    number : of chains that read each other's rows
    memory : bytes for each of them
    n : the number of variables
    """

    def __init__(self, number: int, memory: int, n: int) -> None:
        self.number, self.memory, self._n = number, memory, n
        self._arrays = self._new(min(memory, FIRST_BYTES))

    def rows_of(self, chain: int) -> Rows:
        """Return the cache of a chain as kernels take it; valid until `enlarge`."""
        return (*(array[chain] for array in self._arrays), (*self._arrays, np.array([chain], dtype=np.int64)))

    def enlarge(self) -> None:
        """Double all caches where one is nearly full and the memory allows; no chain may work meanwhile."""
        from bnsearch.ondemand.kernels_rows import CANDIDATE, COMPUTED, ENTRIES, HEAD, KEY, copy_rows

        (slots, ring), head = (self._arrays[at].shape[1] for at in (KEY, CANDIDATE)), self._arrays[HEAD]
        filled = max(head[:, COMPUTED].max() / slots, head[:, ENTRIES].max() / ring)
        twice = 2 * (slots * SLOT_BYTES + ring * ENTRY_BYTES)
        if filled <= NEARLY_FULL or twice > self.memory:
            return
        smaller = [self.rows_of(chain) for chain in range(self.number)]
        self._arrays = self._new(twice)
        for chain, rows in enumerate(smaller):
            copy_rows(rows, self.rows_of(chain))

    def _new(self, memory: int) -> tuple[NDArray[Any], ...]:
        """Return empty caches, as `kernels_peers` describes them."""
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
