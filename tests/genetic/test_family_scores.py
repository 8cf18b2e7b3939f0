"""Local scores of generations: correct, computed once, in batches between which the deadline is checked."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stacks import graph, random_problem

import bnsearch.genetic.family_scores as module
from bnsearch.genetic.family_index import FamilyIndex
from bnsearch.genetic.family_scores import FamilyScores, RunHalted, iterate_members
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.scores import AIC, BIC, K2, BDeu, LogLikelihood
from strategies import examples

PROBLEM = random_problem(4, 60, seed=1)
GRAPHS = np.stack([graph(4, (0, 1), (1, 2), (0, 2)), graph(4, (0, 1), (3, 2)), graph(4)])


@pytest.mark.parametrize("score", [BIC(), AIC(), BDeu(), K2(), LogLikelihood()], ids=lambda score: score.name)
def test_scores_and_penalties(score):
    """A family's score is the scorer's, and with the penalty added it is the log-likelihood."""
    problem = Problem(data=PROBLEM.data, score=score)
    local, penalty = FamilyScores(problem, Run(seed=0)).score_graphs(GRAPHS)
    likelihood = problem.scorer.fork(LogLikelihood())
    for g, matrix in enumerate(GRAPHS):
        for v in range(4):
            parents = np.flatnonzero(matrix[v]).tolist()
            assert local[g, v] == problem.scorer.family(v, parents)
            assert local[g, v] + penalty[g, v] == pytest.approx(likelihood.family(v, parents), abs=1e-9)


def test_bic_penalty_by_hand():
    """The penalty is (r - 1) q log(60) / 2, with q the product of the parents' arities."""
    arities = PROBLEM.needed_data.arities
    _, penalty = FamilyScores(PROBLEM, Run(seed=0)).score_graphs(GRAPHS[:1])
    q = int(arities[0]) * int(arities[1])
    assert penalty[0, 2] == pytest.approx((arities[2] - 1) * q * log(60) / 2)
    assert penalty[0, 3] == pytest.approx((arities[3] - 1) * log(60) / 2)


def test_each_family_is_asked_for_once():
    """Three graphs have 12 families, of which 7 differ: 0, 1, 1|0, 2, 2|01, 2|3, 3; a second batch asks for none."""
    problem, run = random_problem(4, 60, seed=1), Run(seed=0)
    families = FamilyScores(problem, run)
    families.score_graphs(GRAPHS)
    assert problem.scorer.asked == 7
    families.score_graphs(GRAPHS)
    assert problem.scorer.asked == 7
    assert run.progress.evaluations == 24
    assert run.computed == problem.scorer.computed


def test_the_cache_is_emptied_when_it_is_full(monkeypatch):
    """Beyond the maximum number of families the cache is emptied; the scores do not change."""
    monkeypatch.setattr(module, "MAX_FAMILIES", 3)
    families = FamilyScores(PROBLEM, Run(seed=0))
    first, _ = families.score_graphs(GRAPHS)
    again, _ = families.score_graphs(GRAPHS[::-1])
    assert np.array_equal(first, again[::-1])


def test_many_families_fill_a_growing_memory():
    """Of 3,000 families more than 1,024 differ; two threads share them, and all have the scorer's scores."""
    problem = random_problem(13, 30, seed=2)
    rng = np.random.default_rng(0)
    parents = rng.random((3000, 13)) < 0.15
    children = rng.integers(13, size=3000)
    parents[np.arange(3000), children] = False
    scores = FamilyScores(problem, Run(seed=0, threads=2)).score_families(children, parents)
    expected = problem.scorer.families(children.tolist(), [*iterate_members(parents)])
    assert np.array_equal(scores, expected)


def test_time_is_looked_at_between_batches():
    """A run whose time is up breaks off; what is known is still given."""
    families = FamilyScores(PROBLEM, Run(Seconds(0), seed=0))
    with pytest.raises(RunHalted):
        families.score_graphs(GRAPHS)


def test_families_are_numbered_as_they_come():
    """Child and parents both count, also past 8 variables; a known family keeps its number."""
    parents = np.zeros((4, 9), dtype=bool)
    parents[1, 8] = parents[2, 0] = True
    numbering = FamilyIndex(9)
    numbers, new = numbering.number_families(np.array([1, 1, 1, 0]), parents)
    assert (numbers.tolist(), new.tolist()) == ([0, 1, 2, 3], [0, 1, 2, 3])
    numbers, new = numbering.number_families(np.array([1, 2, 2, 0]), parents)
    assert (numbers.tolist(), new.tolist()) == ([0, 4, 5, 3], [1, 2])
    assert len(numbering) == 6
    assert [*iterate_members(parents)] == [[], [8], [0], []]


@examples(10)
@given(st.integers(0, 1000))
def test_numbers_are_those_of_a_dictionary(seed):
    """Batch after batch, while the table grows, families have the numbers that a dictionary gives them."""
    rng = np.random.default_rng(seed)
    numbering, expected = FamilyIndex(12), {}
    for size in rng.integers(3000, size=4).tolist():
        children, parents = rng.integers(12, size=size), rng.random((size, 12)) < 0.4
        numbers, new = numbering.number_families(children, parents)
        first = [i for i in range(size) if expected.setdefault((children[i], *parents[i]), len(expected)) == numbers[i]]
        assert len(first) == size
        assert len(numbering) == len(expected)
        assert len({*numbers[new].tolist()}) == len(new)


def test_the_best_is_offered():
    """Of three graphs the best one reaches the run, with its score."""
    run = Run(seed=0)
    scores = FamilyScores(PROBLEM, run).score_and_offer(GRAPHS)
    assert run.progress.score == pytest.approx(scores.max())
    assert PROBLEM.scorer.network(run.best()) == pytest.approx(scores.max())
