"""Ranges of the sets of one size, as units of work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

INT64_MAX = np.iinfo(np.int64).max


class Piece(NamedTuple):
    """A range of sets of one size: the largest place is in bottom:top + 1, the second largest in lowest:highest."""

    bottom: int
    top: int
    lowest: int
    highest: int


def count_sets_with_each(n: int, size: int, piece: Piece, binomial: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of sets of a piece that contain each place."""
    counts = np.zeros(n, dtype=np.int64)
    bottom, top, lowest, highest = piece
    if size == 2:
        counts[bottom : top + 1] = np.arange(bottom, top + 1)
        counts[:top] += top - np.maximum(bottom - 1, np.arange(top))
        return counts
    if bottom < top:  # complete tops, one after the other
        return sum((count_sets_with_each(n, size, Piece(t, t, 0, t), binomial) for t in range(bottom, top + 1)), counts)
    counts[top] = binomial[highest, size - 1] - binomial[lowest, size - 1]
    places = np.arange(highest)  # sets with a place as their second one or below it
    counts[:highest] = binomial[highest - 1, size - 2] - binomial[np.maximum(lowest - 1, places), size - 2]
    counts[lowest:highest] += binomial[lowest:highest, size - 2]
    return counts


def tabulate_binomials(rows: int, columns: int) -> NDArray[np.int64]:
    """Return binomial coefficients; larger ones are replaced by 2^62 - 1, because no rank needs them."""
    table = np.zeros((rows, columns), dtype=np.int64)
    table[:, 0] = 1
    for k in range(1, columns):  # binomial(i, k) is the sum of binomial(j, k - 1) over all j < i
        table[1:, k] = np.cumsum(table[:-1, k - 1])
        table[1:, k][np.cumsum(table[:-1, k - 1], dtype=np.float64) > INT64_MAX // 2] = INT64_MAX // 2
    return table
