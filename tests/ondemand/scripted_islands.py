"""Searches, chains and climbs of an island whose results are scripted, so that each step is known in advance."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest

from bnsearch.graphs import DAG
from bnsearch.ondemand import island as island_file
from bnsearch.ondemand.island import Island
from bnsearch.ondemand.source import Source
from bnsearch.runs.run import Run
from bnsearch.scores import make_score
from clocks import Clock
from reference_ondemand import Dependent, problem_of

PROBLEM = problem_of(Dependent(100, (2, 2, 2, 2), 0.5, 1).dataset, make_score("bic"))
EMPTY = DAG.empty(PROBLEM.names)


class ScriptedSearch:
    """
    A search of which each call takes some steps and seconds.

    Parameters
    ----------
    taken : the number of steps of each call
    clock : the clock to move
    seconds : the seconds of each call
    """

    def __init__(self, *taken: int, clock: Clock | None = None, seconds: float = 0.0) -> None:
        self.taken, self.clock, self.seconds = list(taken), clock or Clock(), seconds
        self.asked: list[tuple[float, ...]] = []
        self.best, self.seconds_of_call = -9.0, 0.0

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Take the next steps of the script."""
        self.asked.append((steps, round(rate, 9), round(slope, 9)))
        self.clock.now += self.seconds
        return self.taken.pop(0)


class ScriptedChain(ScriptedSearch):
    """A chain with scripted steps that records its moves and its stored networks."""

    def __init__(self, *taken: int, best: float = -9.0, order: tuple[int, ...] = (0, 1, 2, 3)) -> None:
        super().__init__(*taken)
        self.best, self.order = best, np.array(order, dtype=np.int32)
        self.calls: list[Any] = []
        self.local_scores, self.n_families = np.full(4, best / 4.0), 0

    def count_new_evaluations(self) -> int:
        """Return the evaluations of a call."""
        return 7

    def score_of_best(self) -> float:
        """Return the exact score."""
        return self.best

    def best_parents(self) -> list[list[int]]:
        """Return an empty network."""
        return [[]] * 4

    def best_scores(self) -> np.ndarray:
        """Return the local scores of the best network."""
        return self.local_scores

    def best_order(self) -> np.ndarray:
        """Return the best ordering."""
        return self.order

    def move_to_network(self, order: np.ndarray, parents: Any, scores: np.ndarray) -> None:
        """Record a move, and take the scores of the network if it is the best so far; store two families."""
        self.calls.append("move")
        self.n_families += 2
        if float(np.sum(scores)) > self.best:
            self.best, self.local_scores = float(np.sum(scores)), np.array(scores)

    def store_network(self, parents: Any, scores: np.ndarray) -> None:
        """Record that a network was stored."""
        self.calls.append("store")

    def copy_best_of(self, other: ScriptedChain) -> None:
        """Take the score of another chain."""
        self.best = other.best

    def reset_best(self) -> None:
        """Forget the best score."""
        self.calls.append("reset")
        self.best = -inf

    def start_at(self, order: np.ndarray, halted: Callable[[], bool]) -> bool:
        """Start at an ordering, with the score -8."""
        self.calls.append(("start", sorted(order)))
        self.best = -8.0
        return True

    def store_families(self, families: Any) -> None:
        """Record stored families."""
        self.calls.append(("families", families))

    def use_narrow_rows(self, size: int) -> None:
        """Record the call."""
        self.calls.append(("narrow rows", size))

    def refresh_rows(self) -> None:
        """Record the call."""
        self.calls.append("refresh")

    def improve_parents(self, halted: Callable[[], bool]) -> None:
        """Record the predicate."""
        self.calls.append(("improve", halted))


class ScriptedDagSearch:
    """Climbs over DAGs that find the given total scores, None for no network."""

    def __init__(self, *scores: float | None, first: list[bool] | None = None, has_tabu_search: bool = True) -> None:
        self.scores, self.has_tabu_search = list(scores), has_tabu_search
        self.first = list(first or [])  # for each part of the first climb, whether it ends then
        self.seconds: list[float] = []

    @property
    def is_first_climb_running(self) -> bool:
        """True until the last part of the first climb."""
        return bool(self.first)

    def _find(self) -> Any:
        score = self.scores.pop(0)
        return None if score is None else Found(score)

    def continue_first_climb(self, run: Run, seconds: float) -> tuple[Any, bool]:
        """Make the next part of the first climb."""
        self.seconds.append(seconds)
        return self._find(), self.first.pop(0)

    def climb_from_part(self, parents: Any, rng: np.random.Generator, run: Run) -> Any:
        """Make the next climb."""
        return self._find()


class Found:
    """An empty network with a scripted score."""

    def __init__(self, score: float) -> None:
        self.scores = np.array([score, 0.0, 0.0, 0.0])

    def dag(self, names: tuple[str, ...]) -> DAG:
        """Return the network."""
        return EMPTY


def make_island(monkeypatch: pytest.MonkeyPatch, chain: ScriptedChain) -> Island:
    """Return an island with a scripted chain."""
    monkeypatch.setattr(island_file, "OnDemandChain", lambda *arguments, **named: chain)
    return Island(Source(PROBLEM), PROBLEM, np.random.default_rng(1), 1 << 20, timed=True)
