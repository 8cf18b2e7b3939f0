"""Budgets: time, parts, stop requests, events."""

from __future__ import annotations

import math

import pytest

from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.errors import InputError
from clocks import Clock


def test_time():
    """After 2 of 5 seconds 3 remain; with a reserve of 3 the budget is spent, with one of 2.5 it is not."""
    clock = Clock()
    budget = Budget(5, clock=clock)
    clock.now += 2
    assert (budget.elapsed, budget.remaining, budget.deadline) == (2, 3, 105)
    assert not budget.is_spent()
    assert not budget.is_spent(reserve=2.5)
    assert budget.is_spent(reserve=3)
    clock.now += 3
    assert budget.is_spent()


def test_no_limits():
    """By default time and evaluations are not limited."""
    budget = Budget()
    assert (budget.seconds, budget.remaining, budget.evaluations, budget.threads) == (math.inf, math.inf, None, 1)
    assert not budget.is_spent(reserve=1e9)


def test_paused_clock():
    """Of 3 seconds, 2 in a pause do not count, also if the pause ends with an error."""
    clock = Clock()
    budget = Budget(5, clock=clock)
    clock.now += 1
    with pytest.raises(InputError), budget.clock_paused():
        clock.now += 2
        raise InputError("wrong")
    assert (budget.elapsed, budget.remaining) == (1, 4)


def test_the_first_request_counts():
    """A stop request spends the budget; a later one does not change the reason."""
    budget = Budget()
    assert budget.stop_reason is None
    budget.request_stop("terminated")
    budget.request_stop()
    assert budget.is_spent()
    assert (budget.request, budget.stop_reason) == ("terminated", "terminated")


def test_a_stop_condition():
    """A condition stops a budget while it holds, and is no request."""
    reasons = [None, "target", None]
    budget = Budget(stop_condition=lambda: reasons[0])
    assert not budget.is_spent()
    reasons.pop(0)
    assert (budget.is_spent(), budget.request) == (True, None)
    reasons.pop(0)
    assert not budget.is_spent()


def test_parts_end_with_the_whole():
    """After 4 of 10 seconds, a part of 3 seconds ends at 7, and one of 20 seconds at 10."""
    clock = Clock()
    budget = Budget(10, clock=clock, threads=3, memory=1 << 20)
    clock.now += 4
    short, long = budget.part(3, evaluations=50), budget.part(20, memory=1 << 10)
    assert (short.deadline, long.deadline) == (107, 110)
    assert (short.started, short.elapsed, short.threads) == (104, 0, 3)
    assert (short.evaluations, short.memory) == (50, 1 << 20)
    assert (long.evaluations, long.memory) == (None, 1 << 10)
    clock.now += 3
    assert short.is_spent()
    assert not long.is_spent()


def test_requests_reach_parts_and_not_the_whole():
    """A request to a part stops its own parts only; one to the whole stops all."""
    budget = Budget()
    part = budget.part()
    inner, other = part.part(), budget.part()
    part.request_stop()
    assert [b.stop_reason for b in (budget, other, part, inner)] == [None, None, "interrupted", "interrupted"]
    budget.request_stop("terminated")
    assert [b.stop_reason for b in (budget, other)] == ["terminated", "terminated"]


def test_events_reach_all_observers():
    """Parts have the observers of the whole."""
    first: list[Event] = []
    second: list[Event] = []
    budget = Budget(observers=[first.append, second.append])
    event = Event("single parents", 3, 10, "sets")
    budget.part().report(event)
    assert first == second == [event]


def test_bad_numbers_of_threads_are_refused():
    """Threads are counted from one."""
    with pytest.raises(InputError, match="threads must be at least 1"):
        Budget(threads=0)


def test_a_pause_that_has_not_ended():
    """Ten seconds pass, then five in a pause: another thread sees ten until the end."""
    clock = Clock()
    budget = Budget(clock=clock)
    clock.now += 10
    with budget.clock_paused():
        clock.now += 3
        assert (budget.elapsed, budget.elapsed_before_pause) == (13, 10)
        clock.now += 2
        assert budget.elapsed_before_pause == 10
    clock.now += 1
    assert (budget.elapsed, budget.elapsed_before_pause) == (11, 11)
