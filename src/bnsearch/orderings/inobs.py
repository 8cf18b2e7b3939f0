"""
INOBS: hill climbing over orderings in the insert neighbourhood, from many starts.

`InsertionClimber.climb` is Algorithm 1 of the paper, and `climb_all` makes several climbs. The lines of the algorithm
are kernels in `kernels/inobs.py`. `begin_climb` is lines 1 and 2. `climb_hybrid` is the loop, lines 3 to 5: draw a
variable, find its best insertion, and make this insertion if it improves the score. `save_climb` is line 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from bnsearch._tools.registry import require_choice
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import CLIMBS_PER_TASK, climb_from_starts
from bnsearch.orderings.starts import Ordering, require_start
from bnsearch.orderings.state import Climb, OrderingState, ScoredOrdering, draw_seed
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import TOLERANCE

EVALUATIONS_PER_CALL = 150_000  # about a millisecond: a climb reads the clock between two calls of its kernel
SELECTIONS = ("hybrid", "best", "first")


@dataclass(frozen=True, kw_only=True)
class INOBS:
    """
    Insert-neighbourhood search over orderings with random restarts.

    An insertion moves one variable of an ordering to another position; the result is a neighbour of the ordering. A
    climb moves to better neighbours until there is none. Then the search starts a new climb from another ordering.

    Parameters
    ----------
    selection : str, default "hybrid"
        How to choose an insertion that improves the score. "hybrid": the best insertion of a random variable. "best":
        the best of all insertions. "first": the first improving insertion in random order.
    start : str, default "random"
        Initial ordering of each climb: "random", or by one of two heuristics of Perez & Maua (2016), "dfs" and "fas".

    References
    ----------
    Lee & van Beek (2017), section 3, Algorithm 1; section 6 for the restarts.

    Notes
    -----
    The paper minimises a score, and this library maximises one. An improvement must exceed the library's tolerance,
    1e-10 times the absolute score, or 1e-10 if that is less than 1.

    To price an insertion is to compute its change of the score. The paper prices the insertions of a variable one by
    one, by a series of adjacent swaps. Here they are priced together, with the same result (`kernels/insertion.py`).

    With "first", the climb draws insertions with replacement, and prices one at a time. Each improving insertion is
    equally likely to be drawn first, as in the random order of the paper. When a variable is drawn for the first time
    since the last insertion, its best insertion is priced. If that does not improve the score, the variable is not
    drawn again before the next insertion, so that the climb can detect a local optimum although it draws with
    replacement.

    One iteration is one climb.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.INOBS()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "inobs"
    space: ClassVar[str] = "orderings, insertion moves"
    needs: ClassVar[Needs] = Needs.TABLE
    paper: ClassVar[str] = "Lee & van Beek (2017)"
    purpose: ClassVar[str] = "as plain local search"
    selection: str = "hybrid"
    start: str = "random"

    def __post_init__(self) -> None:
        require_choice("selection", self.selection, SELECTIONS)
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run stops."""

        def climb_all(
            climber: InsertionClimber, orders: list[Ordering], rng: np.random.Generator
        ) -> Iterator[list[Climb]]:
            return climber.climb_all(orders, rng, run.halted, self.selection, min_score=run.progress.score)

        climb_from_starts(problem, run, self.start, InsertionClimber, climb_all)


class InsertionClimber(OrderingState):
    """A hill climber in the insert neighbourhood; each thread needs its own."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        n, k = index.table.n_variables, CLIMBS_PER_TASK
        orders, rows = np.empty((k, n), dtype=np.int32), np.empty((k, n), dtype=np.int64)
        initial, steps = np.empty(k), np.empty(k, dtype=np.int64)
        counts, totals, random = np.zeros(6, dtype=np.int64), np.zeros(2), np.zeros(1, dtype=np.uint64)
        self._climbs = KernelTuple((orders, rows, initial, steps, np.empty(n, dtype=np.int32), counts, totals, random))

    def climb(
        self,
        order: Ordering,
        rng: np.random.Generator,
        halted: Callable[[float], bool] = lambda score: False,
        selection: str = "hybrid",
    ) -> ScoredOrdering:
        """
        Climb from an ordering to a local optimum, and return it with its score: Algorithm 1 of the paper.

        `halted` is called with the score about every millisecond; if it returns True, the climb ends early.
        """
        ((climb,),) = self.climb_all([order], rng, halted, selection)
        self.initial, self.steps = climb.initial, climb.steps
        return climb.end

    def climb_all(
        self,
        orders: Sequence[Ordering],
        rng: np.random.Generator,
        halted: Callable[[float], bool],
        selection: str = "hybrid",
        min_score: float = inf,
    ) -> Iterator[list[Climb]]:
        """
        Climb by Algorithm 1 from each of up to `CLIMBS_PER_TASK` orderings, and yield the finished climbs in lists.

        A list is yielded after a climb that ends above `min_score`, and about every millisecond if climbs have ended.
        `halted` is called as by `climb`; if it returns True, the present climb ends early, and is the last one.
        """
        from bnsearch.orderings.kernels import inobs as kernels

        run_climbs = getattr(kernels, f"run_{selection}_climbs")
        starts, _, _, _, _, counts, totals, random = self._climbs
        for i, order in enumerate(orders):
            starts[i] = self.index.repaired(order)
        counts[kernels.N_STARTS], counts[kernels.FINISHED], counts[kernels.TRIED] = len(orders), 0, -1
        random[0] = draw_seed(rng)
        done, is_halted = 0, False
        while done < len(orders) and not is_halted:
            run_climbs(self.index.arrays, self.arrays, self._climbs, TOLERANCE, min_score, EVALUATIONS_PER_CALL)
            finished = int(counts[kernels.FINISHED])
            if finished < len(orders) and halted(float(totals[kernels.SCORE])):
                is_halted = True
                finished += counts[kernels.TRIED] >= 0  # a climb that was interrupted ends here
            if finished > done:
                yield self._list_climbs(slice(done, finished))
            done = finished

    def _list_climbs(self, numbers: slice) -> list[Climb]:
        """Return the climbs with the given numbers."""
        orders, rows, initial, steps = (array[numbers].copy() for array in self._climbs[:4])
        ends = (ScoredOrdering(self.index, *end) for end in zip(orders, rows, strict=True))
        return list(map(Climb, initial.tolist(), ends, steps.tolist()))
