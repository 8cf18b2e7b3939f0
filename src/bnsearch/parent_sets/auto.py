"""Automatic selection: exhaustive as deep as the budget allows, then the most promising sets grown further."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb

import numpy as np

from bnsearch.data import Dataset
from bnsearch.errors import require
from bnsearch.parallel import parallel_map, thread_count
from bnsearch.parent_sets.bounds import most_parents
from bnsearch.parent_sets.extender import Extender
from bnsearch.parent_sets.growth import Growth
from bnsearch.parent_sets.selection import Selection, no_progress
from bnsearch.parent_sets.table import ParentSets
from bnsearch.parent_sets.walk import Walk
from bnsearch.scores.score import Score

EXHAUSTIVE_SHARE = 0.9  # of the time that is left, the most that enumerating one more size may take
FASTEST = 1e-8  # seconds a set: what cannot fit at this pace is not tried


@dataclass(frozen=True, kw_only=True)
class Auto:
    """
    Exhaustive enumeration as deep as the budget allows, then best-first growth of each variable's best sets.

    Parameters
    ----------
    seconds : total wall-clock time; None stops when nothing is left to try
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    memory : the most bytes for counts and for the best scores of smaller sets

    Notes
    -----
    Sizes are enumerated one after the other (as `Sequential`) while the next one, by the pace of its first pieces, fits
    into the time that is left. The rest of the time is divided evenly over the variables: each extends its
    best-scoring open set by every other variable, again and again; an extension that beats the set it extends is kept
    and opened. On small problems the enumeration reaches the score's own bound and the table is exact.
    """

    seconds: float | None = 60.0
    max_parents: int | None = None
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
        most = most_parents(data, score, self.max_parents)
        walk = Walk(data, score, self._deepest(data.n_variables, most, thread_count(threads)), self.memory, threads)
        stop = "complete"
        try:
            self._enumerate(walk, deadline, progress)
            table = walk.table()
            grown = 0
            if walk.complete < most:
                table, grown, finished = self._grow(walk, table, most, deadline, progress)
                stop = "complete" if finished else "seconds"
        except KeyboardInterrupt:
            stop, table, grown = "interrupted", walk.table(), 0
        return Selection(table, walk.scored + grown, walk.complete, time.perf_counter() - started, stop)

    def _deepest(self, n: int, most: int, threads: int) -> int:
        """Return the most parents up to which enumeration could fit in memory and, at the fastest pace, in time."""
        depth = min(1, most)
        while (
            depth < most
            and n * comb(n, depth) * 8 <= self.memory / 2
            and (self.seconds is None or comb(n, depth + 2) * FASTEST <= self.seconds * threads)
        ):
            depth += 1
        return depth

    def _enumerate(self, walk: Walk, deadline: float, progress: Callable[[str, int, int], None]) -> None:
        for size in range(2, walk.sweep.max_size + 1):
            worth = EXHAUSTIVE_SHARE * (deadline - time.perf_counter())
            if not walk.fits(size) or not walk.step(size, deadline, progress, worth):
                return

    def _grow(
        self,
        walk: Walk,
        table: ParentSets,
        most: int,
        deadline: float,
        progress: Callable[[str, int, int], None],
    ) -> tuple[ParentSets, int, bool]:
        """Return the table with larger sets, the families scored for them, and whether none were left to try."""
        extender = Extender(walk.data, walk.score)
        n, depth = table.n_variables, walk.complete
        workers = min(walk.sweep.threads, n)

        def run(worker: int) -> tuple[list[Growth], int, bool]:
            own = extender.fork()
            growths = [
                Growth(child, np.delete(np.arange(n), child), most, _sets_of_size(table, child, depth))
                for child in range(worker, n, workers)
            ]
            growing = growths
            while growing and time.perf_counter() < deadline:
                growing = _grow_in_turn(growing, own, deadline)
                progress("growing parent sets", len(growths) - len(growing), len(growths))
            return growths, own.evaluations, not growing

        results = parallel_map(run, range(workers), workers)
        grown = [g for growths, _, _ in results for g in growths]
        return (
            _merge(table, grown),
            sum(e for _, e, _ in results),
            all(finished for _, _, finished in results),
        )


def _sets_of_size(table: ParentSets, child: int, size: int) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield a variable's candidates of one size, best first."""
    return ((score, parents) for score, parents in table.sets(child) if len(parents) == size)


def _grow_in_turn(growths: list[Growth], extender: Extender, deadline: float) -> list[Growth]:
    """Grow each variable for its share of the time that is left; return those that can grow further."""
    unfinished = []
    for i, growth in enumerate(growths):
        now = time.perf_counter()
        until = now + (deadline - now) / (len(growths) - i)
        growing = True
        while growing and time.perf_counter() < until:
            growing = growth.grow(extender)
        if growing:
            unfinished.append(growth)
    return unfinished


def _merge(table: ParentSets, grown: list[Growth]) -> ParentSets:
    """Return the table with the sets that growth has found beyond the enumerated depth."""
    more = [(g.child, s, p) for g in grown for p, s in g.found.items()]
    child = np.repeat(np.arange(table.n_variables), np.diff(table.begin)).astype(np.int32)
    sizes = np.concatenate([table.sizes, [len(p) for _, _, p in more]]).astype(np.int64)
    return ParentSets.build(
        table.names,
        np.concatenate([child, np.array([c for c, _, _ in more], dtype=np.int32)]),
        np.concatenate([table.scores, np.array([s for _, s, _ in more], dtype=np.float64)]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([table.members, np.array([m for _, _, p in more for m in p], dtype=np.int32)]),
    )
