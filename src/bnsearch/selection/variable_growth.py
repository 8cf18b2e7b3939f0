"""Best-first growth of one variable's parent sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.scores.bounds import Bound
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import TOLERANCE
from bnsearch.selection.frontier import FoundSets

Arrays = tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int32],
]
MORE_PARENTS = 4  # for how many more than the largest set there is room at first


class Growth:
    """
    The parent sets of one variable, the most promising extended first.

    The best open sets of every size are, in turn, extended by every candidate; an extension is kept and opened if it
    beats the set it extends. A set is not extended where, by the score's bound, no superset can beat it.

    Parameters
    ----------
    extender : the data and the score
    child : the variable
    candidates : its possible parents
    max_parents : the largest set
    seeds : int32[m, k], sets of one size to start from, best first
    scores : float64[m], their scores
    bound : what no superset can exceed

    Attributes
    ----------
    growing : whether a set is left that could be extended
    """

    def __init__(
        self,
        extender: Extender,
        child: int,
        candidates: NDArray[np.int64],
        max_parents: int,
        seeds: NDArray[np.int32],
        scores: NDArray[np.float64],
        bound: Bound = Bound(),  # noqa: B008  # immutable
    ) -> None:
        self.child = child
        self.growing = True
        self._extender, self._bound = extender, tuple(bound)
        self._most = max_parents
        self._candidates: NDArray[np.int64] = extender.layout.place[candidates]
        self._random = np.random.default_rng(0x6C0).integers(1, 2**64, len(extender.layout.order), dtype=np.uint64)
        number, size = seeds.shape
        self._seeds = number
        heap = np.zeros((size + 1, number), dtype=np.int32)
        heap[size] = np.arange(number)  # best first: a heap already
        counters = np.array([number, 0, size, *[0] * size, number], dtype=np.int64)
        sets = np.sort(extender.layout.place[seeds], axis=1).astype(np.int32)
        known = sets, np.full(number, size, dtype=np.int32), scores, heap, counters
        self._arrays = self._with_room(2 * (number + len(candidates)) + 64, size + MORE_PARENTS, *known)

    def _with_room(
        self,
        capacity: int,
        width: int,
        sets: NDArray[np.int32],
        sizes: NDArray[np.int32],
        scores: NDArray[np.float64],
        heap: NDArray[np.int32],
        counters: NDArray[np.int64],
    ) -> Arrays:
        """Return members, sizes, scores, heaps, counters and hash table of the known sets, with room for more."""
        from bnsearch.selection.kernels_growth import KNOWN, OPEN, insert_sets

        known = len(sizes)
        room = (
            np.zeros((capacity, width), dtype=np.int32),
            np.zeros(capacity, dtype=np.int32),
            np.zeros(capacity, dtype=np.float64),
            np.zeros((width + 1, capacity), dtype=np.int32),
            np.zeros(OPEN + width + 1, dtype=np.int64),
            np.full(1 << (2 * capacity).bit_length(), -1, dtype=np.int32),
        )
        room[0][:known, : sets.shape[1]] = sets
        room[1][:known], room[2][:known] = sizes, scores
        room[3][: len(heap), :known] = heap
        room[4][: len(counters)] = counters
        insert_sets(room[0], room[1], counters[KNOWN], self._random, room[5])
        return room

    def _enlarge(self) -> None:
        """Make room for twice as many sets, or for larger ones; an interrupt finds the old arrays or the new ones."""
        from bnsearch.selection.kernels_growth import KNOWN

        sets, counters = self._arrays[0], self._arrays[4]
        capacity, width = sets.shape
        if counters[KNOWN] + self.width > capacity:
            capacity = 2 * capacity + self.width
        else:
            width += MORE_PARENTS
        self._arrays = self._with_room(capacity, width, *self._arrays[:5])

    @property
    def scored(self) -> int:
        """Families scored so far."""
        return int(self._arrays[4][1])

    @property
    def new(self) -> int:
        """Sets found so far."""
        return int(self._arrays[4][0]) - int(self._seeds)

    @property
    def width(self) -> int:
        """Families scored at most when one set is extended."""
        return len(self._candidates)

    @property
    def nbytes(self) -> int:
        """Memory of the sets."""
        return sum(array.nbytes for array in self._arrays)

    def grow(self, extender: Extender, budget: int) -> bool:
        """Score about `budget` families more, and up to `width` above it; return whether a set is left to extend."""
        from bnsearch.selection.kernels_growth import FINISHED, OUT_OF_SPACE, grow_sets

        joint, others = extender.terms(self.child)
        stop = self.scored + budget
        while self.growing and self.scored < stop:
            sets, sizes, values, heap, counters, slots = self._arrays
            ended = grow_sets(
                extender.columns, extender.layout.place[self.child], self._candidates, self._most, joint, others,
                self._bound, TOLERANCE, extender.scratch, sets, sizes, values, heap, slots, self._random, counters,
                stop - self.scored,
            )  # fmt: skip
            if ended == FINISHED:
                self.growing = False
            elif ended == OUT_OF_SPACE:
                self._enlarge()
        return self.growing

    def found(self) -> FoundSets:
        """Return the sets that were found beyond the seeds."""
        known = slice(self._seeds, self._seeds + self.new)
        sets, sizes, scores, _, _, _ = self._arrays
        inside = np.arange(sets.shape[1]) < sizes[known, np.newaxis]
        members = self._extender.layout.order[sets[known][inside]].astype(np.int32)
        return FoundSets(scores[known], sizes[known].astype(np.int64), members)
