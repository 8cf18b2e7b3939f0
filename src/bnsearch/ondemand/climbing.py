"""Where islands begin: greedy climbs over DAGs and over equivalence classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from bnsearch.dags.climber import Climber
from bnsearch.dags.hillclimb import HillClimb, allowed_edges
from bnsearch.equivalence.climbing import backward, forward
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.source import Source
from bnsearch.parent_sets.extender import Extender
from bnsearch.problem import Problem
from bnsearch.run import Run
from bnsearch.scores.score import improves
from bnsearch.scores.scorer import Scorer

PERTURBATION = 0.5  # the share of edges that is taken away before another climb
MAX_SUBSET = 3  # of T in Insert(X, Y, T), as GES has it

Make = Callable[[], DAG]


class DAGStart:
    """
    Hill climbing over DAGs: the strongest edges first, wherever they are.

    Parameters
    ----------
    problem, source : what to climb on; what single parents add is known already
    scorer : of the problem, for this climb alone
    memory : bytes for its prices
    """

    def __init__(self, problem: Problem, source: Source, scorer: Scorer, memory: int) -> None:
        self.problem = problem
        self.climber = Climber(
            scorer,
            Extender(problem.needed_data, problem.needed_score),
            replace(
                HillClimb().rules(allowed_edges(problem), problem.constraints),
                related=source.related[np.ix_(source.place, source.place)],
            ),
            memory=memory,
        )
        if not source.required.any():
            for child, gains, own in source.first_rows():
                self.climber.remember(child, gains, own)

    def steps(self) -> Iterator[tuple[float, Make]]:
        """Climb from the network of the required edges."""
        return self._follow(self.climber, self.problem.base.parents, None)

    def steps_again(self, best: DAG, rng: np.random.Generator) -> Iterator[tuple[float, Make]]:
        """Climb from a network without half of its edges, ties broken at random; for any thread."""
        known = self.problem.constraints
        must: Sequence[Sequence[int]] = [()] * len(best.names) if known is None else known.required_parents
        kept = [
            [p for p in parents if rng.random() >= PERTURBATION or p in must[child]]
            for child, parents in enumerate(best.parents)
        ]
        return self._follow(self.climber.fork(), kept, rng.permutation(len(best.names)))

    def _follow(
        self, climber: Climber, parents: Sequence[Sequence[int]], ranked: np.ndarray | None
    ) -> Iterator[tuple[float, Make]]:
        climber.start(parents, ranked)
        for _ in climber.climb():
            if (found := climber.best) is not None:
                yield found.score, partial(found.dag, self.problem.names)


class ClassStart:
    """Greedy equivalence search (GES), for scores that equivalent networks share."""

    def __init__(self, problem: Problem, halted: Callable[[], bool]) -> None:
        self.here = Neighbourhood(problem.scorer, max_subset=MAX_SUBSET, constraints=problem.constraints)
        self.halted = halted

    def steps(self) -> Iterator[tuple[float, Make]]:
        """Insert edges, then delete edges."""
        for _ in chain(forward(self.here, self.halted), backward(self.here, self.halted)):
            yield self.here.score, self.here.maker()


def follow(steps: Iterator[tuple[float, Make]], run: Run, seconds: float) -> tuple[DAG | None, bool]:
    """Climb to the end or for some seconds, offering improvements; return the last network, and whether it ended."""
    until, last = run.seconds + seconds, None
    for found in steps:
        last = found
        _offer(found, run)
        if run.halted() or run.seconds > until:
            return last[1](), False
    return None if last is None else last[1](), True


def _offer(found: tuple[float, Make], run: Run) -> None:
    run.count(evaluations=1)
    if improves(found[0], run.progress.score):
        run.offer(*found)
