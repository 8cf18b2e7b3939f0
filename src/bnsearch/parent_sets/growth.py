"""Best-first growth of one variable's parent sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.extender import Extender
from bnsearch.scores.aic import AIC
from bnsearch.scores.bic import BIC
from bnsearch.scores.score import TOLERANCE


class Growth:
    """
    The parent sets of one variable, the most promising extended first.

    The best open set is extended by every candidate; an extension is kept and opened if it beats the set it extends. A
    set is not extended where no superset can beat it: under BIC and AIC the fit is at most zero, so a superset scores
    at most minus its penalty (de Campos & Ji 2011); other scores are at most zero.

    Parameters
    ----------
    extender : the data and the score
    child : the variable
    candidates : its possible parents
    max_parents : the largest set
    seeds : int32[m, k], sets of one size to start from, best first
    scores : float64[m], their scores
    """

    def __init__(
        self,
        extender: Extender,
        child: int,
        candidates: NDArray[np.int64],
        max_parents: int,
        seeds: NDArray[np.int32],
        scores: NDArray[np.float64],
    ) -> None:
        self.child = child
        self._extender = extender
        self._most = max(max_parents, seeds.shape[1], 1)
        self._candidates = extender.layout.place[candidates]
        self._random = np.random.default_rng(0x6C0).integers(1, 2**64, len(extender.layout.order), dtype=np.uint64)
        self._seeds = len(seeds)
        self._allocate(2 * (len(seeds) + len(candidates)) + 64)
        self._sets[: len(seeds), : seeds.shape[1]] = np.sort(extender.layout.place[seeds], axis=1)
        self._sizes[: len(seeds)] = seeds.shape[1]
        self._scores[: len(seeds)] = scores
        self._heap[: len(seeds)] = np.arange(len(seeds))  # best first: a heap already
        self._counters = np.array([len(seeds), len(seeds), 0], dtype=np.int64)
        self._rehash()

    def _allocate(self, capacity: int) -> None:
        self._sets = np.zeros((capacity, self._most), dtype=np.int32)
        self._sizes = np.zeros(capacity, dtype=np.int32)
        self._scores = np.zeros(capacity, dtype=np.float64)
        self._heap = np.zeros(capacity, dtype=np.int32)

    def _rehash(self) -> None:
        from bnsearch.parent_sets.kernels_growth import insert_sets

        self._slots = np.full(1 << (2 * len(self._sizes)).bit_length(), -1, dtype=np.int32)
        insert_sets(self._sets, self._sizes, self._counters[0], self._random, self._slots)

    def _enlarge(self) -> None:
        known = len(self._sizes)
        sets, sizes, scores, heap = self._sets, self._sizes, self._scores, self._heap
        self._allocate(2 * known + len(self._candidates))
        self._sets[:known], self._sizes[:known] = sets, sizes
        self._scores[:known], self._heap[:known] = scores, heap
        self._rehash()

    @property
    def scored(self) -> int:
        """Families scored so far."""
        return int(self._counters[2])

    def grow(self, extender: Extender, budget: int) -> bool:
        """Score about `budget` families more; return whether anything is left to extend."""
        from bnsearch.parent_sets.kernels_growth import FINISHED, OUT_OF_SPACE, grow_sets

        joint, others = extender.terms(self.child)
        score = extender.score
        slope = score.joint(extender.data.n_rows).slope if isinstance(score, BIC | AIC) else 0.0
        stop = self.scored + budget
        while self.scored < stop:
            ended = grow_sets(
                extender.columns, extender.layout.place[self.child], self._candidates, self._most, joint, others, slope,
                TOLERANCE, *extender.scratch, self._sets, self._sizes, self._scores, self._heap, self._slots,
                self._random, self._counters, stop - self.scored,
            )  # fmt: skip
            if ended == FINISHED:
                return False
            if ended == OUT_OF_SPACE:
                self._enlarge()
        return True

    def found(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Return what was found beyond the seeds: padded members as variables, sizes, scores."""
        known = slice(self._seeds, int(self._counters[0]))
        order = self._extender.layout.order
        return order[self._sets[known]].astype(np.int32), self._sizes[known], self._scores[known]
