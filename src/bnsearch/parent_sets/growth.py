"""Best-first growth of one variable's parent sets."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.bounds import ceiling_of_supersets
from bnsearch.parent_sets.extender import Extender
from bnsearch.scores.score import improves

Parents = tuple[int, ...]


class Growth:
    """
    The parent sets of one variable, the most promising grown first.

    Parameters
    ----------
    child : the variable
    candidates : its possible parents
    max_parents : the largest set
    seeds : known sets to start from, as (score, parents), best first

    Attributes
    ----------
    found : the score of every set found that beats the one it extends
    """

    def __init__(
        self, child: int, candidates: NDArray[np.int64], max_parents: int, seeds: Iterable[tuple[float, Parents]]
    ) -> None:
        self.child, self.candidates, self.max_parents = child, candidates, max_parents
        self.found: dict[Parents, float] = {}
        self._open: list[tuple[float, Parents]] = []
        self._seeds = iter(seeds)
        self._seed = next(self._seeds, None)

    def _pop(self) -> tuple[float, Parents] | None:
        """Return the best set that was not extended yet."""
        if self._seed is None or (self._open and -self._open[0][0] > self._seed[0]):
            if not self._open:
                return None
            score, parents = heapq.heappop(self._open)
            return -score, parents
        best, self._seed = self._seed, next(self._seeds, None)
        return best

    def grow(self, extender: Extender) -> bool:
        """
        Extend the best open set by every candidate; return whether there was one.

        An extension is kept and opened if it beats the set it extends. A set is not extended if the score's bound says
        that no superset can beat it.
        """
        while True:
            best = self._pop()
            if best is None:
                return False
            score, parents = best
            ceiling = ceiling_of_supersets(extender.data, extender.score, self.child, parents)
            if len(parents) < self.max_parents and improves(ceiling, score):
                break
        others = self.candidates[~np.isin(self.candidates, parents)]
        scores = extender.extend(self.child, parents, others)
        for i in np.flatnonzero(scores > score).tolist():
            value = float(scores[i])
            grown = tuple(sorted((*parents, int(others[i]))))
            if improves(value, score) and grown not in self.found:
                self.found[grown] = value
                heapq.heappush(self._open, (-value, grown))
        return True
