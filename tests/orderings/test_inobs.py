"""INOBS: hill climbing over orderings from many starts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.learning.search import search
from bnsearch.orderings import inobs
from bnsearch.orderings.index import Index
from bnsearch.orderings.inobs import INOBS, SELECTIONS, InsertionClimber
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds, Target
from candidate_tables import ordering_score, random_candidates
from reference_exact import best_score


@pytest.mark.parametrize(("selection", "start"), [("hybrid", "random"), ("best", "fas"), ("first", "dfs")])
def test_the_same_for_any_number_of_threads(selection, start):
    """Network, score and counts of 150 climbs are the same for one thread and for two."""
    problem = Problem(table=random_candidates(25, 40, 4, seed=5))
    method = INOBS(selection=selection, start=start)
    one, two = (search(problem, method, stop=Iterations(150), seed=9, threads=t) for t in (1, 2))
    assert (one.score, one.dag, one.evaluations) == (two.score, two.dag, two.evaluations)
    assert (one.iterations, one.stop) == (two.iterations, two.stop) == (150, "iterations")
    assert one.bound is not None
    assert one.bound >= one.score
    assert one.evaluations > 150
    other = search(problem, method, stop=Iterations(150), seed=10, threads=1)
    assert other.evaluations != one.evaluations


@pytest.mark.parametrize("selection", SELECTIONS)
def test_finds_the_optimum_of_small_tables(selection):
    """Ten variables, up to 300 climbs; the target stops the search."""
    for seed in range(5):
        table = random_candidates(10, 20, 3, seed)
        best = best_score(table)
        result = search(Problem(table=table), INOBS(selection=selection), stop=Target(best) | Iterations(300), seed=1)
        assert result.stop == "target"
        assert result.score == pytest.approx(best)
        scores = [{p: s for s, p in table.sets(v)}[parents] for v, parents in enumerate(result.dag.parents)]
        assert math.fsum(scores) == pytest.approx(best)


def test_a_target_stops_at_once():
    """The search stops at a target that any climb reaches."""
    table = random_candidates(10, 20, 3, seed=1)
    result = search(Problem(table=table), INOBS(), stop=Target(-1e6), seed=1, threads=1)
    assert result.stop == "target"
    assert result.score <= best_score(table) + 1e-9


def test_time_stops_a_climb(monkeypatch):
    """The time budget ends during a climb: its current ordering is offered, and no other climb is started."""
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    table = random_candidates(12, 20, 3, seed=7)
    ticks = itertools.count()
    run = Run(Seconds(1), seed=1, clock=lambda: float(next(ticks) > 5))
    INOBS().search(Problem(table=table), run)
    assert run.progress.iterations == 1
    assert run.progress.score < best_score(table)
    assert isinstance(run.best(), DAG)
    assert not run.going()
    assert run.reason == "seconds"


@pytest.mark.parametrize("selection", SELECTIONS)
def test_climbs_are_recorded(monkeypatch, selection):
    """The records have the initial score, the final score and the number of insertions of each climb."""
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    table = random_candidates(10, 20, 3, seed=2)
    result = search(Problem(table=table), INOBS(selection=selection), stop=Iterations(3), seed=4, threads=1)
    assert len(result.climbs) == 3
    (rng,) = np.random.default_rng(4).spawn(1)
    for i in range(3):
        climber, orders = InsertionClimber(Index(table)), [rng.permutation(10).tolist()]

        def watch(score, climber=climber, orders=orders):
            if climber.order.tolist() != orders[-1]:
                orders.append(climber.order.tolist())
            return False

        end = climber.climb(np.array(orders[0]), rng, watch, selection)
        watch(0.0)
        assert result.climbs.initial[i] == pytest.approx(ordering_score(table, orders[0]))
        assert result.climbs.final[i] == end.score
        assert result.climbs.steps[i] == len(orders) - 1


def test_bad_parameters_are_refused():
    """The errors list the allowed values."""
    with pytest.raises(InputError, match=r"selection must be one of hybrid, best, first, not 'bset'.*'best'"):
        INOBS(selection="bset")
    with pytest.raises(InputError, match="no start 'fsa'"):
        INOBS(start="fsa")


@pytest.mark.parametrize(("selection", "published"), [("hybrid", 3158.4), ("first", 3156.5), ("best", 3155.9)])
def test_climbs_are_as_good_as_published(shared_data, selection, published):
    """The average of 100 climbs from random orderings agrees with Lee & van Beek (2017), Table 1."""
    table = read_scores(shared_data / "scores" / "soybean_BIC.txt")
    assert (table.n_variables, table.n_sets) == (36, 5_926)
    climber, rng = InsertionClimber(Index(table)), np.random.default_rng(1)
    costs = [-climber.climb(rng.permutation(36), rng, selection=selection).score for _ in range(100)]
    standard_error = np.std(costs, ddof=1) / 10
    assert abs(np.mean(costs) - published) < 4 * standard_error
    assert standard_error < 2
