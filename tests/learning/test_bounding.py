"""Upper bounds in `learn` and in searches over candidate tables: their scope, their validity, their time."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.exact.linear_program import has_solver
from bnsearch.knowledge import Knowledge
from bnsearch.learning import bounding
from bnsearch.learning.bounding import BoundSearch
from bnsearch.learning.learn import learn
from bnsearch.learning.search import search
from bnsearch.networks import random_network
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.parent_sets.scope import KEPT_SETS, limit_scope
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Progress, Seconds, Target
from bnsearch.scores import BIC
from bnsearch.selection import Sequential
from candidate_tables import random_candidates
from clocks import Clock

DATA = random_network(30, 2.0, 3, 5).sample(400, seed=5)


@pytest.fixture
def few_evaluations(monkeypatch):
    """Let runs without a time budget select candidates with fewer evaluations."""
    monkeypatch.setattr("bnsearch.learning.candidates.EVALUATIONS", 200_000)


def make_islands(data: Dataset, run: Run) -> tuple[Problem, IslandModel]:
    """Return a problem and islands after one round."""
    problem = Problem(data=data, score=BIC())
    model = IslandModel(problem, run, 2, 1 << 24)
    model.start()
    model.search_round()
    return problem, model


def test_every_run_of_iterations_has_a_bound(few_evaluations):
    """The result under a budget of iterations, with its bound and scope, does not depend on the number of threads."""
    one, two = (learn(DATA, seconds=None, stop=Iterations(2000), seed=1, threads=threads) for threads in (1, 2))
    assert one.bound is not None
    assert (one.score, one.bound, one.scope) == (two.score, two.bound, two.scope)
    assert one.score <= one.bound
    assert one.gap < 0.05


@pytest.mark.parametrize("threads", [1, 2])
def test_every_timed_run_has_a_bound(threads):
    """After two seconds the gap is small, and the scope is stated."""
    result = learn(DATA, seconds=2, seed=1, threads=threads)
    assert result.bound >= result.score - 1e-9 * abs(result.score)
    assert result.gap < 0.1
    assert str(result.scope)
    assert result.seconds < 4


def test_a_reached_target_leaves_a_bound():
    """The run ends at its target, and its bound is computed all the same."""
    target = learn(DATA, method="hillclimb", parameters={"restarts": 0}, seconds=None, seed=1).score
    result = learn(DATA, seconds=60, stop=Target(target), seed=1, threads=1)
    assert result.stop == "target"
    assert result.seconds < 30
    assert result.bound is not None


def test_required_edges(few_evaluations):
    """With knowledge, the bound holds for legal networks."""
    names = DATA.names
    known = Knowledge(required=[(names[3], names[0])], forbidden=[(names[1], names[2])], max_parents=3)
    result = learn(DATA, knowledge=known, seconds=None, stop=Iterations(1500), seed=1)
    assert result.bound >= result.score - 1e-9 * abs(result.score)
    assert result.gap < 0.2


def test_the_bound_covers_all_small_sets():
    """The bound of a selection of all pairs is not below the best network with at most two parents."""
    run = Run(Iterations(10**6), seed=1)
    problem, model = make_islands(DATA, run)
    found = Sequential(max_parents=2).select(DATA, BIC())
    search_for_bound = BoundSearch(problem, run, model)
    assert search_for_bound.add_selected(found.table, limit_scope(2))
    search_for_bound.finish()
    best = search_pairs(found.table)
    assert run.scope == limit_scope(2)
    assert run.bound >= best - 1e-9 * abs(best)
    assert run.bound >= run.progress.score


def search_pairs(table) -> float:
    """Return the score of a good network over a table."""
    return search(Problem(table=table), "rinobs", stop=Iterations(3000), seed=1, threads=1).score


def test_a_selection_that_is_too_large_is_not_used(monkeypatch):
    """The bound then covers the sets that the islands have met."""
    monkeypatch.setattr(bounding, "UNTIMED_ROWS", 10)
    run = Run(Iterations(10**6), seed=1)
    problem, model = make_islands(DATA, run)
    search_for_bound = BoundSearch(problem, run, model)
    assert not search_for_bound.add_selected(Sequential(max_parents=1).select(DATA, BIC()).table, limit_scope(1))
    search_for_bound.finish()
    assert run.scope == KEPT_SETS
    assert run.bound >= run.progress.score


def test_the_bound_covers_an_incumbent_of_other_sets(monkeypatch):
    """The islands have met few sets when the search for a bound begins; the incumbent improves after that."""
    monkeypatch.setattr("bnsearch.learning.candidates.EVALUATIONS", 500_000)
    run = Run(Iterations(10**6), seed=1)
    problem, model = make_islands(DATA, run)
    search_for_bound = BoundSearch(problem, run, model)
    search_for_bound.finish()
    better = learn(DATA, seconds=None, stop=Iterations(3000), seed=2)
    scores = problem.scorer.families(list(range(problem.size)), better.dag.parents)
    run.offer(float(scores.sum()), lambda: better.dag)
    run.bound = 0.0  # a bound that the incumbent does not reach
    search_for_bound.finish()
    assert run.bound >= run.progress.score - 1e-9 * abs(run.progress.score)


def test_slices_by_hand():
    """
    A run of 100 s on one thread improves after 1 and after 20 s; the last 3 s are reserved, and 5e-5 s per variable.

    At 30 s it has gained since 15 s, so that the bound has 5 % of the time, 1.5 s. That is less than 2 % of 100 s. At
    60 s nothing has improved since 30 s, and the bound has 40 % of the time, 24 s.
    """
    clock = Clock(tick=0.001)
    run = Run(Seconds(100), seed=1, clock=clock)
    problem, model = make_islands(DATA, run)
    clock.tick = 0.0
    clock.now = run.budget.started
    search_for_bound = BoundSearch(problem, run, model)
    assert search_for_bound.reserve == pytest.approx(3.0 + 5e-5 * problem.size)
    run.trace.points[:] = [Progress(seconds=1.0, score=-9e5), Progress(seconds=20.0, score=run.progress.score)]
    for now, expected in ((30.0, 0.0), (60.0, 24.0)):
        clock.now = run.budget.started + now
        search_for_bound.prepare_slice()
        assert search_for_bound.credit == pytest.approx(expected)


def test_auto_proves_a_given_table():
    """A table of 30 variables is proven by branch and cut, before the deadline."""
    if not has_solver():
        pytest.skip("highspy is not installed")
    table = random_candidates(30, 6, 2, seed=1)
    result = search(Problem(table=table), stop=Seconds(60), seed=1, threads=1)
    assert (result.optimal, result.stop) == (True, "complete")
    assert result.seconds < 30
    exact = search(Problem(table=table), "exact", stop=Seconds(60), seed=1, threads=1)
    assert result.score == pytest.approx(exact.score)


def test_a_search_over_a_table_has_a_bound():
    """Under a budget of iterations, the bound over a given table does not depend on threads."""
    table = random_candidates(40, 30, 3, seed=1)
    one, two = (search(Problem(table=table), stop=Iterations(300), seed=1, threads=threads) for threads in (1, 2))
    assert (one.score, one.bound) == (two.score, two.bound)
    assert one.iterations == 300
    assert one.bound < np.sum(table.scores[table.begin[:-1]])
