"""Searches over classes that follow a script: what a method does with them is then known step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.climber_pool import ClimberPool, Optimum
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.equivalence.noise import Noise
from bnsearch.equivalence.operators import Kind, Step, insert
from bnsearch.graphs import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

EMPTY = DAG.empty(["a"])
COUNTS = {"evaluations": 10, "computed": 1}


def steps_with(*gains: float) -> list[Step]:
    """Return steps with these gains."""
    return [Step(insert(0, 1), gain) for gain in gains]


class ScriptedState(Neighbourhood):
    """
    A class whose best operators are given by a script.

    Parameters
    ----------
    script : for each question about operators the gains of those found; none means that there is no such operator

    Attributes
    ----------
    asked : the questions: the kinds of operators, and how many operators were wanted
    applied : the gains of the operators applied
    """

    def __init__(self, *script: Sequence[float], score: float = -100.0) -> None:
        self.script, self.score = list(script), score
        self.asked: list[tuple[list[Kind], int]] = []
        self.applied: list[float] = []
        self.noises: list[Noise] = []

    def find_best_few(
        self, kinds: Sequence[Kind], number: int, halted: Callable[[], bool] = lambda: False
    ) -> list[Step]:
        """Return the next operators of the script."""
        if halted():
            return []
        self.asked.append((list(kinds), number))
        return steps_with(*self.script.pop(0))[:number]

    def find_best_after_noise(
        self, kind: Kind, noise: Noise, rng: np.random.Generator, halted: Callable[[], bool] = lambda: False
    ) -> Step | None:
        """Return the next operator of the script."""
        self.noises.append(noise)
        return self.find_best([kind], halted)

    def apply(self, step: Step) -> None:
        """Add the gain to the score."""
        self.applied.append(step.gain)
        self.score += step.gain

    def take_counts(self) -> dict[str, Any]:
        """Return the work of a step."""
        return dict(COUNTS)

    def dag_maker(self) -> Callable[[], DAG]:
        """Return a function that makes some network."""
        return lambda: EMPTY


class ScriptedPool(ClimberPool):
    """
    Climbers that reach the scores of a script, one after the other.

    Attributes
    ----------
    asked : the questions: the score of the class that was changed, and the change; None for a climb from the origin
    """

    def __init__(self, *scores: float) -> None:
        self.scores = list(scores)
        self.asked: list[tuple[float, Any] | None] = []
        self.made_with: dict[str, Any] = {}

    def take_place(self, method: object, problem: object, run: object, **options: Any) -> ScriptedPool:
        """Take the place of the class `ClimberPool`; the origin has the next score of the script."""
        assert isinstance(method, ClassSearch)
        assert isinstance(problem, Problem)
        assert isinstance(run, Run)
        self.made_with = options
        self.origin = self.next_optimum()
        return self

    def next_optimum(self) -> Optimum:
        """Return a class with the next score."""
        return Optimum(self.scores.pop(0), np.empty(0, np.uint64), lambda: EMPTY, dict(COUNTS))

    def climb(self) -> Optimum:
        """Return the next optimum."""
        self.asked.append(None)
        return self.next_optimum()

    def climb_in_two_stages(self) -> Optimum:
        """Return the next optimum."""
        self.asked.append((0.0, "two stages"))
        return self.next_optimum()

    def change_and_climb(self, optimum: Optimum, change: Any) -> Optimum:
        """Note which class is changed and how."""
        self.asked.append((optimum.score, change))
        return self.next_optimum()

    @property
    def changes(self) -> list[Any]:
        """The changes, in order."""
        return [asked[1] for asked in self.asked if asked is not None]
