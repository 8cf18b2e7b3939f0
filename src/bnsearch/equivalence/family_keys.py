"""Which families a search over equivalence classes has asked for, each as one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that the product of a key tells the key


class FamilyKeys:
    """
    Keys of families: the same for the same family in every search over as many variables.

    Two families have the same key with a probability of about 2**-64.

    Parameters
    ----------
    n : number of variables
    """

    def __init__(self, n: int) -> None:
        self._key = np.random.default_rng(0xFA).integers(1, 2**64, n, dtype=np.uint64)
        self._noted: set[int] = set()

    def note(self, begin: NDArray[np.int64], members: NDArray[np.int64]) -> None:
        """
        Note the two families of each gain s(y | given + x) - s(y | given).

        begin, members : int64[4 * gains + 1], int64[...]   given + x + y, given, given + x and given + y of each gain
            are members[begin[i] : begin[i + 1]] for four i, see `ask_for_gain`
        """
        before = np.zeros(int(begin[-1]) + 1, dtype=np.uint64)
        np.bitwise_xor.accumulate(self._key[members[: begin[-1]]], out=before[1:])
        sets = (before[begin[1:]] ^ before[begin[:-1]]).reshape(-1, 4)
        for family, parents in ((0, 2), (3, 1)):
            self._noted.update((MULTIPLIER * sets[:, family] + sets[:, parents]).tolist())

    def taken(self) -> set[int]:
        """Return the keys noted since this was last asked."""
        noted, self._noted = self._noted, set()
        return noted
