"""OBS: greedy search over orderings by swaps of neighbours, with a tabu list and random restarts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.orderings.climber import BUDGET, Placed, State, random_word
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import climb_from_starts
from bnsearch.orderings.starts import Ordering, require_start
from bnsearch.problem import Problem
from bnsearch.run import Run
from bnsearch.scores.score import TOLERANCE

NO_LIMIT = 1 << 62  # swaps, more than any climb makes


@dataclass(frozen=True, kw_only=True)
class OBS:
    """
    Ordering-based search: the best swap of neighbours, a tabu list, random restarts.

    Parameters
    ----------
    tabu : how many of the last swaps may not be reversed, and after how many swaps without improvement a restart is
        due; 0 stops at the first local optimum
    max_steps : the most swaps of a climb; None means no limit
    start : where a climb starts: random, dfs or fas

    References
    ----------
    Teyssier & Koller (2005), section 3.
    Perez & Maua (2016), Algorithm 2: tabu=0, max_steps=500, and 1000 restarts from random, dfs or fas.

    Notes
    -----
    After a swap only the swaps beside it are priced again. The paper does not say which of equally good swaps to take:
    one of them is drawn. It chooses the length of the tabu list for each data set and restarts after as many moves
    without improvement; 20 is ours. A restart draws a new ordering. One iteration is one climb.
    """

    name: ClassVar[str] = "obs"
    tabu: int = 20
    max_steps: int | None = None
    start: str = "random"

    def __post_init__(self) -> None:
        require("tabu", self.tabu, at_least=0, whole=True)
        if self.max_steps is not None:
            require("max_steps", self.max_steps, at_least=1, whole=True)
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""
        climb_from_starts(
            problem,
            run,
            self.start,
            SwapClimber,
            lambda climber, order, rng: climber.climb(order, rng, run.halted, tabu=self.tabu, max_steps=self.max_steps),
        )


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
        max_steps: int | None = None,
    ) -> Placed:
        """Climb from an ordering, over up to `tabu` swaps without improvement; return the best ordering passed."""
        from bnsearch.orderings.kernels_swap import price_swaps, search_by_swaps

        self.initial = self.settle(order)
        totals, made = np.full(2, self.initial), np.zeros(2, dtype=np.int64)
        best = self.order.copy()
        recent = np.full((tabu, 2), -1, dtype=np.int32)
        random = np.array([random_word(rng)])
        most = NO_LIMIT if max_steps is None else max_steps
        price_swaps(self.index.arrays, self.arrays, 0, len(order), self.deltas)
        while not search_by_swaps(
            self.index.arrays, self.arrays, self.deltas, recent, made, totals, best, max(tabu, 1), most, random,
            TOLERANCE, BUDGET, self._barred, self.touched,
        ):  # fmt: skip
            if halted(float(totals[1])):
                break
        self.steps = int(made[0])
        self.settle(best)
        return self.placed()
