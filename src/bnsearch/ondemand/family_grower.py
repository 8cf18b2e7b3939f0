"""Growth of the parents of one variable through sets that score less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.kernels.tuples import KernelTuple
from bnsearch.runs.problem import Problem
from bnsearch.scores.bounds import bound_of, max_useful_parents
from bnsearch.scores.extender import Extender

MAX_CELLS = 4_000_000  # cells of the table that a kernel call reads before it returns: about 20 milliseconds


class FamilyGrower:
    """
    Grows the parents of one variable; for one thread at a time.

    Other searches add a parent only if the score increases. Under BDeu and K2 this misses some large sets: a set whose
    cells have few rows each may score more than the empty set although all sets between them score less. Here the best
    next parent is added even if the score decreases, until no larger set can beat the best set so far. Then parents
    are removed if that does not decrease the score.

    Parameters
    ----------
    problem : the data, the score and the knowledge
    """

    def __init__(self, problem: Problem) -> None:
        data, score = problem.needed_data, problem.needed_score
        self._problem, self._extender, n = problem, Extender(data, score), problem.size
        self._bound = bound_of(data, score)
        self._max_parents = np.full(n, max_useful_parents(data, score, None))
        if problem.constraints is not None:
            self._max_parents = np.minimum(self._max_parents, problem.constraints.max_parents)
        self._max_evaluations = max(1, MAX_CELLS // max(1, data.n_rows))
        layout = self._extender.layout
        self._legal, self._required = np.zeros((2, n), dtype=bool)
        self._limit, self._terms_of_bound = np.zeros(1, dtype=np.int64), np.zeros(4)
        self._rules = KernelTuple((self._legal, self._required, layout.order, self._limit, self._terms_of_bound))
        self._grown, self._best = np.zeros((2, n + 1), dtype=np.int64)
        self._counts, self._values = np.zeros(4, dtype=np.int64), np.zeros(1)
        scratch = np.empty(n, dtype=np.int64), np.empty(n)
        self._state = KernelTuple((self._grown, self._best, self._counts, self._values, *scratch))
        self._families: dict[int, KernelTuple] = {}  # by variable

    @property
    def evaluations(self) -> int:
        """Number of local scores computed so far."""
        from bnsearch.ondemand.kernels_family_grower import EVALUATIONS

        return self._extender.evaluations + int(self._counts[EVALUATIONS])

    def required_of(self, v: int) -> tuple[int, ...]:
        """Return the required parents of a variable."""
        known = self._problem.constraints
        return () if known is None else tuple(known.required_parents[v])

    def score(self, v: int, parents: Sequence[int]) -> float:
        """Return the local score of a variable with some parents."""
        return self._extender.family(v, parents)

    def grow(
        self,
        v: int,
        parents: tuple[int, ...],
        legal: NDArray[np.bool_],
        going: Callable[[], bool],
        target: float = -inf,
    ) -> tuple[tuple[int, ...], float]:
        """
        Return the best parent set on the way from a variable's parents to larger sets, without useless members.

        Returns the set and its score.

        legal : bool[n], False for the variable and all others that may not become its parents
        target : the growth ends early if no larger set can have a higher score than this
        """
        from bnsearch.ondemand.kernels_family_grower import BEST, end_growth, grow_further, start_growth

        family = self._prepare(v, parents, -inf, legal)
        start_growth(family, self._state)
        while going():
            if grow_further(family, self._rules, self._state, target, self._max_evaluations):
                break
        if self._counts[BEST] == len(parents):
            return parents, float(self._values[0])
        end_growth(family, self._rules, self._state)
        return self._get_best()

    def exchange(
        self, v: int, parents: tuple[int, ...], score: float, legal: NDArray[np.bool_], going: Callable[[], bool]
    ) -> tuple[tuple[int, ...], float]:
        """
        Return the parents after exchanges of one parent that increase the score, and their score.

        After each exchange, parents of no use are removed.
        """
        from bnsearch.ondemand.kernels_family_grower import exchange_further

        family = self._prepare(v, parents, score, legal)
        while going():
            if exchange_further(family, self._rules, self._state, self._max_evaluations):
                break
        return self._get_best()

    def load_kernels(self) -> None:
        """Compile or load the kernels."""
        from bnsearch.ondemand.kernels_family_grower import end_growth

        nothing = np.zeros(self._problem.size, dtype=bool)
        required = self.required_of(0)
        self.exchange(0, *self.grow(0, required, nothing, lambda: True), nothing, lambda: True)
        end_growth(self._families[0], self._rules, self._state)

    def _prepare(self, v: int, parents: tuple[int, ...], score: float, legal: NDArray[np.bool_]) -> KernelTuple:
        """Set the rules for a variable, and its parents as the best set so far; return its arguments for kernels."""
        from bnsearch.ondemand.kernels_family_grower import BEST, GROWN, NEXT

        extender, known = self._extender, self._problem.constraints
        place, order = extender.layout.place, extender.layout.order
        self._legal[:] = (legal if known is None else known.allowed[v] & legal)[order]
        self._required[:] = False
        self._required[place[list(self.required_of(v))]] = True
        self._limit[0] = self._max_parents[v]
        self._terms_of_bound[:] = (*self._bound, extender.data.arities[v])
        self._grown[: len(parents)] = self._best[: len(parents)] = place[list(parents)]
        self._counts[GROWN], self._counts[BEST], self._counts[NEXT] = len(parents), len(parents), 0
        self._values[0] = score
        if v not in self._families:
            self._families[v] = KernelTuple((extender.columns, place[v], *extender.terms(v), extender.scratch))
        return self._families[v]

    def _get_best(self) -> tuple[tuple[int, ...], float]:
        """Return the best set and its score."""
        from bnsearch.ondemand.kernels_family_grower import BEST

        best = self._extender.layout.order[self._best[: self._counts[BEST]]]
        return tuple(best.tolist()), float(self._values[0])


def list_children(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the children of each variable."""
    children: list[list[int]] = [[] for _ in parents]
    for child, own in enumerate(parents):
        for parent in own:
            children[parent].append(child)
    return children


def find_descendants(v: int, children: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Return bool[n], True for a variable and all of its descendants."""
    below = np.zeros(len(children), dtype=bool)
    below[v] = True
    waiting = [v]
    while waiting:
        for child in children[waiting.pop()]:
            if not below[child]:
                below[child] = True
                waiting.append(child)
    return below
