"""Partially directed graphs to and from the bit sets that the kernels work on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def to_bits(arcs: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return uint64[4, n, W], the parents, children, neighbours and adjacent variables of each, of a matrix of arcs."""
    mutual = arcs & arcs.T
    return np.stack([_pack(m) for m in ((arcs & ~mutual).T, arcs & ~mutual, mutual, arcs | arcs.T)])


def to_arcs(graph: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return the matrix of arcs, bool[n, n]: [i, j] without [j, i] is i -> j, both are i - j."""
    n = graph.shape[1]
    leaving = graph[1] | graph[2]
    return np.unpackbits(leaving.view(np.uint8), axis=1, count=n, bitorder="little").astype(bool)


def _pack(matrix: NDArray[np.bool_]) -> NDArray[np.uint64]:
    n = len(matrix)
    padded = np.zeros((n, -(-n // 64) * 64), dtype=bool)
    padded[:, :n] = matrix
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
