"""Tabu search over DAGs in several parts, as an activity of an island."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.climber import MEMORY_BYTES, Climber, ScoredDAG
from bnsearch.dags.hillclimb import Tabu, allowed_edges, remove_edges
from bnsearch.dags.lazy_climber import LazyClimber
from bnsearch.dags.pricer import Pricer
from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.ondemand.class_climb import ClassClimb
from bnsearch.ondemand.source import Source
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

PRICE_ROWS = 4  # maximum number of cached rows of gains per variable; with fewer, rows of the start are overwritten
RULES_BYTES = 2  # memory of tabu search for each pair of variables that all islands share
# Share of the remaining time that the first gains of tabu search may take in the first climb; at most the elapsed time.
MAX_TABU_SHARE = 0.1
TRIAL_SHARE = 0.2  # share of this time after which the time for all first gains is estimated
MIN_CLIMB_BYTES = 1 << 20  # smallest cache of gains with which a climb over DAGs is worth its memory

Parents = Sequence[Sequence[int]]
Ranked = NDArray[np.int64]
AnyClimber = Climber | LazyClimber | ClassClimb


def make_pricer(problem: Problem) -> Pricer:
    """Return the data, the score and the rules of tabu search as kernels take them."""
    rules = Tabu().rules(allowed_edges(problem), problem.constraints)
    return Pricer(problem.needed_data, problem.needed_score, rules, is_bounded=True)


def divide_climb_memory(memory: int, n: int, n_islands: int) -> list[int]:
    """Return the bytes for each tabu search over n variables: one per island, or fewer if memory is short."""
    gains = 8 * n * n  # bytes for the gains of all families of one graph
    number = min(n_islands, (memory - RULES_BYTES * n * n) // (gains + MIN_CLIMB_BYTES))
    if number < 1:
        return []
    max_bytes = max(MEMORY_BYTES, 8 * n * n * PRICE_ROWS)
    return [min(max_bytes, max(MIN_CLIMB_BYTES, memory // number - gains))] * number


class DagSearch:
    """
    Climbs over DAGs. Only one thread at a time may use it.

    The first climb is a lazy climb, which begins at the required edges or at a given network. GES follows if it is
    expected to be short, then tabu search from the better of both networks. Tabu search computes the gains of all edges
    first. It gives up, until a later climb, if this is expected to take long: on wide tables other searches gain more
    in this time. Under a time budget it takes at most as long as everything before it. All further climbs are tabu
    searches that begin at a part of a given network.

    Parameters
    ----------
    problem, source : the problem, and its arrays for kernels
    pricer : its arrays for the kernels of tabu search, from `make_pricer`; None if there is no memory for tabu search
    memory : bytes for the cache of the gains of families
    chain : chain whose cache gets the gains of the lazy climb as extension rows; None means none

    Attributes
    ----------
    gain_seconds : estimated time for the first gains of tabu search; 0 if it was not estimated
    is_tabu_slow : True if the first climb has left out tabu search because of this time
    """

    def __init__(
        self,
        problem: Problem,
        source: Source,
        pricer: Pricer | None,
        memory: int,
        chain: OnDemandChain | None = None,
    ) -> None:
        self.problem, self._source, self._chain = problem, source, chain
        self._tabu = None if pricer is None else Climber(pricer, memory=memory)
        self._first_climb: Iterator[AnyClimber] | None = None  # the remaining steps of the first climb
        self._found_before_tabu: ScoredDAG | None = None  # best network of the first climb before tabu search
        self._climber: AnyClimber | None = None  # the climber that took the last step
        self._asked = self._computed = 0  # local scores of this climber that were reported to the run
        self._tabu_begin: tuple[float, float] | None = None  # elapsed and remaining time when tabu search began
        self.gain_seconds = 0.0
        self.is_tabu_slow = False

    def start(self, parents: Parents | None = None, class_climb: ClassClimb | None = None) -> None:
        """
        Start the first climb; `continue_first_climb` takes its steps.

        Parameters
        ----------
        parents : the network to begin with; None means the required edges
        class_climb : GES as a part of the climb; None means none
        """
        start = self.problem.base.parents if parents is None else parents
        self._first_climb = self._first_steps(start, class_climb)

    @property
    def has_tabu_search(self) -> bool:
        """True if there is memory for climbs after the first one."""
        return self._tabu is not None

    @property
    def is_first_climb_running(self) -> bool:
        """True if the first climb has started and not ended."""
        return self._first_climb is not None

    def _first_steps(self, parents: Parents, class_climb: ClassClimb | None) -> Iterator[AnyClimber]:
        """Make a lazy climb, then GES, then tabu search from the better network; yield the climber after each step."""
        lazy = LazyClimber(self.problem, self._source.pairs, self._source.limits)
        lazy.start(parents)
        for _ in lazy.climb():
            yield lazy
        self._found_before_tabu = found = lazy.best
        if self._chain is not None:
            self._chain.cache_rows_of(lazy)
        del lazy  # tabu search needs its memory
        if class_climb is not None and found is not None:
            for _ in class_climb.climb(sum(len(own) for own in found.parents)):
                yield class_climb
            if improves(class_climb.score, found.score):
                self._found_before_tabu = found = class_climb.best
        if self._tabu is not None and found is not None:
            self._tabu.start(found.parents)
            for _ in self._tabu.climb():
                yield self._tabu

    def continue_first_climb(self, run: Run, seconds: float) -> tuple[ScoredDAG | None, bool]:
        """Continue the first climb for some seconds; return the best network so far, and True if the climb ended."""
        ended = self._first_climb is None or self._take_steps(self._first_climb, run, run.seconds + seconds)
        found = None if self._climber is None else self._climber.best
        if ended:
            self._first_climb = None
            self._climber = self._tabu
        before = self._found_before_tabu
        if before is not None and (found is None or improves(before.score, found.score)):
            found = before
        return found, ended

    def climb_from_part(self, parents: Parents, rng: np.random.Generator, run: Run) -> ScoredDAG | None:
        """Remove a share of a network's edges, climb with ties broken at random, and return the best network."""
        kept = remove_edges(parents, Tabu().perturbation, self.problem.constraints, rng)
        return self.climb(kept, rng.permutation(len(parents)), run, inf)[0]

    def climb(self, parents: Parents, ranked: Ranked | None, run: Run, seconds: float) -> tuple[ScoredDAG | None, bool]:
        """
        Climb from a network for some seconds; offer each network that is better than the incumbent.

        Returns the best network, and True if the climb ended.
        """
        if self._tabu is None:
            return None, True
        tabu = self._tabu
        tabu.start(parents, ranked)
        ended = self._take_steps((tabu for _ in tabu.climb()), run, run.seconds + seconds)
        return tabu.best, ended

    def _take_steps(self, steps: Iterator[AnyClimber], run: Run, deadline: float) -> bool:
        """Take steps until a deadline; offer each network better than the incumbent; return True if the steps ended."""
        for climber in steps:
            self._count_scores(climber, run)
            score = climber.score
            if improves(score, run.progress.score) and (found := climber.best) is not None:
                run.offer(found.score, partial(found.dag, self.problem.names))
            if run.halted(score) or run.seconds > deadline:
                return False
            if climber is self._tabu and self._first_climb is not None and run.is_timed:
                began = self._tabu_begin = self._tabu_begin or (run.seconds, run.seconds_left)
                self._estimate_gain_seconds(self._tabu, run, *began)
                if self.is_tabu_slow or run.seconds > 2.0 * began[0]:
                    return True
        return True

    def _estimate_gain_seconds(self, tabu: Climber, run: Run, began: float, left: float) -> None:
        """
        Estimate the time for the first gains of tabu search, and whether it is too long for the first climb.

        began, left : elapsed and remaining time when tabu search began
        """
        if tabu.score > -inf:  # all gains are known
            return
        spent, max_seconds = run.seconds - began, min(MAX_TABU_SHARE * left, began)
        if spent > TRIAL_SHARE * max_seconds:
            self.gain_seconds = spent / max(tabu.share_known, 1.0 / self.problem.size)
        self.is_tabu_slow = self.gain_seconds > max_seconds

    def _count_scores(self, climber: AnyClimber, run: Run) -> None:
        """Report the local scores of a climber since the last call."""
        if climber is not self._climber:
            self._climber, self._asked, self._computed = climber, 0, 0
        run.count(evaluations=climber.asked - self._asked, computed=climber.computed - self._computed)
        self._asked, self._computed = climber.asked, climber.computed
