"""Mutual information between pairs of variables, and the pairs that it relates."""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.families import BATCH, Halted
from bnsearch.genetic.graphs import Generator, Reals
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.loglik import LogLikelihood


def mutual_information(problem: Problem, run: Run) -> Reals:
    """
    Return the matrix of the mutual information of all pairs, in nats; zero on the diagonal (Eq. 3).

    Breaks off with `Halted` when the run is to stop.
    """
    n, rows = problem.size, problem.needed_data.n_rows
    scorer = problem.scorer.fork(LogLikelihood())
    values = scorer.set_values([(), *((v,) for v in range(n))])
    whole, single = values[0], values[1:]
    information = np.zeros((n, n))
    pairs = combinations(range(n), 2)
    while some := list(islice(pairs, BATCH)):
        if run.halted():
            raise Halted
        x, y = np.array(some).T
        apart = single[x] + single[y] - whole
        information[x, y] = information[y, x] = np.maximum(0.0, scorer.set_values(some) - apart) / rows
    return information


def related(information: Reals, alpha: Reals) -> NDArray[np.bool_]:
    """
    Return, for each alpha, the pairs whose information exceeds alpha times the most that one of them has (Eq. 4).

    So nothing is related where alpha is 1, nor, whatever alpha is, a pair that shares no information.

    information : [variables, variables]; alpha : [number]; returned : bool[number, variables, variables]
    """
    most = information.max(axis=1)
    least = np.minimum(most[:, None], most[None, :])  # either of the two conditions suffices
    enough: NDArray[np.bool_] = information > alpha[:, None, None] * least
    return enough


def strongest_partners(information: Reals, rng: Generator) -> NDArray[np.bool_]:
    """
    Return the undirected forest that links each variable to one with which it shares most information.

    Ties are broken at random but alike for both ends of a pair; so no cycle can arise.
    """
    n = len(information)
    x, y = np.triu_indices(n, 1)
    rank = np.full((n, n), -1)
    rank[x, y] = rank[y, x] = np.lexsort((rng.random(len(x)), information[x, y])).argsort()
    forest = np.zeros((n, n), dtype=bool)
    if n > 1:
        forest[np.arange(n), rank.argmax(axis=1)] = True
    return forest | forest.T
