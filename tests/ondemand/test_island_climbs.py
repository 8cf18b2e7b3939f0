"""Climbs of islands, over DAGs and over equivalence classes: where they end, and that their networks are legal."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from bnsearch.dags import climber
from bnsearch.dags.climber import Climber
from bnsearch.dags.hillclimb import Tabu
from bnsearch.equivalence.ges import GES
from bnsearch.learning.search import search
from bnsearch.networks import random_network
from bnsearch.ondemand.class_climb import ClassClimb
from bnsearch.ondemand.dag_search import DagSearch, make_pricer
from bnsearch.ondemand.source import Source
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores import make_score
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
    """Check that a network is legal and has the given score."""
    assert score == pytest.approx(problem.scorer.network(dag), rel=1e-10)
    assert problem.constraints is None or problem.constraints.permits(dag)


@with_knowledge
@every_score
def test_climbs_over_dags(score, known):
    """From the required edges, on from the network found, and again from half of its edges; the seed decides."""
    problem = problem_with(score, known)
    run = Run(Iterations(10**6), seed=1)
    dag_search = DagSearch(problem, Source(problem), make_pricer(problem), MEMORY)
    assert not dag_search.is_first_climb_running
    dag_search.start()
    assert dag_search.is_first_climb_running
    first, ended = dag_search.continue_first_climb(run, inf)
    assert ended
    assert not dag_search.is_first_climb_running
    check_network(problem, first.score, first.dag(problem.names))
    usual = search(problem, Tabu(restarts=0), stop=Iterations(10**6), seed=1, threads=1)
    assert first.score > problem.base_score + 0.9 * (usual.score - problem.base_score)
    assert run.progress.score == pytest.approx(first.score, rel=1e-12)
    further, ended = dag_search.climb(first.parents, None, run, inf)
    assert ended
    assert further.score >= first.score
    again = [dag_search.climb_from_part(first.parents, np.random.default_rng(seed), run) for seed in (1, 1, 2)]
    for found in again:
        check_network(problem, found.score, found.dag(problem.names))
    assert again[0].score == again[1].score
    assert run.progress.score >= max(found.score for found in again) - 1e-6


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (100.0, 10.0),  # 99 s are left after the first row; 2 s later, 3 of 15 rows are computed: 2 / (3 / 15) > 9.9
        (200.0, 0.0),  # 199 s are left; 4 s later, 5 of 15 rows are computed: 4 / (5 / 15) < 19.9
    ],
)
def test_slow_tabu_search_gives_up(monkeypatch, seconds, expected):
    """
    Each row of gains takes a second, and 50 s have passed before.

    If all rows take too long, the first climb ends with the lazy climb.
    """
    problem, clock = problem_with("k2", False), Clock()
    run = Run(Seconds(50.0 + seconds), seed=1, clock=clock)
    clock.now += 50.0
    started, usual = clock.now, Climber.climb

    def climb_slowly(climber):
        for _ in usual(climber):
            clock.now += 1.0 if climber.score == -inf else 0.0
            yield

    monkeypatch.setattr(Climber, "climb", climb_slowly)
    monkeypatch.setattr(climber, "count_scores_per_call", lambda data: 14)
    dag_search = DagSearch(problem, Source(problem), make_pricer(problem), MEMORY)
    dag_search.start()
    found, ended = dag_search.continue_first_climb(run, inf)
    assert ended
    assert not dag_search.is_first_climb_running
    check_network(problem, found.score, found.dag(problem.names))
    assert dag_search.is_tabu_slow == bool(expected)
    if expected:
        assert dag_search.gain_seconds == pytest.approx(expected)
        assert clock.now - started < 6.0
    else:
        assert clock.now - started >= 14.0
    assert dag_search.climb_from_part(found.parents, np.random.default_rng(1), run) is not None


@pytest.mark.parametrize(("elapsed", "is_cut"), [(30.0, True), (60.0, False)])
def test_tabu_search_takes_at_most_as_long_as_everything_before(monkeypatch, elapsed, is_cut):
    """Each of 50 calls takes a second, so a limit of 30 s cuts tabu search, and one of 60 s does not."""
    problem, clock = problem_with("k2", False), Clock()
    run = Run(Seconds(10_000.0), seed=1, clock=clock)
    clock.now += elapsed
    started, usual = clock.now, Climber.climb

    def climb_slowly(climber):
        for _ in usual(climber):
            pass
        for _ in range(50):
            clock.now += 1.0
            yield

    monkeypatch.setattr(Climber, "climb", climb_slowly)
    dag_search = DagSearch(problem, Source(problem), make_pricer(problem), MEMORY)
    dag_search.start()
    found, ended = dag_search.continue_first_climb(run, inf)
    assert ended
    assert not dag_search.is_tabu_slow
    check_network(problem, found.score, found.dag(problem.names))
    # Tabu search begins when its first call has ended, after 31 s, and ends when 62 s are exceeded.
    assert clock.now - started == pytest.approx(33.0 if is_cut else 50.0)


def test_a_first_climb_in_pieces():
    """Pieces without time return the network so far; the last one is that of a climb in one piece."""
    problem = problem_with("bic", False)
    run = Run(Seconds(100), seed=1, clock=Clock())
    whole, pieces = (DagSearch(problem, Source(problem), make_pricer(problem), MEMORY) for _ in range(2))
    whole.start()
    pieces.start()
    expected, _ = whole.continue_first_climb(run, inf)
    score, ended, number = -inf, False, 0
    while not ended:
        found, ended = pieces.continue_first_climb(run, -1.0)
        number += 1
        assert found is None or found.score >= score
        score = score if found is None else found.score
    assert number > 10
    assert found.parents == expected.parents


@with_knowledge
@pytest.mark.parametrize("score", ["bic", "bdeu", "qnml"])
def test_climbs_over_classes(score, known):
    """The climb ends where GES ends, and offers its networks."""
    problem = problem_with(score, known)
    usual = search(problem, GES(), stop=Iterations(10**6), seed=1, threads=1)
    run = Run(Iterations(10**6), seed=1)
    climb = ClassClimb(problem, run)
    climb.advance(inf)
    assert climb.ended
    check_network(problem, usual.score, climb.best.dag(problem.names))
    assert climb.best.scores.sum() == pytest.approx(usual.score, rel=1e-12)
    assert run.progress.score == pytest.approx(usual.score, rel=1e-12)


@pytest.mark.parametrize(
    ("n_edges", "elapsed", "n_steps"),
    [(21, 20.0, 2), (20, 20.0, 14), (1, 20.0, 14), (16, 6.0, 2), (15, 6.0, 11), (5, 1.0, 1), (1, 1.0, 2)],
)
def test_a_climb_over_classes_gives_up(n_edges, elapsed, n_steps):
    """
    Of 100 s, the climb gets 40 s. It continues with an estimate of up to 60 s, made after 5 s.

    Each step takes 3 s, so 21 edges are expected to take 63 s, and 20 edges 60 s. After 14 steps, 42 s are used up. If
    only 6 s have elapsed before, the climb gets 30 s, and the limit of the estimate is 45 s. If 1 s has elapsed, it
    gets 5 s, the estimate is made after 1 s, and its limit is 7.5 s: 5 edges are expected to take 15 s.
    """
    clock = Clock()
    run = Run(Seconds(100 + elapsed), seed=1, clock=clock)
    clock.now += elapsed
    climb = ClassClimb(problem_with("bic", False), run)
    taken = 0
    for _ in climb.climb(n_edges):
        taken += 1
        clock.now += 3.0
    assert taken == n_steps
    assert not climb.ended


@pytest.mark.parametrize("tick", [3.0, 6.0])
def test_a_first_step_over_classes_that_takes_long(tick):
    """A first step that is not found within half of 5 of 100 s ends the climb: each reading of the clock takes 3 s."""
    clock = Clock(tick)
    run = Run(Seconds(200), seed=1, clock=clock)
    clock.now += 100.0
    climb = ClassClimb(problem_with("bic", False), run)
    assert len(list(climb.climb(20))) == 1
    assert climb.ended
    assert climb.score == pytest.approx(problem_with("bic", False).base_score, rel=1e-12)


@with_knowledge
def test_the_first_climb_includes_classes(known):
    """The first climb ends at a network that is at least as good as the one of GES."""
    problem = problem_with("bic", known)
    usual = search(problem, GES(), stop=Iterations(10**6), seed=1, threads=1)
    run = Run(Iterations(10**6), seed=1)
    climb = ClassClimb(problem, run)
    dag_search = DagSearch(problem, Source(problem), make_pricer(problem), MEMORY)
    dag_search.start(class_climb=climb)
    found, ended = dag_search.continue_first_climb(run, inf)
    assert ended
    assert climb.ended
    assert found.score >= usual.score - 1e-9 * abs(usual.score)
    check_network(problem, found.score, found.dag(problem.names))
    assert run.progress.score == pytest.approx(found.score, rel=1e-12)
    assert run.progress.evaluations >= climb.asked > 0


def test_a_climb_over_classes_in_pieces():
    """A piece without time takes no step; the next one continues."""
    problem = problem_with("bic", False)
    clock = Clock()
    run = Run(Seconds(100), seed=1, clock=clock)
    climb = ClassClimb(problem, run)
    climb.advance(0.0)
    assert not climb.ended
    assert climb.best.dag(problem.names) == problem.base
    climb.advance(inf)
    assert climb.ended
    assert problem.scorer.network(climb.best.dag(problem.names)) > problem.base_score
