"""The steps of a search: when they end, and what share of the losses they accept."""

from __future__ import annotations

import numpy as np
import pytest
from scripted_islands import ScriptedSearch

from bnsearch.ondemand.annealing import anneal
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import RepairChain
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds, Target
from candidate_tables import random_candidates
from clocks import Clock


@pytest.mark.parametrize(("seconds_of_call", "steps"), [(3.0, 3), (0.1, 4)])
def test_a_long_call_is_not_started_before_the_deadline(seconds_of_call, steps):
    """Calls of 3 s within 10 s: no fourth one if it is expected to take as long; a short one is always started."""
    clock = Clock()
    run = Run(Seconds(10), seed=1, clock=clock)
    expected = seconds_of_call

    class Search:
        best = -1.0
        seconds_of_call = expected

        def step(self, steps: int, rate: float, slope: float) -> int:
            """Take one step of three seconds."""
            clock.now += 3.0
            return 1

    taken: list[int] = []
    anneal(Search(), SearchBudget(max_seconds=100.0), run, taken.append)
    assert sum(taken) == steps


@pytest.mark.parametrize(("seconds_of_call", "n_calls"), [(0.19, 1), (0.21, 0)])
def test_a_call_may_exceed_the_time_a_little(seconds_of_call, n_calls):
    """With 0.05 s left, a call of less than 0.2 s is started, although it ends after the deadline."""
    clock = Clock()
    run = Run(Seconds(10), seed=1, clock=clock)
    clock.now += 9.95
    search = ScriptedSearch(1, clock=clock, seconds=1.0)
    search.seconds_of_call = seconds_of_call
    anneal(search, SearchBudget(max_seconds=100.0), run, lambda taken: None)
    assert len(search.asked) == n_calls


def test_the_share_of_accepted_losses_falls_with_the_steps() -> None:
    """0.25 over 10 steps falls by 0.025 a step; calls of 4, 4 and 2 steps start at 0.25, 0.15 and 0.05."""
    search, reported = ScriptedSearch(4, 4, 2), []
    anneal(search, SearchBudget(max_steps=10), Run(seed=1), reported.append)
    assert search.asked == [(10, 0.25, 0.025), (6, 0.15, 0.025), (2, 0.05, 0.025)]
    assert reported == [4, 4, 2]


def test_a_part_of_a_step_is_a_step() -> None:
    """A budget of 2.5 steps gives 3; the share falls by 0.25 / 2.5 = 0.1 a step."""
    search = ScriptedSearch(3)
    anneal(search, SearchBudget(max_steps=2.5), Run(seed=1), lambda taken: None)
    assert search.asked == [(3, 0.25, 0.1)]


def test_the_share_of_accepted_losses_falls_with_the_time() -> None:
    """8 s in calls of 2 s: a quarter of 1, 3/4, 1/2 and 1/4 of the budget, constant within a call."""
    clock = Clock()
    search = ScriptedSearch(5, 5, 5, 5, clock=clock, seconds=2.0)
    run = Run(Seconds(100), seed=1, clock=clock)
    clock.now += 3.0  # before the search
    anneal(search, SearchBudget(max_seconds=8.0), run, lambda taken: None)
    assert [asked[1:] for asked in search.asked] == [(0.25, 0.0), (0.1875, 0.0), (0.125, 0.0), (0.0625, 0.0)]
    assert all(steps > 10**5 for steps, *_ in search.asked)  # the time limits a call, not the steps


def test_no_step_after_the_target() -> None:
    """The search has reached the target of the run before its first step."""
    search = ScriptedSearch()
    anneal(search, SearchBudget(max_steps=10), Run(Target(-9.0), seed=1), lambda taken: None)
    assert search.asked == []


def test_calls_over_a_table_are_short() -> None:
    """With half a second left, a search over a table still takes all of its 20 steps."""
    clock = Clock()
    run = Run(Seconds(10), seed=1, clock=clock)
    clock.now += 9.5
    index = Index(random_candidates(4, 5, 2, seed=1))
    chain = RepairChain(index, np.arange(4, dtype=np.int32), np.uint64(1))
    taken: list[int] = []
    anneal(chain, SearchBudget(max_steps=20), run, taken.append)
    assert sum(taken) == 20
