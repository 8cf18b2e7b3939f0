"""Greedy climbs beside the chains of an island: tabu search over DAGs, and GES over equivalence classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.climber import Climber, Found
from bnsearch.dags.hillclimb import Tabu, allowed_edges, without_edges
from bnsearch.equivalence.climbing import backward, forward
from bnsearch.equivalence.ges import GES
from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.source import Source
from bnsearch.parent_sets.extender import Extender
from bnsearch.problem import Problem
from bnsearch.run import Run
from bnsearch.scores.score import improves

Parents = Sequence[Sequence[int]]
Ranked = NDArray[np.int64]


class Climbs:
    """
    Tabu search over DAGs, with the strongest edge first, wherever it is; for one thread at a time.

    Parameters
    ----------
    problem : what to climb on
    memory : bytes for the prices of families met before
    """

    def __init__(self, problem: Problem, memory: int) -> None:
        self.problem = problem
        self.scorer = problem.scorer.fork()
        rules = Tabu().rules(allowed_edges(problem), problem.constraints)
        extender = Extender(problem.needed_data, problem.needed_score)
        self._climber = Climber(self.scorer, extender, rules, memory=memory)

    def start_from(self, source: Source) -> None:
        """Take what single parents add to scores as known."""
        if not source.required.any():
            self._climber.remember(source.first_rows())

    def again(self, parents: Parents, rng: np.random.Generator, run: Run) -> Found | None:
        """Climb from a network without a share of its edges, ties broken at random; return the best network."""
        kept = without_edges(parents, Tabu().perturbation, self.problem.constraints, rng)
        return self.climb(kept, rng.permutation(len(parents)), run, inf)[0]

    def climb(self, parents: Parents, ranked: Ranked | None, run: Run, seconds: float) -> tuple[Found | None, bool]:
        """
        Climb from a network for some seconds, offering whatever is better than the incumbent.

        Returns the best network, and whether the climb came to its end.
        """
        climber, until = self._climber, run.seconds + seconds
        asked, computed = climber.asked, climber.computed
        climber.start(parents, ranked)
        for _ in climber.climb():
            run.count(evaluations=climber.asked - asked, computed=climber.computed - computed)
            asked, computed = climber.asked, climber.computed
            if improves(climber.score, run.progress.score) and (found := climber.best) is not None:
                run.offer(found.score, partial(found.dag, self.problem.names))
            if run.halted(climber.score) or run.seconds > until:
                return climber.best, False
        return climber.best, True


class ClassClimb:
    """
    Greedy equivalence search (GES) in pieces, for a score that equivalent networks share; for one thread at a time.

    It takes the problem's own scorer, which knows the values of all pairs.

    Attributes
    ----------
    ended : whether there is nothing left to do: it came to its end, or one step took too long
    spent : seconds so far
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._run, self._until = run, inf
        self._here = GES().begin(problem.scorer, problem.constraints)
        self._steps = chain(forward(self._here, self._is_too_long), backward(self._here, self._is_too_long))
        self.ended, self.spent = False, 0.0

    def go_on(self, seconds: float) -> None:
        """Take steps for some seconds; offer every network better than the incumbent."""
        run, began, here = self._run, self._run.seconds, self._here
        self._until = began + 2.0 * seconds
        while not self.ended and run.seconds - began < seconds:
            self.ended = next(self._steps, None) is None
            run.count(**here.spent())
            if improves(here.score, run.progress.score):
                run.offer(here.score, here.maker())
        self.spent += run.seconds - began

    def found(self) -> DAG:
        """Return the network so far."""
        return self._here.maker()()

    def _is_too_long(self) -> bool:
        return self._run.halted() or self._run.seconds > self._until
