"""Conversion between partially directed graphs and the bit sets of the kernels (see kernels_graph)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SPARE = 2  # scratch rows; the same as in kernels_graph, which is imported only when a kernel is called

Sets = NDArray[np.uint64]


def empty_sets(n: int) -> Sets:
    """Return the bit sets of the graph of n variables without edges."""
    return np.zeros((4 * n + SPARE, -(-n // 64)), dtype=np.uint64)


def to_sets(arcs: NDArray[np.bool_]) -> Sets:
    """Return uint64[4 n + SPARE, W]: the parents, children, neighbours and adjacent variables of each."""
    n = len(arcs)
    sets = empty_sets(n)
    mutual = arcs & arcs.T
    relatives = np.concatenate([(arcs & ~mutual).T, arcs & ~mutual, mutual, arcs | arcs.T])
    sets[: 4 * n] = to_rows(relatives)
    return sets


def to_rows(matrix: NDArray[np.bool_]) -> Sets:
    """Return the rows of a matrix as bit sets, uint64[rows, W]."""
    number, n = matrix.shape
    padded = np.zeros((number, 64 * -(-n // 64)), dtype=bool)
    padded[:, :n] = matrix
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def to_arcs(sets: Sets) -> NDArray[np.bool_]:
    """Return the matrix of arcs, bool[n, n]: [i, j] without [j, i] is i -> j, both are i - j."""
    n = (len(sets) - SPARE) // 4
    leaving = sets[n : 2 * n] | sets[2 * n : 3 * n]
    return np.unpackbits(leaving.view(np.uint8), axis=1, count=n, bitorder="little").astype(bool)
