"""Greedy climbs of islands: they end where the methods of that name end, and networks are legal."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from bnsearch.dags.hillclimb import Tabu
from bnsearch.equivalence.ges import GES
from bnsearch.networks import random_network
from bnsearch.ondemand.climbing import ClassClimb, Climbs
from bnsearch.ondemand.source import Source
from bnsearch.problem import Problem
from bnsearch.run import Run
from bnsearch.scores import make_score
from bnsearch.searching import search
from bnsearch.stop import Iterations, Seconds
from clocks import Clock
from knowledge_cases import random_knowledge
from reference_ondemand import problem_of

every_score = pytest.mark.parametrize("score", ["bic", "bdeu", "k2", "qnml"])
with_knowledge = pytest.mark.parametrize("known", [False, True], ids=["free", "known"])
MEMORY = 1 << 22


def problem_with(score: str, known: bool) -> Problem:
    """Return a problem of 15 variables."""
    data = random_network(15, 2.0, 3, 8).sample(300, seed=8)
    return problem_of(data, make_score(score), random_knowledge(data.names, 8) if known else None)


def check_network(problem: Problem, score: float, dag) -> None:
    """Check that a network is legal and has the score that is told."""
    assert score == pytest.approx(problem.scorer.network(dag), rel=1e-10)
    assert problem.constraints is None or problem.constraints.permits(dag)


@with_knowledge
@every_score
def test_climbs_over_dags(score, known):
    """From the required edges to where tabu search ends; again from half of the edges, as the seed says."""
    problem = problem_with(score, known)
    run = Run(Iterations(10**6), seed=1)
    climbs = Climbs(problem, MEMORY)
    climbs.start_from(Source(problem))
    first, ended = climbs.climb(problem.base.parents, None, run, inf)
    assert ended
    check_network(problem, first.score, first.dag(problem.names))
    usual = search(problem, Tabu(restarts=0), stop=Iterations(10**6), seed=1, threads=1)
    assert first.score == pytest.approx(usual.score, rel=1e-12)
    assert run.progress.score == first.score
    again = [climbs.again(first.parents, np.random.default_rng(seed), run) for seed in (1, 1, 2)]
    for found in again:
        check_network(problem, found.score, found.dag(problem.names))
    assert again[0].score == again[1].score
    assert run.progress.score >= max(found.score for found in again) - 1e-6


def test_a_climb_that_has_no_time():
    """It comes back with the network so far, and goes on from there to the same end."""
    problem = problem_with("bic", False)
    clock = Clock()
    run = Run(Seconds(100), seed=1, clock=clock)
    climbs = Climbs(problem, MEMORY)
    climbs.start_from(Source(problem))
    found, ended = climbs.climb(problem.base.parents, None, run, -1.0)
    assert not ended
    while not ended:
        before = found.score
        found, ended = climbs.climb(found.parents, None, run, inf)
        assert found.score >= before
    check_network(problem, found.score, found.dag(problem.names))


@with_knowledge
@pytest.mark.parametrize("score", ["bic", "bdeu", "qnml"])
def test_climbs_over_classes(score, known):
    """In pieces or at once: where the method of that name ends, networks offered on the way."""
    problem = problem_with(score, known)
    usual = search(problem, GES(), stop=Iterations(10**6), seed=1, threads=1)
    run = Run(Iterations(10**6), seed=1)
    climb = ClassClimb(problem, run)
    climb.go_on(inf)
    assert climb.ended
    check_network(problem, usual.score, climb.found())
    assert run.progress.score == pytest.approx(usual.score, rel=1e-12)


def test_a_climb_over_classes_in_pieces():
    """A piece of no time takes no step; the next goes on."""
    problem = problem_with("bic", False)
    clock = Clock()
    run = Run(Seconds(100), seed=1, clock=clock)
    climb = ClassClimb(problem, run)
    climb.go_on(0.0)
    assert not climb.ended
    assert climb.found() == problem.base
    climb.go_on(inf)
    assert climb.ended
    assert problem.scorer.network(climb.found()) > problem.base_score
