"""The frame of all searches over orderings of an island: steps that may lower the score, fewer and fewer of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import isfinite
from typing import Protocol

from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.runs.run import Run

FIRST_LOSS_RATE = 0.25  # share of score-lowering steps that are accepted at the start of a search; decreases to 0
LONG_CALL = 0.2  # seconds by which a run may exceed its time budget
MAX_STEPS_PER_CALL = 10**6  # never reached: a call ends after some milliseconds


class StepwiseSearch(Protocol):
    """A search in steps; it accepts a given share of the steps that lower the score."""

    @property
    def best(self) -> float:
        """The best score so far."""
        ...

    @property
    def seconds_of_call(self) -> float:
        """The expected duration of the next call of `step`."""
        ...

    def step(self, steps: int, rate: float, slope: float) -> int:
        """
        Take up to `steps` steps, for some milliseconds; return their number.

        rate : share of the steps that lower the score which is accepted at first
        slope : number by which this share decreases with each step
        """
        ...


def ends_in_time(search: StepwiseSearch, run: Run) -> bool:
    """Return True unless the next call is long and expected to end after the deadline."""
    return search.seconds_of_call < max(LONG_CALL, run.seconds_left)


def anneal(search: StepwiseSearch, budget: SearchBudget, run: Run, report: Callable[[int], None]) -> None:
    """
    Take steps until the budget is used up; the share of accepted losses decreases to zero.

    `report` is called every few milliseconds, with the number of steps since the last call.
    """
    done, started = 0, run.seconds
    while (left := budget.remaining_share(done, run.seconds - started)) > 0.0 and not run.halted(search.best):
        if not ends_in_time(search, run):
            return
        if isfinite(budget.max_steps):
            slope = FIRST_LOSS_RATE / budget.max_steps
            taken = search.step(math.ceil(budget.max_steps) - done, FIRST_LOSS_RATE - slope * done, slope)
        else:
            taken = search.step(MAX_STEPS_PER_CALL, FIRST_LOSS_RATE * left, 0.0)
        done += taken
        report(taken)
