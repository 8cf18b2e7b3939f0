"""Local optima for the metaheuristics: climbs from perturbed and from randomly built classes, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from bnsearch.equivalence.bitsets import Sets
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.climbing import backward, both_ways, forward
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.equivalence.noise import Noise
from bnsearch.equivalence.operators import Kind
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True)
class Optimum:
    """
    A class that a climb has reached.

    Attributes
    ----------
    score, sets : of the class
    make : returns a DAG of it
    spent : the evaluations, the computed ones, and the keys of families, that it took
    """

    score: float
    sets: Sets = field(repr=False)
    make: Callable[[], DAG] = field(repr=False)
    spent: dict[str, Any] = field(default_factory=dict)


class Crew:
    """
    Climbers, as many as are at work at the same time, each with caches of its own that it keeps.

    Parameters
    ----------
    method : the limits, the start, and which scores it takes
    problem : the score and the knowledge
    run : when to stop
    noise : of perturbations, which need operators that lower the score, too; None where nothing is perturbed
    """

    def __init__(self, method: ClassSearch, problem: Problem, run: Run, *, noise: Noise | None = None) -> None:
        self._scorer, self._run, self._noise = method.scorer_of(problem, run), run, noise
        self._begin = partial(method.begin, constraints=problem.constraints, every=noise is not None)
        first = self._begin(self._scorer)
        first.refresh(self._halted(first))
        run.count(**first.spent())
        self._origin = Optimum(first.score, first.sets.copy(), first.maker())
        self._idle: SimpleQueue[Neighbourhood] = SimpleQueue()
        self._idle.put(first)

    def stay(self) -> Optimum:
        """Return the start."""
        return self._origin

    def climb(self) -> Optimum:
        """Return iGES(start)."""
        with self._climber_at(self._origin) as here:
            return self._optimum(here)

    def climb_in_stages(self) -> Optimum:
        """Return iGES(GES(start))."""
        with self._climber_at(self._origin) as here:
            for _ in chain(forward(here, self._halted(here)), backward(here, self._halted(here))):
                pass
            return self._optimum(here)

    def perturb_and_climb(self, optimum: Optimum, steps: int, seed: int) -> Optimum:
        """Return iGES(PERTURBATION(optimum, steps))."""
        assert self._noise is not None, "this crew does not perturb"
        with self._climber_at(optimum) as here:
            perturb(here, steps, self._noise, np.random.default_rng(seed), self._halted(here))
            return self._optimum(here)

    def build_and_climb(self, most: int, seed: int) -> Optimum:
        """Return iGES(FRES(start)), the list of candidates having 2 to `most` entries."""
        with self._climber_at(self._origin) as here:
            build(here, most, np.random.default_rng(seed), self._halted(here))
            return self._optimum(here)

    @contextmanager
    def _climber_at(self, optimum: Optimum) -> Iterator[Neighbourhood]:
        """
        Lend a climber that has gone to a class that was visited before.

        Which local scores it asks for again depends on where it was, so on the threads: they are not counted.
        """
        try:
            here = self._idle.get_nowait()
        except Empty:
            here = self._begin(self._scorer.fork())
        here.go_to(optimum.sets, optimum.score)
        here.refresh(self._halted(here))
        here.spent()
        yield here
        self._idle.put(here)

    def _halted(self, here: Neighbourhood) -> Callable[[], bool]:
        return lambda: self._run.halted(here.score)

    def _optimum(self, here: Neighbourhood) -> Optimum:
        for _ in both_ways(here, self._halted(here)):
            pass
        return Optimum(here.score, here.sets.copy(), here.maker(), here.spent())


def perturb(
    here: Neighbourhood, steps: int, noise: Noise, rng: np.random.Generator, halted: Callable[[], bool]
) -> None:
    """Insert or delete, at even odds, the edge whose gain is highest after noise; so many times (PERTURBATION)."""
    for _ in range(steps):
        kind = Kind.INSERT if rng.random() > 0.5 else Kind.DELETE
        if halted() or not here.refresh(halted):
            return
        if (step := here.noisy(kind, noise, rng)) is not None:
            here.apply(step)


def build(here: Neighbourhood, most: int, rng: np.random.Generator, halted: Callable[[], bool]) -> None:
    """Insert one of the k best edges at random until none raises the score, k drawn once from 2..most (FRES)."""
    k = int(rng.integers(2, most + 1))
    while not halted() and here.refresh(halted) and (candidates := here.best([Kind.INSERT], k)):
        here.apply(candidates[int(rng.integers(len(candidates)))])
