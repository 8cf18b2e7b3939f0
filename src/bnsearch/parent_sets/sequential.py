"""Sequential selection: every parent set up to a size."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bnsearch.data import Dataset
from bnsearch.errors import require
from bnsearch.parent_sets.bounds import most_parents
from bnsearch.parent_sets.selection import Selection, no_progress
from bnsearch.parent_sets.walk import Walk
from bnsearch.scores.score import Score


@dataclass(frozen=True, kw_only=True)
class Sequential:
    """
    All parent sets of up to `max_parents` variables, by exhaustive enumeration.

    Parameters
    ----------
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    seconds : stop when this much time has passed; what is there is returned
    memory : the most bytes for counts and for the best scores of smaller sets

    References
    ----------
    Perez & Maua (2016), section 3.1: breadth-first search of the parent lattice to depth k.

    Notes
    -----
    The lattices of all variables are walked at once: a set of k + 1 variables is counted once for the k + 1 families in
    it. A family is kept if no subset of its parents scores as well; the best score over the subsets is carried from
    size to size.
    """

    max_parents: int | None = 3
    seconds: float | None = None
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        if self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0)
        if self.seconds is not None:
            require("seconds", self.seconds, above=0)
        require("memory", self.memory, at_least=1 << 20)

    def select(
        self,
        data: Dataset,
        score: Score,
        *,
        threads: int | None = None,
        progress: Callable[[str, int, int], None] = no_progress,
    ) -> Selection:
        """Build the candidate table of a dataset."""
        started = time.perf_counter()
        deadline = started + (float("inf") if self.seconds is None else self.seconds)
        depth = most_parents(data, score, self.max_parents)
        walk = Walk(data, score, depth, self.memory, threads)
        stop = "complete"
        try:
            for size in range(2, walk.sweep.max_size + 1):
                if not walk.fits(size):
                    stop = "memory"
                    break
                if not walk.step(size, deadline, progress):
                    stop = "seconds"
                    break
        except KeyboardInterrupt:
            stop = "interrupted"
        table = walk.table()
        return Selection(
            table=table,
            scored=walk.scored,
            exhaustive=walk.complete,
            seconds=time.perf_counter() - started,
            stop=stop,
        )
