"""Greedy equivalence search (GES) in several parts, in parallel with the searches of the islands."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.ges import GES, two_stage_search
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves


class ClassClimb:
    """
    GES in several parts, for a score-equivalent score; for one thread at a time.

    The climb uses the problem's own scorer, which has the values of all pairs of variables in its cache.

    Parameters
    ----------
    problem, run : the problem, and the run to offer networks to
    max_seconds : time budget of all parts together

    Attributes
    ----------
    ended : True if no step is left, or if one step took too long
    """

    def __init__(self, problem: Problem, run: Run, max_seconds: float = inf) -> None:
        self._run, self._deadline = run, inf
        self._max_seconds, self._spent = max_seconds, 0.0
        self._scorer = problem.scorer
        self._state = GES().start_neighbourhood(problem.scorer, problem.constraints)
        self._steps = two_stage_search(self._state, self._is_late)
        self.ended = False

    def advance(self, seconds: float) -> None:
        """Take steps for some seconds, within the budget; offer each network that is better than the incumbent."""
        run, started, state = self._run, self._run.seconds, self._state
        seconds = min(seconds, self._max_seconds - self._spent)
        self._deadline = started + 2.0 * seconds  # a step that takes as long as a whole part ends the climb
        while not self.ended and run.seconds - started < seconds:
            self.ended = next(self._steps, None) is None
            run.count(**state.take_counts())
            if improves(state.score, run.progress.score):
                run.offer(state.score, state.dag_maker())
        self._spent += run.seconds - started

    @property
    def is_over(self) -> bool:
        """True if the climb has ended or its budget is used up."""
        return self.ended or self._spent >= self._max_seconds

    def found(self) -> tuple[DAG, NDArray[np.float64]]:
        """Return the network so far, and its local scores."""
        dag = self._state.dag_maker()()
        return dag, self._scorer.families(range(len(dag.parents)), dag.parents)

    def _is_late(self) -> bool:
        return self._run.halted() or self._run.seconds > self._deadline
