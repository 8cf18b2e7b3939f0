"""Climbs from one start after the other: how they are divided into tasks, counted and recorded."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import NoBound, Optimum

from bnsearch.orderings import restarts
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import climb_from_starts
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Stop, Target
from candidate_tables import random_candidates

TABLE = random_candidates(3, 2, 1, seed=1)


class CountedClimber:
    """A climber that counts its climbs; its n-th climb goes from -n to 0 in n steps."""

    made: list[CountedClimber]

    def __init__(self, index: Index) -> None:
        self.climbs, self.steps, self.initial, self.names = 0, 0, 0.0, index.table.names
        self.made.append(self)

    def climb(self, order: np.ndarray, rng: np.random.Generator) -> Optimum:
        """Return a local optimum with score 0."""
        self.climbs += 1
        self.steps, self.initial = self.climbs, -float(self.climbs)
        return Optimum(order, 0.0, self.names)

    def new_evaluations(self) -> int:
        """Return the evaluations of a climb."""
        return 5


def run_climbs(rule: Stop, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, list[int]]:
    """Return a run and the numbers of climbs of its tasks."""
    CountedClimber.made = []
    monkeypatch.setattr(restarts, "relaxed", NoBound)
    run = Run(rule, seed=1, threads=1)
    climb_from_starts(Problem(table=TABLE), run, "random", CountedClimber, CountedClimber.climb)
    return run, [climber.climbs for climber in CountedClimber.made]


def test_eight_climbs_share_a_climber_and_a_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    """20 climbs are tasks of 8, 8 and 4 climbs; each climb is one iteration, and its record is kept."""
    run, climbs = run_climbs(Iterations(20), monkeypatch)
    assert climbs == [8, 8, 4]
    assert (run.progress.iterations, run.progress.evaluations) == (20, 100)
    assert run.climbs.steps.tolist() == [*range(1, 9), *range(1, 9), *range(1, 5)]
    assert run.climbs.initial.tolist() == (-run.climbs.steps).tolist()
    assert run.climbs.final.tolist() == [0.0] * 20


def test_a_task_ends_at_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first climb reaches the target: no task makes a second one, and later tasks make none."""
    run, climbs = run_climbs(Target(0.0), monkeypatch)
    assert sum(climbs) == 1
    assert run.reason == "target"
