"""The distinct families whose local scores a search over equivalence classes uses, each as one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FIRST_CAPACITY = 1 << 14  # keys; the buffer grows if the operators on one pair of variables need more


class FamilyKeys:
    """
    Keys of families, which a kernel writes to a buffer (see kernels_gains).

    A family has the same key in every search over the same table. Two families have the same key with a probability of
    about 2**-64.

    Parameters
    ----------
    counted : False if no keys are wanted; the buffer then has no room

    Attributes
    ----------
    buffer : keys that the kernel has written
    """

    def __init__(self, *, counted: bool) -> None:
        self.counted = counted
        self.buffer: NDArray[np.uint64] = np.zeros(FIRST_CAPACITY if counted else 0, dtype=np.uint64)
        self._noted: set[int] = set()

    def collect(self, number: int) -> None:
        """Take the first `number` keys from the buffer."""
        self._noted.update(self.buffer[:number].tolist())

    def grow(self) -> None:
        """Double the buffer, which is too small for the operators on one pair of variables."""
        self.buffer = np.zeros(2 * len(self.buffer), dtype=np.uint64)

    def take(self) -> set[int]:
        """Return the keys collected since the last call."""
        noted, self._noted = self._noted, set()
        return noted
