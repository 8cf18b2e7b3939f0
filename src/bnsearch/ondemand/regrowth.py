"""Regrowth of parents among random candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.family_grower import FamilyGrower, find_descendants, list_children
from bnsearch.runs.problem import Problem
from bnsearch.scores.score import improves

MIN_CANDIDATES = 16  # smallest expected number of candidates
SECONDS_PER_CELL = 5e-8  # estimated time of a try for each cell of the table
BYTES_PER_ROW = 150  # approximate scratch memory of the regrowth of one island


class Regrowth:
    """
    Random local search over the parent sets of a network, one variable at a time.

    A try draws a variable and some candidates that are not its descendants. Its parents grow anew among these
    candidates, through sets that score less (see `FamilyGrower`), and replace the present ones if they score more. The
    number of candidates is drawn between MIN_CANDIDATES and all, uniformly on a logarithmic scale: with few candidates
    a try is fast, with many it gains more. In half of the tries the present parents are candidates, too, and in half
    of them parents are exchanged after the growth. Which of these is best depends on the table.

    Parameters
    ----------
    problem : the data, the score and the knowledge
    rng : the random generator
    """

    def __init__(self, problem: Problem, rng: np.random.Generator) -> None:
        self._problem, self._rng, self._grower = problem, rng, FamilyGrower(problem)

    @property
    def evaluations(self) -> int:
        """Number of local scores computed so far."""
        return self._grower.evaluations

    def improve(
        self, parents: Sequence[Sequence[int]], scores: NDArray[np.float64], going: Callable[[], bool]
    ) -> tuple[DAG, NDArray[np.float64]] | None:
        """
        Return a better network and its local scores, or None; tries are made until `going()` returns False.

        parents, scores : the parents and the local score of each variable in the present network
        """
        found, scores, better = [tuple(own) for own in parents], scores.copy(), False
        children = list_children(found)
        while going():
            v = int(self._rng.integers(self._problem.size))
            grown, score = self._regrow(v, found[v], scores[v], ~find_descendants(v, children), going)
            if improves(score, scores[v]):
                for u in found[v]:
                    children[u].remove(v)
                for u in grown:
                    children[u].append(v)
                found[v], scores[v], better = grown, score, True
        return (DAG(self._problem.names, found), scores) if better else None

    def _regrow(
        self, v: int, present: tuple[int, ...], score: float, not_below: NDArray[np.bool_], going: Callable[[], bool]
    ) -> tuple[tuple[int, ...], float]:
        """
        Return other parents of a variable, and their score, from one try.

        present, score : the present parents, and their score
        not_below : bool[n], False for the variable and its descendants
        """
        rng, n = self._rng, self._problem.size
        share = exp(rng.uniform(log(min(1.0, MIN_CANDIDATES / n)), 0.0))
        legal = not_below & (rng.random(n) < share)
        if rng.random() < 0.5:
            legal[list(present)] = True
        grown = self._grower.grow(v, self._grower.required_of(v), legal, going, target=score)
        return self._grower.exchange(v, *grown, legal, going) if rng.random() < 0.5 else grown


def fits_in(memory: float, problem: Problem, n_islands: int) -> bool:
    """Return True if the regrowth of all islands needs at most some bytes."""
    return BYTES_PER_ROW * problem.needed_data.n_rows * n_islands <= memory


def estimate_try(problem: Problem) -> float:
    """Return the estimated time of a try in seconds."""
    return SECONDS_PER_CELL * problem.size * problem.needed_data.n_rows
