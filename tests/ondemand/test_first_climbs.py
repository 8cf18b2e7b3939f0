"""Greedy climbs to first networks: scores rise, networks are legal and worth their scores."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.dags.hillclimb import HillClimb
from bnsearch.networks import random_network
from bnsearch.ondemand.climbing import ClassStart, DAGStart
from bnsearch.ondemand.source import Source
from bnsearch.problem import Problem
from bnsearch.scores import make_score
from bnsearch.searching import search
from bnsearch.stop import Iterations
from knowledge_cases import random_knowledge
from reference_ondemand import problem_of

every_score = pytest.mark.parametrize("score", ["bic", "bdeu", "k2", "qnml"])
with_knowledge = pytest.mark.parametrize("known", [False, True], ids=["free", "known"])
MEMORY = 1 << 22


def problem_with(score: str, known: bool) -> Problem:
    """Return a problem of 15 variables."""
    data = random_network(15, 2.0, 3, 8).sample(300, seed=8)
    return problem_of(data, make_score(score), random_knowledge(data.names, 8) if known else None)


def check_climb(problem: Problem, steps) -> float:
    """Check every network of a climb; return the last score."""
    scores = []
    for score, make in steps:
        dag = make()
        assert score == pytest.approx(problem.scorer.network(dag), rel=1e-10)
        assert problem.constraints is None or problem.constraints.permits(dag)
        scores.append(score)
    assert scores == sorted(scores)
    return scores[-1]


@with_knowledge
@every_score
def test_climbs_over_dags(score, known):
    """From the required edges to a network that is better; again from half of it, with ties broken by a seed."""
    problem = problem_with(score, known)
    start = DAGStart(problem, Source(problem), problem.scorer, MEMORY)
    first = check_climb(problem, start.steps())
    assert first > problem.base_score
    for _, make in start.steps():
        last = make()
    again = [check_climb(problem, start.steps_again(last, np.random.default_rng(seed))) for seed in (1, 1, 2)]
    assert again[0] == again[1]
    assert min(again) > problem.base_score


def test_the_climb_is_hill_climbing():
    """Where nothing is known it ends where the method of that name ends after one climb, or above."""
    problem = problem_with("bic", False)
    usual = search(problem, HillClimb(restarts=0), stop=Iterations(10**6), seed=1, threads=1)
    assert check_climb(
        problem, DAGStart(problem, Source(problem), problem.scorer, MEMORY).steps()
    ) >= usual.score - 1e-6 * abs(usual.score)


@with_knowledge
@pytest.mark.parametrize("score", ["bic", "bdeu", "qnml"])
def test_climbs_over_classes(score, known):
    """For scores that equivalent networks share: legal networks with the scores that are told."""
    problem = problem_with(score, known)
    assert check_climb(problem, ClassStart(problem, lambda: False).steps()) > problem.base_score
