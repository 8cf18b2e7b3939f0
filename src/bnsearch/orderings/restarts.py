"""Functions that the searches over orderings share: the index of the problem, reporting networks, restarts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from bnsearch.knowledge.precedence import Precedence
from bnsearch.orderings.index import Index
from bnsearch.orderings.starts import Ordering, make_starts
from bnsearch.orderings.state import Climb, OrderingState, ScoredOrdering, StatePool
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

C = TypeVar("C", bound=OrderingState)

CLIMBS_PER_TASK = 8  # climbs of one task; they share a climber and a generator
TASKS_PER_BATCH = 16  # tasks given to the workers between two checks of the stopping rule


def build_index(problem: Problem, run: Run) -> Index:
    """Return the index of a problem's candidate table, and set the upper bound of the run."""
    index = Index(run.parent_sets(problem), precedence_of(problem), threads=run.threads)
    run.tighten_bound(relaxed(index.table).score)
    _ = index.arrays  # built here, because workers must not build it at the same time
    return index


def precedence_of(problem: Problem) -> Precedence | None:
    """Return the constraints on orderings that the required edges imply; None if no edge is required."""
    return None if problem.constraints is None else problem.constraints.precedence


def offer_network(state: OrderingState, found: ScoredOrdering, run: Run, iterations: int = 0) -> ScoredOrdering:
    """Offer a network to the run as its incumbent, after adding to the run's iterations and evaluations; return it."""
    run.count(iterations=iterations, evaluations=state.new_evaluations())
    run.offer(found.score, found.dag, found.key)
    return found


def climb_from_starts(
    problem: Problem,
    run: Run,
    start: str,
    make_climber: Callable[[Index], C],
    climb_all: Callable[[C, list[Ordering], np.random.Generator], Iterator[list[Climb]]],
) -> None:
    """
    Climb from one start after the other until the run stops. One iteration is one climb.

    `climb_all` climbs from a list of starts, and yields the finished climbs in lists. Each task has its own generator
    and a climber with empty caches, so the result does not depend on the number of threads.
    """
    index = build_index(problem, run)
    draw = make_starts(start, index.table)
    climbers = StatePool(lambda: make_climber(index))

    def run_task(task: tuple[int, np.random.Generator]) -> list[Climb]:
        number, rng = task
        climbs: list[Climb] = []
        if run.halted():
            return climbs
        with climbers.borrow() as climber:
            for finished in climb_all(climber, [draw(rng) for _ in range(number)], rng):
                run.count(iterations=len(finished), evaluations=climber.new_evaluations())
                for climb in finished:
                    run.offer(climb.end.score, climb.end.dag, climb.end.key)
                climbs += finished
        return climbs

    while run.going():
        number = run.allowed(CLIMBS_PER_TASK * TASKS_PER_BATCH)
        sizes = [min(CLIMBS_PER_TASK, number - done) for done in range(0, number, CLIMBS_PER_TASK)]
        for climbs in run.map(run_task, zip(sizes, run.spawn(len(sizes)), strict=True)):
            for initial, end, steps in climbs:
                run.climbs.add(initial, end.score, steps)
