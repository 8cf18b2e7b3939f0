"""Mutual information between pairs of variables, and the pairs that it relates (Dai et al. 2020, Eqs. 3 and 4)."""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.family_scores import BATCH, RunHalted
from bnsearch.genetic.graph_stacks import Floats, Generator
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.loglik import LogLikelihood


def compute_mutual_information(problem: Problem, run: Run) -> Floats:
    """
    Return the mutual information of all pairs in nats, float64[n, n]; zero on the diagonal (Eq. 3).

    Raises `RunHalted` if the run is halted.
    """
    n, rows = problem.size, problem.needed_data.n_rows
    scorer = problem.scorer.fork(LogLikelihood())
    values = scorer.set_values([(), *((v,) for v in range(n))])
    whole, single = values[0], values[1:]
    information = np.zeros((n, n))
    pairs = combinations(range(n), 2)
    while batch := list(islice(pairs, BATCH)):
        if run.halted():
            raise RunHalted
        x, y = np.array(batch).T
        independent = single[x] + single[y] - whole
        information[x, y] = information[y, x] = np.maximum(0.0, scorer.set_values(batch) - independent) / rows
    return information


def find_related_pairs(information: Floats, alpha: Floats) -> NDArray[np.bool_]:
    """
    Return, for each alpha, the pairs whose information exceeds alpha times the maximum of either variable (Eq. 4).

    With alpha = 1 no pair is related. A pair without information is never related.

    information : [variable, variable]; alpha : [individual]; returned : bool[individual, variable, variable]
    """
    highest = information.max(axis=1)
    threshold = np.minimum(highest[:, None], highest[None, :])  # exceeding the threshold of one variable suffices
    related: NDArray[np.bool_] = information > alpha[:, None, None] * threshold
    return related


def link_strongest_partners(information: Floats, rng: Generator) -> NDArray[np.bool_]:
    """
    Return the undirected forest that links each variable to the one with which it shares most information.

    A random order of the pairs breaks ties. Both ends of a pair use the same order, so the links close no cycle.
    """
    n = len(information)
    x, y = np.triu_indices(n, 1)
    rank = np.full((n, n), -1)
    rank[x, y] = rank[y, x] = np.lexsort((rng.random(len(x)), information[x, y])).argsort()
    forest = np.zeros((n, n), dtype=bool)
    if n > 1:
        forest[np.arange(n), rank.argmax(axis=1)] = True
    return forest | forest.T
