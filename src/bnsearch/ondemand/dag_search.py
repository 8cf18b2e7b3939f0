"""Tabu search over DAGs in several parts, as an activity of an island."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.climber import MEMORY_BYTES, Climber, ScoredDAG
from bnsearch.dags.hillclimb import Tabu, allowed_edges, remove_edges
from bnsearch.dags.pricer import Pricer
from bnsearch.ondemand.source import Source
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

PRICE_ROWS = 4  # cached rows of gains for each variable, at most: with fewer, the rows of the start are overwritten
MIN_CLIMB_BYTES = 1 << 20  # smallest cache of gains with which a climb over DAGs is worth its memory

Parents = Sequence[Sequence[int]]
Ranked = NDArray[np.int64]


def make_pricer(problem: Problem, source: Source) -> Pricer:
    """Return the data, the score and the rules of tabu search as kernels take them, with the gains of all pairs."""
    rules = Tabu().rules(allowed_edges(problem), problem.constraints)
    return Pricer(problem.needed_data, problem.needed_score, rules, source.gains)


def divide_climb_memory(memory: int, n: int, n_islands: int) -> list[int]:
    """Return the bytes for the climbs of each island that climbs, over n variables: as many as fit, at least one."""
    gains = 9 * n * n  # bytes for the gains of all families of one graph
    number = max(1, min(n_islands, memory // (gains + MIN_CLIMB_BYTES)))
    max_bytes = max(MEMORY_BYTES, 8 * n * n * PRICE_ROWS)
    return [min(max_bytes, max(MIN_CLIMB_BYTES, memory // number - gains))] * number


class DagSearch:
    """
    Tabu search over DAGs; for one thread at a time.

    The first climb begins at the required edges, or at a given network. All further ones begin at a
    part of a given network.

    Parameters
    ----------
    problem : the problem
    pricer : the same for kernels, from `make_pricer`
    memory : bytes for the cache of the gains of families
    """

    def __init__(self, problem: Problem, pricer: Pricer, memory: int) -> None:
        self.problem = problem
        self._climber = Climber(pricer, memory=memory)
        self._first_climb: Iterator[None] | None = None  # its remaining steps
        self._lazy_result: ScoredDAG | None = None  # end of the first climb's lazy part, while the climber is restarted

    def start(self, parents: Parents | None = None) -> None:
        """Start the first climb, at the required edges or at a network; `continue_first_climb` takes its steps."""
        self._first_climb = self._first_steps(self.problem.base.parents if parents is None else parents)

    @property
    def is_first_climb_running(self) -> bool:
        """True if the first climb has started and not ended."""
        return self._first_climb is not None

    def _first_steps(self, parents: Parents) -> Iterator[None]:
        """Climb with estimated gains, then with computed ones from where that ended."""
        climber = self._climber
        climber.start(parents)
        yield from climber.climb_lazily()
        self._lazy_result = climber.best
        if self._lazy_result is not None:
            climber.start(self._lazy_result.parents)
            yield from climber.climb()

    def continue_first_climb(self, run: Run, seconds: float) -> tuple[ScoredDAG | None, bool]:
        """Continue the first climb for some seconds; return the best network so far, and True if the climb ended."""
        ended = self._first_climb is None or self._take_steps(self._first_climb, run, run.seconds + seconds)
        if ended:
            self._first_climb = None
        return self._climber.best or self._lazy_result, ended

    def climb_from_part(self, parents: Parents, rng: np.random.Generator, run: Run) -> ScoredDAG | None:
        """Climb from a network without a share of its edges, ties broken at random; return the best network."""
        kept = remove_edges(parents, Tabu().perturbation, self.problem.constraints, rng)
        return self.climb(kept, rng.permutation(len(parents)), run, inf)[0]

    def climb(self, parents: Parents, ranked: Ranked | None, run: Run, seconds: float) -> tuple[ScoredDAG | None, bool]:
        """
        Climb from a network for some seconds; offer each network that is better than the incumbent.

        Returns the best network, and True if the climb ended.
        """
        self._climber.start(parents, ranked)
        ended = self._take_steps(self._climber.climb(), run, run.seconds + seconds)
        return self._climber.best, ended

    def _take_steps(self, steps: Iterator[None], run: Run, deadline: float) -> bool:
        """Take steps until a deadline; offer each network better than the incumbent; return True if the steps ended."""
        climber = self._climber
        asked, computed = climber.asked, climber.computed
        for _ in steps:
            run.count(evaluations=climber.asked - asked, computed=climber.computed - computed)
            asked, computed = climber.asked, climber.computed
            if improves(climber.score, run.progress.score) and (found := climber.best) is not None:
                run.offer(found.score, partial(found.dag, self.problem.names))
            if run.halted(climber.score) or run.seconds > deadline:
                return False
        return True
