"""Where islands begin: greedy climbs over DAGs and over equivalence classes, of which the better one goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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

PERTURBATION = 0.5  # the share of edges that is taken away before another climb
SLICE, TRIAL = 0.02, 0.1  # of the time of a race: one turn of a climb, and what each climb has in any case
MAX_SUBSET = 3  # of T in Insert(X, Y, T), as GES has it

Make = Callable[[], DAG]


class DAGStart:
    """
    Hill climbing over DAGs: the strongest edges first, wherever they are.

    Parameters
    ----------
    problem, source : what to climb on; what single parents add is known already
    memory : bytes for its prices
    """

    def __init__(self, problem: Problem, source: Source, memory: int) -> None:
        self.problem = problem
        self.climber = Climber(
            problem.scorer,
            Extender(problem.needed_data, problem.needed_score),
            HillClimb().rules(allowed_edges(problem), problem.constraints),
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


def race(climbs: Sequence[Iterator[tuple[float, Make]]], run: Run, seconds: float) -> DAG | None:
    """
    Climb in turns until all climbs have ended or the time is over; offer every improvement; return the best network.

    After a trial in which all of them climb, only the best one goes on.
    """
    began, ended = run.seconds, False
    best: list[tuple[float, Make] | None] = [None] * len(climbs)
    used = [0.0] * len(climbs)
    going = list(range(len(climbs)))
    while going and not ended:
        for i in list(going):
            start = run.seconds
            for found in climbs[i]:
                best[i] = found
                _offer(found, run)
                ended = run.halted() or run.seconds - began > seconds
                if ended or run.seconds - start > SLICE * seconds:
                    break
            else:
                going.remove(i)
            used[i] += run.seconds - start
            if ended:
                break
        if all(used[i] > TRIAL * seconds for i in going):
            leader = max(range(len(climbs)), key=lambda i: -np.inf if best[i] is None else best[i][0])
            going = [i for i in going if i == leader]
    found = max((each for each in best if each is not None), key=lambda each: each[0], default=None)
    return None if found is None else found[1]()


def _offer(found: tuple[float, Make], run: Run) -> None:
    run.count(evaluations=1)
    if improves(found[0], run.progress.score):
        run.offer(*found)
