"""Climbs from one start after the other: how they are divided into tasks, counted and recorded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scripted import NoBound, Optimum

from bnsearch.orderings import restarts
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import climb_from_starts
from bnsearch.orderings.state import Climb
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Stop, Target
from candidate_tables import random_candidates

TABLE = random_candidates(3, 2, 1, seed=1)


class CountedClimber:
    """A climber that counts the climbs of each task; its n-th climb in a task goes from -n to 0 in n steps."""

    made: list[CountedClimber]

    def __init__(self, index: Index) -> None:
        self.names, self.climbs = index.table.names, [0]
        self.made.append(self)

    def climb_all(self, orders: list[np.ndarray], rng: np.random.Generator) -> Iterator[list[Climb]]:
        """Yield the first climb, then all others."""
        climbs = [Climb(-float(n), Optimum(order, 0.0, self.names), n) for n, order in enumerate(orders, 1)]
        for part in filter(None, (climbs[:1], climbs[1:])):
            self.climbs[-1] += len(part)
            yield part
            if self.target_reached():
                return

    def clear_caches(self) -> None:
        """Count the climbs of the next task from zero."""
        self.climbs.append(0)

    def new_evaluations(self) -> int:
        """Return the evaluations of a list of climbs."""
        return 5


def run_climbs(rule: Stop, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, list[int]]:
    """Return a run and the numbers of climbs of its tasks, which a single climber has made."""
    CountedClimber.made = []
    monkeypatch.setattr(restarts, "relaxed", NoBound)
    run = Run(rule, seed=1, threads=1)
    monkeypatch.setattr(CountedClimber, "target_reached", lambda self: run.halted(0.0), raising=False)
    climb_from_starts(Problem(table=TABLE), run, "random", CountedClimber, CountedClimber.climb_all)
    (climber,) = CountedClimber.made
    return run, climber.climbs[:-1]


def test_eight_climbs_share_a_generator_and_all_share_a_climber(monkeypatch: pytest.MonkeyPatch) -> None:
    """20 climbs are tasks of 8, 8 and 4 climbs; each climb is one iteration, and its record is kept."""
    run, climbs = run_climbs(Iterations(20), monkeypatch)
    assert climbs == [8, 8, 4]
    assert (run.progress.iterations, run.progress.evaluations) == (20, 30)
    assert run.climbs.steps.tolist() == [*range(1, 9), *range(1, 9), *range(1, 5)]
    assert run.climbs.initial.tolist() == (-run.climbs.steps).tolist()
    assert run.climbs.final.tolist() == [0.0] * 20


def test_a_task_ends_at_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first climb reaches the target: no task makes a second one, and later tasks make none."""
    run, climbs = run_climbs(Target(0.0), monkeypatch)
    assert sum(climbs) == 1
    assert run.reason == "target"
