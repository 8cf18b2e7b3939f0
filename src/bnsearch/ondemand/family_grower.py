"""Growth of the parents of one variable through sets that score less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.runs.problem import Problem
from bnsearch.scores.bounds import bound_of, max_useful_parents
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves


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
        self._problem, self._extender = problem, Extender(data, score)
        self._bound = bound_of(data, score)
        self._limits = np.full(problem.size, max_useful_parents(data, score, None))
        if problem.constraints is not None:
            self._limits = np.minimum(self._limits, problem.constraints.max_parents)

    @property
    def evaluations(self) -> int:
        """Number of local scores computed so far."""
        return self._extender.evaluations

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
        extender = self._extender
        best, best_score = parents, extender.family(v, parents)
        grown = list(parents)
        while len(grown) < self._limits[v] and going():
            if not improves(extender.ceiling(v, grown, self._bound), max(best_score, target)):
                break  # no larger set can beat the best one
            added = self._find_best_addition(v, grown, legal)
            if added is None:
                break
            parent, score = added
            grown.append(parent)
            if improves(score, best_score):
                best, best_score = tuple(grown), score
        return (best, best_score) if best == parents else self._prune(v, best, best_score)

    def _find_best_addition(self, v: int, parents: Sequence[int], legal: NDArray[np.bool_]) -> tuple[int, float] | None:
        """Return the parent whose addition gives the highest score, and this score; None if there is none."""
        known = self._problem.constraints
        is_free = legal.copy() if known is None else known.allowed[v] & legal
        is_free[list(parents)] = False
        candidates = np.flatnonzero(is_free)
        if not len(candidates):
            return None
        scores = self._extender.extend(v, parents, candidates)
        scores[np.isnan(scores)] = -inf  # too many cells
        chosen = int(np.argmax(scores))
        return (int(candidates[chosen]), float(scores[chosen])) if scores[chosen] > -inf else None

    def _prune(self, v: int, parents: tuple[int, ...], score: float) -> tuple[tuple[int, ...], float]:
        """Return the parents without those whose removal does not decrease the score, and their score."""
        required = self.required_of(v)
        for u in parents:
            rest = tuple(p for p in parents if p != u)
            if u not in required and not improves(score, value := self._extender.family(v, rest)):
                parents, score = rest, value
        return tuple(sorted(parents)), score

    def exchange(
        self, v: int, parents: tuple[int, ...], score: float, legal: NDArray[np.bool_], going: Callable[[], bool]
    ) -> tuple[tuple[int, ...], float]:
        """
        Return the parents after exchanges of one parent that increase the score, and their score.

        After each exchange, parents of no use are removed.
        """
        required = self.required_of(v)
        waiting = list(parents)
        while waiting and going():
            u = waiting.pop(0)
            if u in required:
                continue
            rest = tuple(p for p in parents if p != u)
            added = self._find_best_addition(v, rest, legal)
            if added is not None and improves(added[1], score):
                parents, score = self._prune(v, (*rest, added[0]), added[1])
                waiting = list(parents)
        return parents, score


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
