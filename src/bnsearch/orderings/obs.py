"""
OBS: greedy search over orderings by swaps of adjacent variables, with a tabu list and random restarts.

The loop of the search, `SwapClimber.climb`, is a kernel: `climb_by_swaps` in `kernels/obs.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch._tools.registry import require_choice
from bnsearch.errors import require
from bnsearch.orderings.restarts import build_index, climb_from_starts, offer_network
from bnsearch.orderings.starts import Ordering, make_starts, require_start
from bnsearch.orderings.state import Climb, OrderingState, ScoredOrdering, draw_seed
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import TOLERANCE, improves

EVALUATIONS_PER_CALL = 150_000  # about a millisecond: between two calls of the kernel, a climb reads the clock
NO_LIMIT = 1 << 62  # more swaps than any climb can make


@dataclass(frozen=True, kw_only=True)
class OBS:
    """
    Ordering-based search: the best swap of adjacent variables, a tabu list, random restarts.

    A climb makes the best swap that does not reverse one of the last `tabu` swaps, even if the score becomes worse. It
    ends after `tabu` swaps without a new best ordering, which is its result.

    Parameters
    ----------
    tabu : int, default 20
        Length of the tabu list, and number of swaps without improvement after which the search restarts; with 0, a
        climb ends at the first local optimum.
    max_steps : int, optional
        Maximum number of swaps of a climb; None means no limit.
    restart_moves : int, optional
        Number of random swaps of adjacent variables by which a restart moves away from the best ordering so far;
        None means that a restart begins at a new start.
    ties : str, default "random"
        Choice among equally good swaps: "random", or the leftmost one ("first").
    start : str, default "random"
        Start of a climb: random, dfs or fas.

    References
    ----------
    Teyssier & Koller (2005), section 3.
    Perez & Maua (2016), Algorithm 2: tabu=0, max_steps=500, ties="first", and 1000 restarts from random, dfs or fas.

    Notes
    -----
    Teyssier & Koller leave three choices open:

    - They choose the length of the tabu list for each data set, and restart after as many moves without improvement.
      The default of 20 is ours.
    - They restart by a number of random moves (`restart_moves`), which they tune and do not report. By default, each
      restart begins at a new start. Restarts by moves depend on each other, so they use one thread.
    - They do not say which of equally good swaps to make (`ties`). With a tabu list most steps are ties.

    After a swap, only this swap and its two neighbours are priced again. Among climbs that end with equal scores, the
    last one counts as the best. One iteration is one climb.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.OBS()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "obs"
    space: ClassVar[str] = "orderings, swap moves"
    needs: ClassVar[Needs] = Needs.TABLE
    paper: ClassVar[str] = "Teyssier & Koller (2005)"
    purpose: ClassVar[str] = "as a baseline"
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
        """Search until the run stops."""

        def climb(climber: SwapClimber, order: Ordering, rng: np.random.Generator) -> ScoredOrdering:
            return climber.climb(order, rng, run.halted, tabu=self.tabu, max_steps=self.max_steps, ties=self.ties)

        def climb_all(climber: SwapClimber, orders: list[Ordering], rng: np.random.Generator) -> Iterator[list[Climb]]:
            for order in orders:
                end = climb(climber, order, rng)
                yield [Climb(climber.initial, end, climber.steps)]
                if run.halted(end.score):
                    return

        if self.restart_moves is None:
            climb_from_starts(problem, run, self.start, SwapClimber, climb_all)
            return
        index = build_index(problem, run)
        start, climber = make_starts(self.start, index.table), SwapClimber(index)
        best: ScoredOrdering | None = None
        while run.going():
            (rng,) = run.spawn(1)
            order = start(rng) if best is None else swap_random_neighbours(best.order, self.restart_moves, rng)
            found = climb(climber, order, rng)
            if best is not None and found.score == best.score:
                # An equal score usually means the same network, so the network is not built again.
                run.count(iterations=1, evaluations=climber.new_evaluations())
            else:
                offer_network(climber, found, run, 1)
            run.climbs.add(climber.initial, found.score, climber.steps)
            if best is None or not improves(best.score, found.score):
                best = found


def swap_random_neighbours(order: Ordering, swaps: int, rng: np.random.Generator) -> Ordering:
    """Return a copy of an ordering after `swaps` swaps of random adjacent variables, one after the other."""
    swapped = order.copy()
    if len(order) > 1:
        for i in rng.integers(len(order) - 1, size=swaps):
            swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    return swapped


class SwapClimber(OrderingState):
    """Greedy search by swaps of adjacent variables; not to be shared between threads."""

    def climb(
        self,
        order: Ordering,
        rng: np.random.Generator,
        halted: Callable[[float], bool] = lambda score: False,
        *,
        tabu: int,
        max_steps: int | None = None,
        ties: str = "random",
    ) -> ScoredOrdering:
        """
        Climb from an ordering, and return the best one visited.

        The climb ends after `max_steps` swaps, or after `tabu` swaps without improvement. `halted` is called with the
        best score about every millisecond; if it returns True, the climb ends early.
        """
        from bnsearch.orderings.kernels.obs import BEST, STEPS, climb_by_swaps
        from bnsearch.orderings.kernels.swap import price_swaps

        self.initial = self.set_order(order)
        n, arrays = len(order), (self.index.arrays, self.arrays)
        changes, barred, best = np.empty(n), np.zeros(n, dtype=bool), self.order.copy()
        recent = np.full((tabu, 2), -1, dtype=np.int32)
        totals, counts = np.full(2, self.initial), np.zeros(2, dtype=np.int64)
        patience = max(tabu, 1)  # without a tabu list, the kernel stops at a local optimum
        limit = NO_LIMIT if max_steps is None else max_steps
        random, at_random = np.array([draw_seed(rng)]), ties == "random"
        price_swaps(*arrays, 0, n, changes)
        while not climb_by_swaps(
            *arrays, changes, recent, counts, totals, best, patience, limit, at_random, random, TOLERANCE,
            EVALUATIONS_PER_CALL, barred,
        ):  # fmt: skip
            if halted(float(totals[BEST])):
                break
        self.steps = int(counts[STEPS])
        self.set_order(best)
        return self.snapshot()
