"""How the time of a round is divided among activities; worked by hand."""

from __future__ import annotations

from math import inf

import pytest

from bnsearch.ondemand.schedule import (
    DECAY,
    FIRST_STEPS,
    MIN_RATE_DAGS,
    MIN_RATE_ORDERINGS,
    ON_DEMAND_SHARE,
    ROUND,
    STALLED_RATE_REGROWTH,
    STEP_GROWTH,
    Activity,
    Schedule,
    SearchBudget,
    assign_time,
    relative_rate,
)
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from clocks import Clock


@pytest.mark.parametrize(
    ("budget", "left"),
    [
        (SearchBudget(max_steps=100), 0.75),
        (SearchBudget(max_seconds=2.0), 0.5),
        (SearchBudget(max_steps=50, max_seconds=2.0), 0.5),
    ],
    ids=str,
)
def test_remaining_share_of_a_budget(budget, left):
    """After 25 steps and one second: 1 - 25 / 100, 1 - 1 / 2, and the smaller of 1 - 25 / 50 and 1 - 1 / 2."""
    assert budget.remaining_share(25, 1.0) == left


def test_rate_of_an_activity():
    """The rate is infinite before the first run; earlier runs have a smaller weight than the last."""
    activity = Activity(0.1)
    assert activity.rate == inf
    activity.record(8.0, 2.0)
    assert activity.rate == 4.0
    assert activity.credit == -2.0
    activity.record(0.0, 1.0)
    assert activity.rate == pytest.approx(8.0 * DECAY / (2.0 * DECAY + 1.0))


def recorded(min_relative_rate: float, gain: float) -> Activity:
    """Return an activity that has gained something in one second, and has no credit."""
    activity = Activity(min_relative_rate)
    activity.record(gain, 1.0)
    activity.credit = 0.0
    return activity


def test_relative_rates():
    """The share of the best rate, or the lower bound if that is higher; without a run, the lower bound."""
    best, half, poor, untried = recorded(0.1, 10.0), recorded(0.1, 5.0), recorded(0.2, 0.0), Activity(0.3)
    activities = [best, half, poor, untried]
    assert [relative_rate(activity, activities) for activity in activities] == [1.0, 0.5, 0.2, 0.3]


def test_equal_shares_without_gains():
    """If no activity gains, all get the same time."""
    activities = [recorded(0.1, 0.0), recorded(0.5, 0.0)]
    assign_time(activities, 3.0)
    assert [activity.credit for activity in activities] == [1.5, 1.5]


def test_shares_before_the_first_runs():
    """Before any run, the lower bounds 0.1 and 0.5 divide 3 s; 0.1 also counts beside an activity without gains."""
    activities = [Activity(0.1), Activity(0.5)]
    assign_time(activities, 3.0)
    assert [activity.credit for activity in activities] == pytest.approx([0.5, 2.5])
    activities = [Activity(0.1), recorded(0.5, 0.0)]
    assign_time(activities, 3.3)
    assert [activity.credit for activity in activities] == pytest.approx([0.3, 3.0])


def test_shares_in_proportion_to_rates():
    """Rates of 9 and 3: three quarters and one quarter of 8 s, on top of the earlier credit."""
    activities = [recorded(0.1, 9.0), recorded(0.1, 3.0)]
    activities[1].credit = 1.0
    assign_time(activities, 8.0)
    assert [activity.credit for activity in activities] == pytest.approx([6.0, 3.0])


def test_a_timed_round():
    """After 10 of 100 s a round takes 2 s, divided by the lower bounds; an activity waits until its credit suffices."""
    clock = Clock()
    schedule = Schedule(Run(Seconds(100), seed=1, clock=clock), 2, 5, on_demand_only=False)
    clock.now += 10.0
    schedule.start_round(is_climbing=False)
    assert schedule.round_length == pytest.approx(10.0 * ROUND)
    whole = MIN_RATE_ORDERINGS + MIN_RATE_DAGS + STALLED_RATE_REGROWTH
    credit = 10.0 * ROUND * MIN_RATE_ORDERINGS / whole
    assert schedule.dag_search.credit == pytest.approx(10.0 * ROUND * MIN_RATE_DAGS / whole)
    schedule.set_climb_seconds(1.5 * schedule.dag_search.credit)
    assert [schedule.is_due(activity) for activity in (schedule.ordering_search, schedule.dag_search)] == [True, False]
    budget = schedule.budget_of(schedule.ordering_search, SearchBudget(max_steps=1))
    assert budget == SearchBudget(max_seconds=pytest.approx(credit))
    schedule.divide_ordering_search(budget)
    assert schedule.on_demand_search.credit == pytest.approx(ON_DEMAND_SHARE * credit)
    assert schedule.table_search.credit == pytest.approx((1 - ON_DEMAND_SHARE) * credit)


@pytest.mark.parametrize(
    ("min_seconds", "is_climbing", "is_warming_up", "is_first", "is_due"),
    [
        (13.4, False, False, True, True),
        (13.6, False, False, True, False),
        (13.4, True, False, True, False),
        (13.4, False, True, True, False),
        (13.4, False, False, False, False),
    ],
)
def test_the_first_dag_search_comes_at_once(min_seconds, is_climbing, is_warming_up, is_first, is_due):
    """It may take 0.15 of the remaining 90 s, 13.5 s. Without this rule, it would wait for its share of many rounds."""
    clock = Clock()
    schedule = Schedule(Run(Seconds(100), seed=1, clock=clock), 2, 5, on_demand_only=False)
    clock.now += 10.0
    schedule.dag_search.min_seconds = min_seconds
    if not is_first:
        schedule.dag_search.record(0.0, 1.0)
        schedule.dag_search.credit = 0.0
    schedule.start_round(is_climbing=is_climbing, is_warming_up=is_warming_up)
    assert schedule.is_due(schedule.dag_search) == is_due


def test_a_useful_run_that_does_not_fit():
    """With 1 s left no activity runs whose shortest useful run takes half of it, whatever its credit."""
    clock = Clock()
    schedule = Schedule(Run(Seconds(100), seed=1, clock=clock), 2, 5, on_demand_only=False)
    clock.now += 99.0
    schedule.table_search.credit, schedule.table_search.min_seconds = 10.0, 0.5
    assert not schedule.is_due(schedule.table_search)


def test_the_ordering_search_during_the_first_climb():
    """Before its first run it gets 0.1 / (0.1 + 1) of a round, and 0.33 / 1.43 once the first climb has ended."""
    clock = Clock()
    schedule = Schedule(Run(Seconds(100), seed=1, clock=clock), 2, 5, on_demand_only=False)
    schedule.dag_search.record(8.0, 2.0)
    schedule.dag_search.credit = 0.0
    clock.now += 10.0
    schedule.start_round(is_climbing=True)
    assert schedule.ordering_search.credit == pytest.approx(10.0 * ROUND * 0.1 / 1.1)
    schedule.ordering_search.credit = 0.0
    schedule.start_round(is_climbing=False)
    assert schedule.ordering_search.credit == pytest.approx(10.0 * ROUND * 0.33 / 1.43)


@pytest.mark.parametrize(("before", "rate"), [(-1000.09, 0.1), (-1000.11, 0.01)])
def test_regrowth_gets_more_time_when_the_search_has_stalled(before, rate):
    """
    After 40 s the gain since 30 s is compared with 0.0001 of the score, 0.1. All activities gain 1 per second but it.

    Without any gain, it counts with 0.1 beside 1 and 1.
    """
    clock = Clock()
    run = Run(Seconds(100), seed=1, clock=clock)
    begin = clock.now
    for clock.now, score in ((begin + 20.0, before), (begin + 40.0, -1000.0)):
        run.offer(score, lambda: None)
    schedule = Schedule(run, 2, 5, on_demand_only=False)
    for activity, gain in ((schedule.ordering_search, 2.0), (schedule.dag_search, 2.0), (schedule.regrowth, 0.0)):
        activity.record(gain, 2.0)
        activity.credit = 0.0
    schedule.start_round(is_climbing=False)
    assert schedule.regrowth.credit == pytest.approx(40.0 * ROUND * rate / (2.0 + rate))
    for activity in (schedule.ordering_search, schedule.dag_search, schedule.regrowth):
        activity.gain = activity.credit = 0.0
    schedule.start_round(is_climbing=False)
    assert schedule.regrowth.credit == pytest.approx(40.0 * ROUND * 0.1 / 2.1)


def test_rounds_counted_in_steps():
    """Two islands and two searches: each has the same number of steps, and the next round is longer."""
    schedule = Schedule(Run(Iterations(10**6), seed=1), 2, 5, on_demand_only=False)
    schedule.start_round(is_climbing=False)
    assert schedule.is_due(schedule.dag_search)
    assert schedule.step_budget() == SearchBudget(max_steps=5 * FIRST_STEPS)
    schedule.end_round()
    assert schedule.step_budget() == SearchBudget(max_steps=int(5 * FIRST_STEPS * STEP_GROWTH))
