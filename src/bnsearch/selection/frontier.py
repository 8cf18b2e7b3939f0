"""The sets of one variable's best-first search, in flat arrays that grow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.rows import Families

Arrays = tuple[NDArray[Any], ...]
TYPES = ("i4", "i4", "i4", "f8", "f8", "f8", "u8"), ("f8", "i4", "i4")  # dtypes of nodes and heap


class FoundSets(NamedTuple):
    """
    Scored parent sets of one variable.

    Attributes
    ----------
    scores : float64[m]
    sizes : int64[m]
    members : int32[...], one set after the other
    """

    scores: NDArray[np.float64]
    sizes: NDArray[np.int64]
    members: NDArray[np.int32]

    def families_of(self, child: int) -> Families:
        """Return the sets as the families of a child."""
        return Families(np.full(len(self.scores), child, dtype=np.int32), *self)


class Frontier:
    """
    Closed, open and seen sets of one variable's search; see `kernels_frontier` for the arrays.

    Parameters
    ----------
    candidates : int64[m], the candidate parents
    arities : number of states of each candidate
    empty : local score of the empty set, which becomes node 0
    """

    def __init__(self, candidates: NDArray[np.int64], arities: NDArray[np.int64], empty: float) -> None:
        from bnsearch.selection.kernels_frontier import NODE_BELOW, NODE_CELLS, NODE_SCORE

        self.candidates = candidates
        self.arities = arities.astype(np.float64)
        self.random = np.random.default_rng(0x5E7).integers(1, 2**64, len(candidates), dtype=np.uint64)
        room = 2 * len(candidates) + 256
        self.nodes, self.heap = (tuple(np.zeros(room, dtype=t) for t in types) for types in TYPES)
        self.slots = np.zeros(1 << (2 * room).bit_length(), dtype=np.uint64)
        self.number = np.array([1, 0, 0], dtype=np.int64)
        self.nodes[NODE_CELLS][0], self.nodes[NODE_SCORE][0], self.nodes[NODE_BELOW][0] = 1.0, empty, -np.inf

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return sum(array.nbytes for array in (*self.nodes, *self.heap, self.slots))

    def reserve(self, *, nodes: int, opened: int, seen: int) -> None:
        """Make room for more nodes, open sets and seen sets."""
        from bnsearch.selection.kernels_frontier import NODES, OPEN, SEEN, move_keys

        self.nodes = _with_room(self.nodes, int(self.number[NODES]), nodes)
        self.heap = _with_room(self.heap, int(self.number[OPEN]), opened)
        needed = 2 * (int(self.number[SEEN]) + seen)
        if needed > len(self.slots):
            larger = np.zeros(1 << needed.bit_length(), dtype=np.uint64)
            move_keys(self.slots, larger)
            self.slots = larger

    def keep_best_open(self, number: int) -> float:
        """Drop all open sets except the best ones; return the lowest value of these."""
        from bnsearch.selection.kernels_frontier import HEAP_VALUE, OPEN

        values = self.heap[HEAP_VALUE][: self.number[OPEN]]
        order = np.argsort(-values, kind="stable")[:number]  # descending values are a heap
        for array in self.heap:
            array[:number] = array[order]
        self.number[OPEN] = number
        return float(self.heap[HEAP_VALUE][number - 1])

    def members(self, node: int) -> tuple[int, ...]:
        """Return the variables of a node's set, ascending."""
        from bnsearch.selection.kernels_frontier import NODE_ADDED, NODE_PARENT

        found = []
        while node > 0:
            found.append(int(self.candidates[self.nodes[NODE_ADDED][node]]))
            node = int(self.nodes[NODE_PARENT][node])
        return tuple(sorted(found))

    def sets(self, node: NDArray[np.int32], added: NDArray[np.int32], scores: NDArray[np.float64]) -> FoundSets:
        """Return the empty set, and the sets of a node and one more candidate each."""
        from bnsearch.selection.kernels_frontier import NODE_SCORE, NODE_SIZE, write_sets

        sizes = np.concatenate([[0], self.nodes[NODE_SIZE][node] + 1]).astype(np.int64)
        members = np.empty(int(sizes.sum()), dtype=np.int32)
        write_sets(self.nodes, node, added, self.candidates, members)
        return FoundSets(np.concatenate([self.nodes[NODE_SCORE][:1], scores]), sizes, members)


def _with_room(arrays: Arrays, used: int, more: int) -> Arrays:
    """Return arrays with the used entries and room for more; the same arrays if they have it."""
    if used + more <= len(arrays[0]):
        return arrays
    larger = tuple(np.zeros(used + used // 2 + more, dtype=array.dtype) for array in arrays)
    for old, new in zip(arrays, larger, strict=True):
        new[:used] = old[:used]
    return larger
