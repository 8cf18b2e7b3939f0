"""Best-first growth of one variable's parent sets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.scores.bounds import Bound
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import TOLERANCE
from bnsearch.selection.frontier import FoundSets

MORE_PARENTS = 4  # room for additional parents, at first and whenever it is used up


class GrowthArrays(NamedTuple):
    """
    The sets of a growth, with room for more, as `kernels_growth` describes them.

    Attributes
    ----------
    sets : int32[capacity, width], the members of each set
    sizes, scores : int32[capacity], float64[capacity]
    heap : int32[width + 1, capacity], the open sets of each size
    counters : int64[OPEN + width + 1]
    slots : int32[power of two], hash table of the sets
    """

    sets: NDArray[np.int32]
    sizes: NDArray[np.int32]
    scores: NDArray[np.float64]
    heap: NDArray[np.int32]
    counters: NDArray[np.int64]
    slots: NDArray[np.int32]


class VariableGrowth:
    """
    The parent sets of one variable, of which the most promising are extended first.

    The sizes take turns: the best open set of a size is extended by every candidate. An extension is kept and opened if
    it beats the set that it extends. A set is not extended if, by the bound of the score, no superset can beat it.

    Parameters
    ----------
    extender : the data and the score
    child : the variable
    candidates : its candidate parents
    max_parents : size of the largest set
    seeds : int32[m, k], sets of one size to start from, best first
    scores : float64[m], their local scores
    bound : upper bound on the scores of supersets

    Attributes
    ----------
    finished : True if no set is left that could be extended
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
        self.finished = False
        self._extender, self._bound = extender, tuple(bound)
        self._max_parents = max_parents
        self._candidates: NDArray[np.int64] = extender.layout.place[candidates]
        self._random = np.random.default_rng(0x6C0).integers(1, 2**64, len(extender.layout.order), dtype=np.uint64)
        number, size = seeds.shape
        self._n_seeds = int(number)
        heap = np.zeros((size + 1, number), dtype=np.int32)
        heap[size] = np.arange(number)  # the seeds are sorted, which makes them a heap
        counters = np.array([number, 0, size, *[0] * size, number], dtype=np.int64)
        sets = np.sort(extender.layout.place[seeds], axis=1).astype(np.int32)
        sizes, no_slots = np.full(number, size, dtype=np.int32), np.empty(0, dtype=np.int32)
        known = GrowthArrays(sets, sizes, scores, heap, counters, no_slots)
        self._arrays = self._with_room(2 * (number + len(candidates)) + 64, size + MORE_PARENTS, known)

    def _with_room(self, capacity: int, width: int, known: GrowthArrays) -> GrowthArrays:
        """Return the arrays of the known sets with room for more, and a new hash table of them."""
        from bnsearch.selection.kernels_growth import KNOWN, OPEN, insert_sets

        room = GrowthArrays(
            np.zeros((capacity, width), dtype=np.int32),
            np.zeros(capacity, dtype=np.int32),
            np.zeros(capacity, dtype=np.float64),
            np.zeros((width + 1, capacity), dtype=np.int32),
            np.zeros(OPEN + width + 1, dtype=np.int64),
            np.full(1 << (2 * capacity).bit_length(), -1, dtype=np.int32),
        )
        number, size = known.sets.shape
        room.sets[:number, :size] = known.sets
        room.sizes[:number], room.scores[:number] = known.sizes, known.scores
        room.heap[: len(known.heap), :number] = known.heap
        room.counters[: len(known.counters)] = known.counters
        insert_sets(room.sets, room.sizes, known.counters[KNOWN], self._random, room.slots)
        return room

    def _enlarge(self) -> None:
        """Make room for twice as many sets, or for larger ones; an interrupt leaves the old arrays or the new ones."""
        from bnsearch.selection.kernels_growth import KNOWN

        capacity, width = self._arrays.sets.shape
        if self._arrays.counters[KNOWN] + self.width > capacity:
            capacity = 2 * capacity + self.width
        else:
            width += MORE_PARENTS
        self._arrays = self._with_room(capacity, width, self._arrays)

    @property
    def scored(self) -> int:
        """Number of families scored so far."""
        from bnsearch.selection.kernels_growth import SCORED

        return int(self._arrays.counters[SCORED])

    @property
    def n_new(self) -> int:
        """Number of sets found so far, without the seeds."""
        from bnsearch.selection.kernels_growth import KNOWN

        return int(self._arrays.counters[KNOWN]) - self._n_seeds

    @property
    def width(self) -> int:
        """Largest number of families that the extension of one set scores."""
        return len(self._candidates)

    @property
    def nbytes(self) -> int:
        """Memory of the sets in bytes."""
        return sum(array.nbytes for array in self._arrays)

    def grow(self, extender: Extender, budget: int) -> bool:
        """Score `budget` more families, and at most `width` beyond; return True if a set is left to extend."""
        from bnsearch.selection.kernels_growth import FINISHED, OUT_OF_SPACE, grow_sets

        joint, others = extender.terms(self.child)
        stop = self.scored + budget
        while not self.finished and self.scored < stop:
            sets, sizes, values, heap, counters, slots = self._arrays
            ended = grow_sets(
                extender.columns, extender.layout.place[self.child], self._candidates, self._max_parents, joint, others,
                self._bound, TOLERANCE, extender.scratch, sets, sizes, values, heap, slots, self._random, counters,
                stop - self.scored,
            )  # fmt: skip
            if ended == FINISHED:
                self.finished = True
            elif ended == OUT_OF_SPACE:
                self._enlarge()
        return not self.finished

    def found(self) -> FoundSets:
        """Return the sets that were found, without the seeds."""
        known = slice(self._n_seeds, self._n_seeds + self.n_new)
        sets, sizes, scores, _, _, _ = self._arrays
        inside = np.arange(sets.shape[1]) < sizes[known, np.newaxis]
        members = self._extender.layout.order[sets[known][inside]].astype(np.int32)
        return FoundSets(scores[known], sizes[known].astype(np.int64), members)
