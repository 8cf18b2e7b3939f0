"""INOBS: hill climbing over orderings from many starts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scripted import NoBound, Script

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.learning.search import search
from bnsearch.orderings import inobs
from bnsearch.orderings.index import Index
from bnsearch.orderings.inobs import INOBS, SELECTIONS, InsertionClimber
from bnsearch.orderings.state import Climb
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds, Target
from bnsearch.scores.score import improves
from candidate_tables import ordering_score, random_candidates
from reference_exact import best_score
from reference_orderings import Definition, SplitMix, draw_order, insert


def price_by_swaps(definition: Definition, order: list[int], variable: int) -> list[float]:
    """Return the score of each insertion of a variable, by two series of adjacent swaps, as in Fig. 1 of the paper."""
    scores = {order.index(variable): definition.score(order)}
    for step in (1, -1):
        swapped, rows, at = list(order), definition.choice(order), order.index(variable)
        while 0 <= at + step < definition.n:
            swapped[at], swapped[at + step] = swapped[at + step], swapped[at]
            for i in (at, at + step):  # a swap changes the possible parents of these two variables alone
                rows[swapped[i]] = definition.row(swapped[i], set(swapped[:i]))
            at += step
            scores[at] = math.fsum(definition.table.scores[rows])
    return [scores[to] for to in range(definition.n)]


def climb_by_algorithm_1(definition: Definition, order: list[int], random: SplitMix) -> list[list[int]]:
    """
    Return all orderings of a climb by Algorithm 1 of Lee & van Beek (2017) with hybrid neighbour selection.

    Variables are drawn without replacement until one has an improving insertion. Among equally good positions of it the
    nearest one towards the front is taken, or the nearest one towards the back.
    """
    orders, variables, tried = [order], list(order), 0
    while tried < len(variables):
        pick = tried + random.below(len(variables) - tried)
        variables[tried], variables[pick] = variables[pick], variables[tried]
        variable, tried = variables[tried], tried + 1
        scores = price_by_swaps(definition, orders[-1], variable)
        at = orders[-1].index(variable)
        if improves(max(scores), scores[at]):
            best = [to for to, score in enumerate(scores) if not improves(max(scores), score)]
            to = max((to for to in best if to < at), default=min(best))
            orders.append(insert(orders[-1], variable, to))
            tried = 0
    return orders


@pytest.mark.parametrize("seed", range(20))
def test_climbs_are_those_of_algorithm_1(monkeypatch, seed):
    """A climb on 4 to 12 variables visits the same orderings as the paper's algorithm, priced by adjacent swaps."""
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)  # the climb is interrupted after each variable
    definition = Definition(random_candidates(4 + seed % 9, 12, 3, seed))
    start = draw_order(definition.n, seed)
    climber, orders = InsertionClimber(Index(definition.table)), [start]

    def record(score: float) -> bool:
        if climber.order.tolist() != orders[-1]:
            orders.append(climber.order.tolist())
        assert score == pytest.approx(definition.score(orders[-1]), abs=1e-9)
        return False

    found = climber.climb(np.array(start), np.random.default_rng(seed), record)
    assert orders == climb_by_algorithm_1(definition, start, SplitMix(np.random.default_rng(seed)))
    assert (found.order.tolist(), climber.steps) == (orders[-1], len(orders) - 1)
    assert climber.initial == pytest.approx(definition.score(start))


@pytest.mark.parametrize("seed", range(10))
def test_several_climbs_are_those_of_algorithm_1(seed):
    """Up to eight climbs in one kernel call: each is a climb of the paper's algorithm, and the random numbers go on."""
    definition = Definition(random_candidates(4 + seed, 12, 3, seed))
    starts = [draw_order(definition.n, 100 * seed + i) for i in range(1 + seed % 8)]
    climber = InsertionClimber(Index(definition.table))
    (climbs,) = climber.climb_all(np.array(starts), np.random.default_rng(seed), lambda score: False)
    random = SplitMix(np.random.default_rng(seed))
    for start, (initial, end, steps) in zip(starts, climbs, strict=True):
        orders = climb_by_algorithm_1(definition, start, random)
        assert initial == pytest.approx(definition.score(start))
        assert (end.order.tolist(), end.score) == (orders[-1], definition.score(orders[-1]))
        assert steps == len(orders) - 1


def test_a_climb_above_the_given_score_is_returned_at_once():
    """Eight climbs, of which some end above the median: each of these is the last one of its list."""
    climber = InsertionClimber(Index(random_candidates(20, 30, 4, seed=2)))
    starts = [np.array(draw_order(20, seed)) for seed in range(8)]

    def climb_all(min_score: float) -> list[list[Climb]]:
        return list(climber.climb_all(starts, np.random.default_rng(1), lambda score: False, min_score=min_score))

    (climbs,) = climb_all(math.inf)
    scores = [climb.end.score for climb in climbs]
    median = float(np.median(scores))
    lists = [[climb.end.score for climb in climbs] for climbs in climb_all(median)]
    assert [score for part in lists for score in part] == scores
    assert len(lists) > 3
    assert all(score <= median for part in lists for score in part[:-1])
    assert all(part[-1] > median for part in lists[:-1])


def test_no_climb_follows_a_halted_one(monkeypatch):
    """The predicate returns True after the first step of the second climb of four: two climbs are returned."""
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    table = random_candidates(12, 20, 3, seed=3)
    climber, starts = InsertionClimber(Index(table)), [np.array(draw_order(12, seed)) for seed in range(4)]
    whole = list(itertools.chain(*climber.climb_all(starts, np.random.default_rng(1), lambda score: False)))
    finished: list[Climb] = []

    def is_second_step_due(score: float) -> bool:
        return bool(finished) and climber.order.tolist() != starts[1].tolist()

    for climbs in climber.climb_all(starts, np.random.default_rng(1), is_second_step_due):
        finished += climbs
    assert [climb.initial for climb in finished] == [climb.initial for climb in whole[:2]]
    assert finished[0].end.score == whole[0].end.score
    assert finished[1].end.score < whole[1].end.score
    assert (finished[0].steps, finished[1].steps) == (whole[0].steps, 1)


def test_a_climb_continues_after_each_call_by_default(monkeypatch):
    """Without a predicate, a climb in calls of one variable each ends at the local optimum of a climb in one call."""
    climber, start = InsertionClimber(Index(random_candidates(12, 20, 3, seed=3))), np.array(draw_order(12, 3))
    whole = climber.climb(start, np.random.default_rng(1))
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    parts = climber.climb(start, np.random.default_rng(1))
    assert climber.steps > 1
    assert (parts.order.tolist(), parts.score) == (whole.order.tolist(), whole.score)


def test_defaults_are_those_of_the_paper():
    """Hybrid neighbour selection and random starts (section 3)."""
    assert INOBS() == INOBS(selection="hybrid", start="random")


@pytest.mark.parametrize("selection", SELECTIONS)
def test_climbs_get_the_selection_and_the_deadline(monkeypatch, selection):
    """The climbs of a task get the method's selection, the predicate of the run, and the score of its incumbent."""
    problem, script = Problem(table=random_candidates(6, 5, 2, seed=1)), Script([-9.0, -8.0, -7.0])
    monkeypatch.setattr("bnsearch.orderings.inobs.InsertionClimber", script.make_climber)
    monkeypatch.setattr("bnsearch.orderings.restarts.relaxed", NoBound)
    run = Run(Iterations(3), seed=1)
    INOBS(selection=selection).search(problem, run)
    assert script.arguments == [(run.halted, selection, {"min_score": -math.inf})] * 3
    assert run.progress.score == -7.0


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


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_climb_from_a_local_optimum_makes_no_step(selection):
    """The condition of line 3 of Algorithm 1 is false at once, and the ordering is returned as it is."""
    for seed in range(5):
        climber = InsertionClimber(Index(random_candidates(10, 20, 3, seed)))
        optimum = climber.climb(np.array(draw_order(10, seed)), np.random.default_rng(seed), selection=selection)
        again = climber.climb(optimum.order, np.random.default_rng(seed), selection=selection)
        assert (climber.steps, again.order.tolist(), again.score) == (0, optimum.order.tolist(), optimum.score)


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
    starts = [rng.permutation(10).tolist() for _ in range(3)]
    climber, visited = InsertionClimber(Index(table)), []

    def watch(score: float) -> bool:
        order = climber.order.tolist()
        if order in starts and order not in itertools.chain(*visited):
            visited.append([])
        if order not in visited[-1]:
            visited[-1].append(order)
        return False

    climbs = itertools.chain(*climber.climb_all(np.array(starts), rng, watch, selection))
    for i, (climb, orders) in enumerate(zip(list(climbs), visited, strict=True)):
        assert orders[0] == starts[i]
        assert result.climbs.initial[i] == climb.initial == pytest.approx(ordering_score(table, starts[i]))
        assert result.climbs.final[i] == climb.end.score == pytest.approx(ordering_score(table, orders[-1]))
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
