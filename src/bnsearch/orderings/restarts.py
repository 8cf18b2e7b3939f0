"""What the searches over orderings have in common: an index of the table, climbs that are offered, restarts."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeVar

import numpy as np

from bnsearch.knowledge.precedence import Precedence
from bnsearch.orderings.climber import Placed, State
from bnsearch.orderings.index import Index
from bnsearch.orderings.starts import Ordering, make_starts
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

C = TypeVar("C", bound=State)
Record = tuple[float, float, int]  # of a climb: the scores that it began and ended with, and its steps

CLIMBS, BATCH = 8, 16  # climbs a piece of work, and pieces handed out at a time


def prepare(problem: Problem, run: Run) -> Index:
    """Return the index of a problem's table, ready for threads; tell the run the upper bound."""
    index = Index(run.parent_sets(problem), precedence_of(problem), threads=run.threads)
    run.bound = relaxed(index.table).score
    _ = index.arrays  # made now, once
    return index


def precedence_of(problem: Problem) -> Precedence | None:
    """Return who must stand before whom; None where no edge is required."""
    return None if problem.constraints is None else problem.constraints.precedence


def offer(state: State, found: Placed, run: Run, iterations: int = 0) -> Placed:
    """Offer a network to the run, with the iterations that have found it and the rows looked at."""
    run.count(iterations=iterations, evaluations=state.evaluations())
    run.offer(found.score, found.dag)
    return found


def climb_from_starts(
    problem: Problem,
    run: Run,
    start: str,
    make_climber: Callable[[Index], C],
    climb: Callable[[C, Ordering, np.random.Generator], Placed],
) -> None:
    """
    Climb from one start after the other until the run is told to stop; a climb is one iteration.

    Each piece of work has a climber of its own.
    """
    index = prepare(problem, run)
    draw = make_starts(start, index.table)

    def climbs(piece: tuple[int, np.random.Generator]) -> list[Record]:
        number, rng = piece
        climber = make_climber(index)
        score, records = -inf, []
        for _ in range(number):
            if run.halted(score):
                break
            score = offer(climber, climb(climber, draw(rng), rng), run, 1).score
            records.append((climber.initial, score, climber.steps))
        return records

    while run.going():
        number = run.allowed(CLIMBS * BATCH)
        sizes = [min(CLIMBS, number - done) for done in range(0, number, CLIMBS)]
        for records in run.map(climbs, zip(sizes, run.spawn(len(sizes)), strict=True)):
            for record in records:
                run.climbs.add(*record)
