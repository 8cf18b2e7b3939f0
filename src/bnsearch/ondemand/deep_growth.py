"""Deep growth of the parent sets of a network: each variable once in the network, and once without regard to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.family_grower import FamilyGrower, find_descendants, list_children
from bnsearch.parent_sets.rows import Families
from bnsearch.runs.problem import Problem


class DeepGrowth:
    """
    Growth of the parent sets of a network, one variable at a time, through sets that score less (see `FamilyGrower`).

    `improve` keeps the network without cycles, so descendants of a variable do not become its parents. `grow_freely`
    ignores the network: its families are for a search over orderings, which decides what goes together.

    Parameters
    ----------
    problem : the data, the score and the knowledge
    """

    def __init__(self, problem: Problem) -> None:
        self._problem, self._grower = problem, FamilyGrower(problem)
        self._score: float | None = None  # of the last network
        self._n_left = 0  # number of variables of that network that are still to be grown
        self._next = 0  # the next one
        self._n_free = 0  # number of variables that were grown freely

    @property
    def evaluations(self) -> int:
        """Number of local scores computed so far."""
        return self._grower.evaluations

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
        children = list_children(found)
        while self._n_left and going():
            v = self._next
            grown, _ = self._grower.grow(v, found[v], ~find_descendants(v, children), going)
            if grown != found[v]:
                found[v], better = grown, True
                children = list_children(found)
            self._next = (v + 1) % self._problem.size
            self._n_left -= 1
        if not better:
            return None
        scores = np.array([self._grower.score(v, p) for v, p in enumerate(found)])
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
        children, found = [], []
        while not self.is_exhausted and going():
            v = self._n_free
            legal = np.arange(self._problem.size) != v
            grown = self._grower.grow(v, self._grower.required_of(v), legal, going)
            children.append(v)
            found.append(self._grower.exchange(v, *grown, legal, going)[0])
            self._n_free += 1
        return Families(
            np.array(children, dtype=np.int32),
            np.array([self._grower.score(v, own) for v, own in zip(children, found, strict=True)]),
            np.array([len(own) for own in found], dtype=np.int64),
            np.array([u for own in found for u in own], dtype=np.int32),
        )
