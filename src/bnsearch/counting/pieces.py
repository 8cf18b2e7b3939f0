"""Ranges of the sets of one size, as units of work."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SHARES = 2  # a piece has about 1 / SHARES of a thread's share of the remaining sets
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


def cut_sets(
    n: int, size: int, binomial: NDArray[np.int64], threads: int, min_sets: int, max_sets: int
) -> Iterator[Piece]:
    """
    Yield pieces that cover the sets of a size, those with the largest top place first.

    Each piece has a share of the remaining sets, so the last pieces are small and threads end together. The sets of a
    large top place are divided into several pieces; several small top places form one.

    Parameters
    ----------
    n : number of places
    size : size of the sets
    binomial : binomial coefficients
    threads : number of threads
    min_sets, max_sets : numbers of sets of a piece
    """
    below = binomial[:, size].tolist()  # number of sets whose top is below each place
    second_below = binomial[:, size - 1].tolist()  # number of sets of one top whose second is below each place
    top, lowest = n - 1, 0
    while top > size - 2:
        remaining = below[top + 1] - (second_below[lowest] if size > 2 else 0)
        sets = min(max_sets, max(min_sets, -(-remaining // (SHARES * threads))))
        if lowest == 0 and (size == 2 or second_below[top] <= sets):
            bottom = max(size - 1, min(top, bisect_left(below, below[top + 1] - sets)))
            yield Piece(bottom, top, 0, top)
            top = bottom - 1
            continue
        highest = max(bisect_right(second_below, second_below[lowest] + sets, 0, top), lowest + 1)
        yield Piece(top, top, lowest, highest)
        top, lowest = (top - 1, 0) if highest == top else (top, highest)


def tabulate_binomials(rows: int, columns: int) -> NDArray[np.int64]:
    """Return binomial coefficients; larger ones are replaced by 2^62 - 1, because no rank needs them."""
    table = np.zeros((rows, columns), dtype=np.int64)
    table[:, 0] = 1
    for k in range(1, columns):  # binomial(i, k) is the sum of binomial(j, k - 1) over all j < i
        table[1:, k] = np.cumsum(table[:-1, k - 1])
        table[1:, k][np.cumsum(table[:-1, k - 1], dtype=np.float64) > INT64_MAX // 2] = INT64_MAX // 2
    return table
