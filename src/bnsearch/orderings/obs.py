"""OBS: greedy search over orderings by swaps of neighbours, with a tabu list and random restarts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.orderings.climber import BUDGET, Placed, State, random_word
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import Climb, climb_from_starts, offer
from bnsearch.orderings.starts import Ordering, require_start
from bnsearch.problem import Problem
from bnsearch.run import Run
from bnsearch.scores.score import TOLERANCE


@dataclass(frozen=True, kw_only=True)
class OBS:
    """
    Ordering-based search: the best swap of neighbours, a tabu list, random restarts.

    Parameters
    ----------
    tabu : how many of the last swaps may not be reversed, and after how many swaps without improvement a restart is
        due; 0 stops at the first local optimum
    start : where a climb starts: random, dfs or fas

    References
    ----------
    Teyssier & Koller (2005), section 3.

    Notes
    -----
    After a swap only the swaps beside it are priced again. The paper does not say which of equally good swaps to take:
    one of them is drawn. It chooses the length of the tabu list for each data set and restarts after as many moves
    without improvement; 20 is ours. A restart draws a new ordering. One iteration is one climb.
    """

    name: ClassVar[str] = "obs"
    tabu: int = 20
    start: str = "random"

    def __post_init__(self) -> None:
        require("tabu", self.tabu, at_least=0, whole=True)
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""

        def make_climb(index: Index) -> Climb:
            climber = SwapClimber(index)
            return lambda order, rng: offer(climber, climber.climb(order, rng, run.halted, tabu=self.tabu), run, 1)

        climb_from_starts(problem, run, self.start, make_climb)


class SwapClimber(State):
    """Hill climbing in the neighbourhood of adjacent swaps."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._barred = np.zeros(len(self.order), dtype=np.bool_)

    def climb(
        self,
        order: Ordering,
        rng: np.random.Generator,
        halted: Callable[[float], bool] = lambda score: False,
        *,
        tabu: int = 0,
    ) -> Placed:
        """Climb from an ordering, over up to `tabu` swaps without improvement; return the best ordering passed."""
        from bnsearch.orderings.kernels_swap import price_swaps, search_by_swaps

        score = self.settle(order)
        totals, made = np.array([score, score]), np.zeros(2, dtype=np.int64)
        best = self.order.copy()
        recent = np.full((tabu, 2), -1, dtype=np.int32)
        random = np.array([random_word(rng)])
        price_swaps(self.index.arrays, self.arrays, 0, len(order), self.deltas)
        while not search_by_swaps(
            self.index.arrays, self.arrays, self.deltas, recent, made, totals, best, max(tabu, 1), random, TOLERANCE,
            BUDGET, self._barred, self.touched,
        ):  # fmt: skip
            if halted(float(totals[1])):
                break
        self.settle(best)
        return self.placed()
