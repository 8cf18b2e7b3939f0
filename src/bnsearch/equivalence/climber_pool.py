"""Local optima for the metaheuristics: climbs from changed classes, several at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from bnsearch.budgets.budget import StopCheck
from bnsearch.equivalence.bitsets import Sets
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.ges import two_stage_search
from bnsearch.equivalence.iges import single_stage_search
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

Change = Callable[[Neighbourhood, StopCheck], None]


@dataclass(frozen=True)
class Optimum:
    """
    A class that a climb has reached.

    Attributes
    ----------
    score, sets : of the class
    make_dag : returns a DAG of the class
    counts : the work of the climb: evaluations, computed set values, keys of families
    """

    score: float
    sets: Sets = field(repr=False)
    make_dag: Callable[[], DAG] = field(repr=False)
    counts: dict[str, Any] = field(default_factory=dict)


class ClimberPool:
    """
    Climbers for several threads, each with its own caches, which it keeps from climb to climb.

    Parameters
    ----------
    method : the limits and the start
    problem : the score and the background knowledge
    run : decides when to stop
    keep_all : list operators that lower the score, too; perturbations need them

    Attributes
    ----------
    origin : the class at which the method starts
    """

    def __init__(self, method: ClassSearch, problem: Problem, run: Run, *, keep_all: bool = False) -> None:
        self._scorer, self._run = method.prepare_scorer(problem, run), run
        self._start = partial(method.start_neighbourhood, constraints=problem.constraints, keep_all=keep_all)
        first = self._start(self._scorer)
        first.refresh(self._halted(first))
        run.count(**first.take_counts())
        self.origin = Optimum(first.score, first.sets.copy(), first.dag_maker())
        self._idle: SimpleQueue[Neighbourhood] = SimpleQueue()
        self._idle.put(first)

    def climb(self) -> Optimum:
        """Return iGES(origin)."""
        with self._climber_at(self.origin) as state:
            return self._climb_to_optimum(state)

    def climb_in_two_stages(self) -> Optimum:
        """Return iGES(GES(origin))."""
        with self._climber_at(self.origin) as state:
            for _ in two_stage_search(state, self._halted(state)):
                pass
            return self._climb_to_optimum(state)

    def change_and_climb(self, optimum: Optimum, change: Change) -> Optimum:
        """Return iGES(change(optimum))."""
        with self._climber_at(optimum) as state:
            change(state, self._halted(state))
            return self._climb_to_optimum(state)

    @contextmanager
    def _climber_at(self, optimum: Optimum) -> Iterator[Neighbourhood]:
        """
        Lend a climber that has gone to a class visited before.

        The local scores that it needs for this depend on its last class, so on the threads: they are not counted.
        """
        try:
            state = self._idle.get_nowait()
        except Empty:
            state = self._start(self._scorer.fork())
        state.go_to(optimum.sets, optimum.score)
        state.refresh(self._halted(state))
        state.take_counts()
        yield state
        self._idle.put(state)

    def _halted(self, state: Neighbourhood) -> StopCheck:
        return lambda: self._run.halted(state.score)

    def _climb_to_optimum(self, state: Neighbourhood) -> Optimum:
        for _ in single_stage_search(state, self._halted(state)):
            pass
        return Optimum(state.score, state.sets.copy(), state.dag_maker(), state.take_counts())
