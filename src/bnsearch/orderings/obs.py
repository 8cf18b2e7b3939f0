"""OBS: greedy search over orderings by swaps of neighbours, with a tabu list and random restarts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch._tools.registry import require_choice
from bnsearch.errors import require
from bnsearch.orderings.climber import BUDGET, Placed, State, random_word
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import climb_from_starts, offer, prepare
from bnsearch.orderings.starts import Ordering, make_starts, require_start
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import TOLERANCE, improves

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
    restart_moves : a restart makes so many random swaps of neighbours from the best ordering so far; None means that
        it begins at a new start
    ties : which of equally good swaps to make: "random", or the leftmost one ("first")
    start : where a climb starts: random, dfs or fas

    References
    ----------
    Teyssier & Koller (2005), section 3.
    Perez & Maua (2016), Algorithm 2: tabu=0, max_steps=500, ties="first", and 1000 restarts from random, dfs or fas.

    Notes
    -----
    After a swap only the swaps beside it are priced again. Teyssier & Koller do not say which of equally good swaps to
    make; with a tabu list most steps are ties. They choose the length of the tabu list for each data set, and restart
    after as many moves without improvement; 20 is ours. So is a new start for each restart: they tune a number of
    random moves (`restart_moves`) and do not name it. Such restarts follow one another, so they use one thread; of
    climbs that end equally high, the last one is the best. One iteration is one climb.
    """

    name: ClassVar[str] = "obs"
    tabu: int = 20
    max_steps: int | None = None
    restart_moves: int | None = None
    ties: str = "random"
    start: str = "random"

    def __post_init__(self) -> None:
        require("tabu", self.tabu, at_least=0, whole=True)
        for name in ("max_steps", "restart_moves"):
            if getattr(self, name) is not None:
                require(name, getattr(self, name), at_least=1, whole=True)
        require_choice("ties", self.ties, ("random", "first"))
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""

        def climb(climber: SwapClimber, order: Ordering, rng: np.random.Generator) -> Placed:
            return climber.climb(order, rng, run.halted, tabu=self.tabu, max_steps=self.max_steps, ties=self.ties)

        if self.restart_moves is None:
            climb_from_starts(problem, run, self.start, SwapClimber, climb)
            return
        index = prepare(problem, run)
        start, climber = make_starts(self.start, index.table), SwapClimber(index)
        best: Placed | None = None
        while run.going():
            (rng,) = run.spawn(1)
            order = start(rng) if best is None else swap_neighbours(best.order, self.restart_moves, rng)
            found = climb(climber, order, rng)
            if best is not None and found.score == best.score:  # mostly the same network: not worth making
                run.count(iterations=1, evaluations=climber.evaluations())
            else:
                offer(climber, found, run, 1)
            run.climbs.add(climber.initial, found.score, climber.steps)
            if best is None or not improves(best.score, found.score):
                best = found


def swap_neighbours(order: Ordering, swaps: int, rng: np.random.Generator) -> Ordering:
    """Return the ordering after so many swaps of random neighbours, one after the other."""
    swapped = order.copy()
    if len(order) > 1:
        for i in rng.integers(len(order) - 1, size=swaps):
            swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    return swapped


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
        ties: str = "random",
    ) -> Placed:
        """Climb from an ordering, over up to `tabu` swaps without improvement; return the best ordering passed."""
        from bnsearch.orderings.kernels.swap import price_swaps, search_by_swaps

        self.initial = self.settle(order)
        totals, made = np.full(2, self.initial), np.zeros(2, dtype=np.int64)
        best = self.order.copy()
        recent = np.full((tabu, 2), -1, dtype=np.int32)
        random = np.array([random_word(rng)])
        most = NO_LIMIT if max_steps is None else max_steps
        price_swaps(self.index.arrays, self.arrays, 0, len(order), self.deltas)
        while not search_by_swaps(
            self.index.arrays, self.arrays, self.deltas, recent, made, totals, best, max(tabu, 1), most,
            ties == "random", random, TOLERANCE, BUDGET, self._barred, self.touched,
        ):  # fmt: skip
            if halted(float(totals[1])):
                break
        self.steps = int(made[0])
        self.settle(best)
        return self.placed()
