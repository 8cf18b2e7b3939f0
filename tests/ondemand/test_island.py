"""The steps of an island: when they end."""

from __future__ import annotations

import pytest

from bnsearch.ondemand.island import anneal
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
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
