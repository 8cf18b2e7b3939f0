"""Strongly connected components of a directed graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def strong_components(arcs: NDArray[np.bool_]) -> NDArray[np.int64]:
    """
    Return for each vertex the number of its component, counted from zero; arcs[i, j] stands for i -> j.

    Kosaraju's algorithm: what has an arc, in any number of steps, to the vertex that a depth-first search leaves last
    is in its component. Sets are integers, so a search takes n steps on n words of 64 vertices, and no graph library.
    """
    ahead, behind = _sets(arcs), _sets(arcs.T)
    label = np.zeros(len(arcs), dtype=np.int64)
    left = (1 << len(arcs)) - 1
    number = 0
    for root in reversed(_postorder(ahead)):
        if left >> root & 1:
            left, members = _visit(behind, root, left)
            label[members] = number
            number += 1
    return label


def _sets(matrix: NDArray[np.bool_]) -> list[int]:
    """Return each row as a set: bit j stands for column j."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(matrix, axis=1, bitorder="little")]


def _postorder(ahead: list[int]) -> list[int]:
    """Return all vertices in the order in which a depth-first search leaves them."""
    left, order = (1 << len(ahead)) - 1, []
    for root in range(len(ahead)):
        if left >> root & 1:
            left, found = _visit(ahead, root, left)
            order.extend(found)
    return order


def _visit(ahead: list[int], root: int, left: int) -> tuple[int, list[int]]:
    """Visit what a vertex reaches, depth first; return what is left then, and the visited in the order of leaving."""
    order, path = [], [root]
    left ^= 1 << root
    while path:
        fresh = ahead[path[-1]] & left
        if fresh:
            path.append((fresh & -fresh).bit_length() - 1)
            left ^= 1 << path[-1]
        else:
            order.append(path.pop())
    return left, order
