"""Best-first growth of one variable's parent sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.bounds import Bound
from bnsearch.parent_sets.extender import Extender
from bnsearch.scores.score import TOLERANCE

Arrays = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]


class Growth:
    """
    The parent sets of one variable, the most promising extended first.

    The best open set is extended by every candidate; an extension is kept and opened if it beats the set it extends. A
    set is not extended where, by the score's bound, no superset can beat it.

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
        self._most = max(max_parents, seeds.shape[1], 1)
        self._candidates = extender.layout.place[candidates]
        self._random = np.random.default_rng(0x6C0).integers(1, 2**64, len(extender.layout.order), dtype=np.uint64)
        self._seeds = len(seeds)
        self._counters = np.array([len(seeds), len(seeds), 0], dtype=np.int64)
        sets = np.sort(extender.layout.place[seeds], axis=1).astype(np.int32)
        sizes = np.full(len(seeds), seeds.shape[1], dtype=np.int32)
        heap = np.arange(len(seeds), dtype=np.int32)  # best first: a heap already
        self._arrays = self._with_room(2 * (len(seeds) + len(candidates)) + 64, sets, sizes, scores, heap)

    def _with_room(
        self,
        capacity: int,
        sets: NDArray[np.int32],
        sizes: NDArray[np.int32],
        scores: NDArray[np.float64],
        heap: NDArray[np.int32],
    ) -> Arrays:
        """Return members, sizes, scores, heap and hash table of the known sets with room for more."""
        from bnsearch.parent_sets.kernels_growth import insert_sets

        known = len(sizes)
        room = (
            np.zeros((capacity, self._most), dtype=np.int32),
            np.zeros(capacity, dtype=np.int32),
            np.zeros(capacity, dtype=np.float64),
            np.zeros(capacity, dtype=np.int32),
            np.full(1 << (2 * capacity).bit_length(), -1, dtype=np.int32),
        )
        room[0][:known, : sets.shape[1]] = sets
        room[1][:known], room[2][:known], room[3][:known] = sizes, scores, heap
        insert_sets(room[0], room[1], self._counters[0], self._random, room[4])
        return room

    @property
    def scored(self) -> int:
        """Families scored so far."""
        return int(self._counters[2])

    @property
    def new(self) -> int:
        """Sets found so far."""
        return int(self._counters[0]) - self._seeds

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
        from bnsearch.parent_sets.kernels_growth import FINISHED, OUT_OF_SPACE, grow_sets

        joint, others = extender.terms(self.child)
        stop = self.scored + budget
        while self.growing and self.scored < stop:
            ended = grow_sets(
                extender.columns, extender.layout.place[self.child], self._candidates, self._most, joint, others,
                self._bound, TOLERANCE, *extender.scratch, *self._arrays, self._random, self._counters,
                stop - self.scored,
            )  # fmt: skip
            if ended == FINISHED:
                self.growing = False
            elif ended == OUT_OF_SPACE:  # assigned at once: an interrupt finds the old arrays or the new ones
                self._arrays = self._with_room(2 * len(self._arrays[1]) + self.width, *self._arrays[:4])
        return self.growing

    def found(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Return what was found beyond the seeds: padded members as variables, sizes, scores."""
        known = slice(self._seeds, int(self._counters[0]))
        sets, sizes, scores, _, _ = self._arrays
        return self._extender.layout.order[sets[known]].astype(np.int32), sizes[known], scores[known]
