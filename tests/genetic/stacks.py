"""Small populations written by hand, and checks that every population must pass."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import bnsearch.genetic.bncpso
import bnsearch.genetic.miiga
import bnsearch.genetic.rank_based
from bnsearch.data import Dataset
from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.graph_stacks import draw_orders
from bnsearch.genetic.individuals import Individuals
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.bic import BIC


def graph(n: int, *edges: tuple[int, int]) -> NDArray[np.bool_]:
    """Return a matrix [child, parent] with these edges (parent, child)."""
    matrix = np.zeros((n, n), dtype=bool)
    for parent, child in edges:
        matrix[child, parent] = True
    return matrix


def edges_of(matrix: NDArray[np.bool_]) -> set[tuple[int, int]]:
    """Return the edges (parent, child) of a matrix."""
    return {(int(parent), int(child)) for child, parent in zip(*np.nonzero(matrix), strict=True)}


def is_dag(matrix: NDArray[np.bool_]) -> bool:
    """Return True if a graph has no cycle; the class refuses a graph that has one."""
    return DAG.from_adjacency([str(v) for v in range(len(matrix))], matrix.T) is not None


def follows(matrix: NDArray[np.bool_], order: NDArray[np.int64]) -> bool:
    """Return True if an ordering is a permutation with parents before their children."""
    place = {int(v): i for i, v in enumerate(order)}
    return sorted(place) == list(range(len(matrix))) and all(place[p] < place[c] for p, c in edges_of(matrix))


def free(n: int, most: int) -> SearchSpace:
    """Return the space of all graphs in which no variable has more than `most` parents."""
    return SearchSpace(np.full(n, most))


def random_problem(n: int, rows: int, seed: int) -> Problem:
    """Return a problem with columns that depend on each other: each is a noisy function of an earlier one."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(3, size=rows)]
    for v in range(1, n):
        copied = columns[rng.integers(v)] % (2 + v % 2)
        columns.append(np.where(rng.random(rows) < 0.7, copied, rng.integers(2, size=rows)))
    return Problem(data=Dataset.from_codes(np.stack(columns, axis=1)), score=BIC())


def random_individuals(problem: Problem, number: int, seed: int) -> tuple[Individuals, FamilyScores]:
    """Return random individuals of a problem, and the scores of their families."""
    rng = np.random.default_rng(seed)
    families = FamilyScores(problem, Run(seed=0))
    orders = draw_orders(number, problem.size, rng)
    return Individuals.scored(
        orders, free(problem.size, 3).draw_graphs(orders, rng), rng.random(number), families
    ), families


def replace_family_scores(patch: pytest.MonkeyPatch, kind: type[FamilyScores]) -> None:
    """Let all methods of the package score their graphs by another class."""
    for module in (bnsearch.genetic.bncpso, bnsearch.genetic.miiga, bnsearch.genetic.rank_based):
        patch.setattr(module, "FamilyScores", kind)
