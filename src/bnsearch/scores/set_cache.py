"""The cache of set values of a scorer. The memory that it touches grows with the number of values."""

from __future__ import annotations

import numpy as np

from bnsearch.kernels.tuples import KernelTuple

FIRST_SLOTS = 1 << 12  # number of slots in use at first
SLOTS_PER_VALUE = 4  # slots in use for each value: with fewer, some buckets are full


class SetCache:
    """
    A cache of set values that begins small.

    The arrays are allocated for the maximum number of slots, but only a part of them is in use. Memory that was never
    in use takes no pages of the machine, and no time.

    Parameters
    ----------
    n_variables : number of variables
    max_slots : maximum number of slots, a power of two
    random : generator of the random numbers that identify variables

    Attributes
    ----------
    max_slots : maximum number of slots
    arrays : the arrays in use, as kernels take them (see `kernels.py`)
    """

    def __init__(self, n_variables: int, max_slots: int, random: np.random.Generator) -> None:
        self.max_slots = max_slots
        self._member = random.integers(1, 2**64, (n_variables, 2), dtype=np.uint64)
        self._key = np.zeros((max_slots, 2), dtype=np.uint64)
        self._value = np.empty(max_slots, dtype=np.float64)
        self._computed = np.zeros(1, dtype=np.int64)
        self._n_written = 0  # number of values that were written, not computed
        self._use(min(max_slots, FIRST_SLOTS))

    def _use(self, n_slots: int) -> None:
        self._n_slots = n_slots
        self.arrays = KernelTuple((self._member, self._key[:n_slots], self._value[:n_slots], self._computed))

    @property
    def n_computed(self) -> int:
        """Number of set values that were computed because they were not in the cache."""
        return int(self._computed[0])

    @property
    def n_values(self) -> int:
        """Number of values that were computed or written; some of them may have been replaced."""
        return self.n_computed + self._n_written

    def make_room(self, expected: int = 0, *, written: int = 0) -> None:
        """
        Use more slots if there are many values.

        This replaces `arrays`. Kernels may continue with the old ones, but find fewer values in them.

        Parameters
        ----------
        expected : number of values that the next kernel call may compute
        written : number of values that the caller will write
        """
        from bnsearch.scores.kernels import split_buckets

        self._n_written += written
        wanted = min(self.max_slots, SLOTS_PER_VALUE * (self.n_values + expected))
        while self._n_slots < wanted:
            split_buckets(self._key, self._value, self._n_slots)
            self._use(2 * self._n_slots)
