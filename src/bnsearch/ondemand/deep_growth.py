"""Growth of parent sets through sets that score less."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.parent_sets.rows import Families
from bnsearch.runs.problem import Problem
from bnsearch.scores.bounds import bound_of, max_useful_parents
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves


class DeepGrowth:
    """
    Growth of the parent sets of a network, one variable at a time, through sets that score less.

    Other searches add a parent only if the score increases. Under BDeu and K2 this misses some large sets: a set whose
    cells have few rows each may score more than the empty set although all sets between them score less. Here the best
    next parent is added even if the score decreases, until no larger set can beat the best set so far. Then parents
    are removed if that does not decrease the score.

    `improve` keeps the network without cycles, so descendants of a variable do not become its parents. `grow_freely`
    ignores the network: its families are for a search over orderings, which decides what goes together.

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
        self._score: float | None = None  # of the last network
        self._n_left = 0  # number of variables of that network that are still to be grown
        self._next = 0  # the next one
        self._n_free = 0  # number of variables that were grown freely

    @property
    def evaluations(self) -> int:
        """Number of local scores computed so far."""
        return self._extender.evaluations

    def is_done(self, score: float) -> bool:
        """Return True if all variables of the network with this score were grown."""
        return score == self._score and not self._n_left

    def improve(
        self, score: float, parents: Sequence[Sequence[int]], going: Callable[[], bool]
    ) -> tuple[DAG, NDArray[np.float64]] | None:
        """
        Return a better network and its local scores, or None.

        The variables are grown one after the other until `going()` returns False, which also ends the growth of the
        present variable. The next call for a network with the same score continues with the next variable. The growth
        of this network ends when each variable was grown once.
        """
        if score != self._score:
            self._score, self._n_left = score, self._problem.size
        found, better = [tuple(p) for p in parents], False
        children = _list_children(found)
        while self._n_left and going():
            v = self._next
            grown, _ = self._grow(v, found[v], ~_find_descendants(v, children), going)
            if grown != found[v]:
                found[v], better = grown, True
                children = _list_children(found)
            self._next = (v + 1) % self._problem.size
            self._n_left -= 1
        if not better:
            return None
        scores = np.array([self._extender.family(v, p) for v, p in enumerate(found)])
        return DAG(self._problem.names, found), scores

    @property
    def is_exhausted(self) -> bool:
        """True if all variables were grown freely."""
        return self._n_free == self._problem.size

    def grow_freely(self, going: Callable[[], bool]) -> Families:
        """
        Return one family of each further variable, grown from its required parents among all legal parents.

        After the growth, parents are exchanged as long as the score increases. Variables are grown until `going()`
        returns False; the next call continues with the next variable.
        """
        known = self._problem.constraints
        children, found = [], []
        while not self.is_exhausted and going():
            v = self._n_free
            legal = np.arange(self._problem.size) != v
            grown = self._grow(v, () if known is None else tuple(known.required_parents[v]), legal, going)
            children.append(v)
            found.append(self._exchange(v, *grown, legal, going))
            self._n_free += 1
        return Families(
            np.array(children, dtype=np.int32),
            np.array([self._extender.family(v, own) for v, own in zip(children, found, strict=True)]),
            np.array([len(own) for own in found], dtype=np.int64),
            np.array([u for own in found for u in own], dtype=np.int32),
        )

    def _grow(
        self, v: int, parents: tuple[int, ...], not_below: NDArray[np.bool_], going: Callable[[], bool]
    ) -> tuple[tuple[int, ...], float]:
        """
        Return the best parent set on the way from a variable's parents to larger sets, without useless members.

        Returns the set and its score.

        not_below : bool[n], False for the variable and its descendants, which may not become parents
        """
        extender = self._extender
        best, best_score = parents, extender.family(v, parents)
        grown = list(parents)
        while len(grown) < self._limits[v] and going():
            if not improves(extender.ceiling(v, grown, self._bound), best_score):
                break  # no larger set can beat the best one
            added = self._find_best_addition(v, grown, not_below)
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
        scores = self._extender.extend(v, parents, candidates)
        if np.isnan(scores).all():
            return None
        chosen = int(np.nanargmax(scores))
        return int(candidates[chosen]), float(scores[chosen])

    def _prune(self, v: int, parents: tuple[int, ...], score: float) -> tuple[tuple[int, ...], float]:
        """Return the parents without those whose removal does not decrease the score, and their score."""
        known = self._problem.constraints
        required = () if known is None else known.required_parents[v]
        for u in parents:
            rest = tuple(p for p in parents if p != u)
            if u not in required and not improves(score, value := self._extender.family(v, rest)):
                parents, score = rest, value
        return tuple(sorted(parents)), score

    def _exchange(
        self, v: int, parents: tuple[int, ...], score: float, legal: NDArray[np.bool_], going: Callable[[], bool]
    ) -> tuple[int, ...]:
        """Return the parents after exchanges of one parent that increase the score, with those of no use removed."""
        known = self._problem.constraints
        required = () if known is None else known.required_parents[v]
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
        return parents


def _list_children(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the children of each variable."""
    children: list[list[int]] = [[] for _ in parents]
    for child, own in enumerate(parents):
        for parent in own:
            children[parent].append(child)
    return children


def _find_descendants(v: int, children: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
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
