"""
INOBS: hill climbing over orderings in the insert neighbourhood, from many starts.

`InsertionClimber.climb` is Algorithm 1 of the paper. Its loop, lines 3 to 5, is a kernel, `climb_hybrid` in
`kernels/inobs.py`: draw a variable, find its best insertion, and make this insertion if it improves the score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch._tools.registry import require_choice
from bnsearch.orderings.restarts import climb_from_starts
from bnsearch.orderings.starts import Ordering, require_start
from bnsearch.orderings.state import OrderingState, ScoredOrdering, draw_seed
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

        def climb(climber: InsertionClimber, order: Ordering, rng: np.random.Generator) -> ScoredOrdering:
            return climber.climb(order, rng, run.halted, self.selection)

        climb_from_starts(problem, run, self.start, InsertionClimber, climb)


class InsertionClimber(OrderingState):
    """A hill climber in the insert neighbourhood; each thread needs its own."""

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
        from bnsearch.orderings.kernels.inobs import (
            BEST_VARIABLE,
            SCORE,
            STEPS,
            climb_best,
            climb_first,
            climb_hybrid,
        )

        climb = {"hybrid": climb_hybrid, "best": climb_best, "first": climb_first}[selection]
        self.initial = self.set_order(order)  # lines 1-2
        variables, random = np.array(order, dtype=np.int32), np.array([draw_seed(rng)])
        counts, totals = np.zeros(5, dtype=np.int64), np.zeros(2)
        counts[BEST_VARIABLE], totals[SCORE] = -1, self.initial
        climb_state = variables, counts, totals, random  # described in kernels/inobs.py; the kernel continues with them
        while not climb(self.index.arrays, self.arrays, *climb_state, TOLERANCE, EVALUATIONS_PER_CALL):  # lines 3-5
            if halted(float(totals[SCORE])):
                break
        self.steps = int(counts[STEPS])
        return self.snapshot()  # line 6
