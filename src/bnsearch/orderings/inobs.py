"""INOBS: hill climbing over orderings by insertions, from many starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.orderings.climber import Climber, Placed, require_selection
from bnsearch.orderings.index import Index
from bnsearch.orderings.starts import make_starts, require_start
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.problem import Problem
from bnsearch.run import Run

CLIMBS, BATCH = 8, 16  # climbs a piece of work, and pieces handed out at a time


@dataclass(frozen=True, kw_only=True)
class INOBS:
    """
    Insert-neighbourhood search over orderings with random restarts.

    A variable is taken out of the ordering and put back elsewhere, as long as that improves the score of the best
    network consistent with the ordering; then the search starts again.

    Parameters
    ----------
    selection : which improving insertion to make: a random variable's best ("hybrid"), the best of all ("best"), or a
        random one ("first")
    start : where a climb starts: random, dfs or fas

    References
    ----------
    Lee & van Beek (2017), section 3, Algorithm 1.

    Notes
    -----
    The paper prices the insertions of a variable by a series of adjacent swaps; here all of them are priced in one look
    (see `kernels_price`). In "first", the paper tries insertions in random order until one improves, which is to
    say that each improving insertion is as likely; it is drawn from all of them. One iteration is one climb.
    """

    name: ClassVar[str] = "inobs"
    selection: str = "hybrid"
    start: str = "random"

    def __post_init__(self) -> None:
        require_selection(self.selection)
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""
        table = problem.parent_sets
        run.bound = relaxed(table).score
        index, start = Index(table), make_starts(self.start, table)
        _ = index.arrays  # made once, before threads ask for them

        def climbs(piece: tuple[int, np.random.Generator]) -> list[tuple[Placed, int]]:
            climber = Climber(index)
            number, rng = piece
            found: list[tuple[Placed, int]] = []
            while len(found) < number and not (found and run.halted(found[-1][0].score)):
                found.append((climber.climb(start(rng), rng, run.halted, self.selection), climber.evaluations()))
            return found

        while run.going():
            sizes = list(split(run.allowed(CLIMBS * BATCH), CLIMBS))
            for found in run.map(climbs, zip(sizes, run.spawn(len(sizes)), strict=True)):
                for optimum, evaluations in found:
                    run.count(iterations=1, evaluations=evaluations)
                    run.offer(optimum.score, optimum.dag)


def split(total: int, size: int) -> Iterator[int]:
    """Yield pieces of a size, and what is left."""
    for done in range(0, total, size):
        yield min(size, total - done)
