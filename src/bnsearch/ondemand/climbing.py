"""Greedy climbs beside the chains of an island: tabu search over DAGs, and GES over equivalence classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.climber import Climber, Found
from bnsearch.dags.hillclimb import Tabu, allowed_edges, without_edges
from bnsearch.dags.pricer import Pricer
from bnsearch.equivalence.ges import GES, two_stage_search
from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.source import Source
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

Parents = Sequence[Sequence[int]]
Ranked = NDArray[np.int64]


def pricer_of(problem: Problem, source: Source) -> Pricer:
    """Return what tabu search over DAGs is made on, with what single parents add."""
    rules = Tabu().rules(allowed_edges(problem), problem.constraints)
    return Pricer(problem.needed_data, problem.needed_score, rules, source.gains)


class Climbs:
    """
    Tabu search over DAGs, with the strongest edge first, wherever it is; for one thread at a time.

    Parameters
    ----------
    problem : what to climb on
    pricer : the same for kernels, as `pricer_of` makes it
    memory : bytes for the prices of families met before
    """

    def __init__(self, problem: Problem, pricer: Pricer, memory: int) -> None:
        self.problem = problem
        self._climber = Climber(pricer, memory=memory)
        self._first: Iterator[None] | None = None  # the steps of the first climb that are left
        self._found: Found | None = None  # its network so far, while another one is started from

    def begin(self) -> None:
        """Stand at the required edges; `go_on` climbs from there."""
        self._first = self._first_climb()

    @property
    def unfinished(self) -> bool:
        """Whether the first climb has begun and not ended."""
        return self._first is not None

    def _first_climb(self) -> Iterator[None]:
        """Climb with estimated gains, then as all climbs do."""
        climber = self._climber
        climber.start(self.problem.base.parents)
        yield from climber.climb_lazily()
        self._found = climber.best
        if self._found is not None:
            climber.start(self._found.parents)
            yield from climber.climb()

    def go_on(self, run: Run, seconds: float) -> tuple[Found | None, bool]:
        """Go on with the first climb for some seconds; return as `climb`."""
        ended = self._first is None or self._follow(self._first, run, run.seconds + seconds)
        if ended:
            self._first = None
        return self._climber.best or self._found, ended

    def again(self, parents: Parents, rng: np.random.Generator, run: Run) -> Found | None:
        """Climb from a network without a share of its edges, ties broken at random; return the best network."""
        kept = without_edges(parents, Tabu().perturbation, self.problem.constraints, rng)
        return self.climb(kept, rng.permutation(len(parents)), run, inf)[0]

    def climb(self, parents: Parents, ranked: Ranked | None, run: Run, seconds: float) -> tuple[Found | None, bool]:
        """
        Climb from a network for some seconds, offering whatever is better than the incumbent.

        Returns the best network, and whether the climb came to its end.
        """
        self._climber.start(parents, ranked)
        ended = self._follow(self._climber.climb(), run, run.seconds + seconds)
        return self._climber.best, ended

    def _follow(self, steps: Iterator[None], run: Run, until: float) -> bool:
        """Take steps until some time, offering whatever is better than the incumbent; return whether they ended."""
        climber = self._climber
        asked, computed = climber.asked, climber.computed
        for _ in steps:
            run.count(evaluations=climber.asked - asked, computed=climber.computed - computed)
            asked, computed = climber.asked, climber.computed
            if improves(climber.score, run.progress.score) and (found := climber.best) is not None:
                run.offer(found.score, partial(found.dag, self.problem.names))
            if run.halted(climber.score) or run.seconds > until:
                return False
        return True


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
        self._scorer = problem.scorer
        self._here = GES().start_neighbourhood(problem.scorer, problem.constraints)
        self._steps = two_stage_search(self._here, self._is_too_long)
        self.ended, self.spent = False, 0.0

    def go_on(self, seconds: float) -> None:
        """Take steps for some seconds; offer every network better than the incumbent."""
        run, began, here = self._run, self._run.seconds, self._here
        self._until = began + 2.0 * seconds
        while not self.ended and run.seconds - began < seconds:
            self.ended = next(self._steps, None) is None
            run.count(**here.take_counts())
            if improves(here.score, run.progress.score):
                run.offer(here.score, here.dag_maker())
        self.spent += run.seconds - began

    def found(self) -> tuple[DAG, NDArray[np.float64]]:
        """Return the network so far, and its local scores."""
        dag = self._here.dag_maker()()
        return dag, self._scorer.families(range(len(dag.parents)), dag.parents)

    def _is_too_long(self) -> bool:
        return self._run.halted() or self._run.seconds > self._until
