"""Automatic selection: exhaustive as deep as the budget allows, then the most promising sets grown further."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

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
MANY_VARIABLES, MANY_CANDIDATES = 2000, 50
FAMILIES_PER_CALL = 4000  # between two looks at the clock
FASTEST = 1e-8  # seconds a set: what cannot fit at this pace is not tried


@dataclass(frozen=True, kw_only=True)
class Auto:
    """
    Exhaustive enumeration as deep as the budget allows, then best-first growth of each variable's best sets.

    Parameters
    ----------
    seconds : total wall-clock time; None stops when nothing is left to try
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    candidates : how many partners of each variable growth considers, the strongest by the score of the variable with
        that one parent (the sparse candidates of Friedman et al. 1999, as Teyssier & Koller 2005 use them); None
        means all, or 50 where there are more than 2,000 variables
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
    candidates: int | None = None
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        if self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0)
        if self.seconds is not None:
            require("seconds", self.seconds, above=0)
        if self.candidates is not None:
            require("candidates", self.candidates, at_least=1)
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

    def _partners(self, table: ParentSets, child: int) -> NDArray[np.int64]:
        """Return the variables that growth may add to a variable's parents."""
        n = table.n_variables
        most = self.candidates or (MANY_CANDIDATES if n > MANY_VARIABLES else n)
        if most >= n - 1:
            return np.delete(np.arange(n), child)
        alone = np.flatnonzero(table.sizes[table.begin[child] : table.begin[child + 1]] == 1)[:most]
        partners: NDArray[np.int64] = table.members[table.first[table.begin[child] + alone]].astype(np.int64)
        return partners

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

        def run(worker: int) -> tuple[list[Growth], bool]:
            own = extender.fork()
            growths = [self._seeded(own, table, child, depth, most) for child in range(worker, n, workers)]
            growing = growths
            while growing and time.perf_counter() < deadline:
                growing = _grow_in_turn(growing, own, deadline)
                progress("growing parent sets", len(growths) - len(growing), len(growths))
            return growths, not growing

        results = parallel_map(run, range(workers), workers)
        grown = [g for growths, _ in results for g in growths]
        return _merge(table, grown), sum(g.scored for g in grown), all(finished for _, finished in results)

    def _seeded(self, extender: Extender, table: ParentSets, child: int, size: int, most: int) -> Growth:
        """Return the growth of a variable that starts from its candidates of one size."""
        rows = np.arange(table.begin[child], table.begin[child + 1])
        rows = rows[table.sizes[rows] == size]
        seeds = table.members[table.first[rows][:, np.newaxis] + np.arange(size)]
        return Growth(extender, child, self._partners(table, child), most, seeds, table.scores[rows])


def _grow_in_turn(growths: list[Growth], extender: Extender, deadline: float) -> list[Growth]:
    """Grow each variable for its share of the time that is left; return those that can grow further."""
    unfinished = []
    for i, growth in enumerate(growths):
        now = time.perf_counter()
        until = now + (deadline - now) / (len(growths) - i)
        growing = True
        while growing and time.perf_counter() < until:
            growing = growth.grow(extender, FAMILIES_PER_CALL)
        if growing:
            unfinished.append(growth)
    return unfinished


def _merge(table: ParentSets, grown: list[Growth]) -> ParentSets:
    """Return the table with the sets that growth has found beyond the enumerated depth."""
    child = [np.repeat(np.arange(table.n_variables), np.diff(table.begin)).astype(np.int32)]
    scores, sizes, members = [table.scores], [table.sizes], [table.members]
    for growth in grown:
        sets, lengths, values = growth.found()
        child.append(np.full(len(values), growth.child, dtype=np.int32))
        scores.append(values)
        sizes.append(lengths.astype(np.int64))
        members.append(sets[np.arange(sets.shape[1]) < lengths[:, np.newaxis]])
    return ParentSets.build(
        table.names,
        np.concatenate(child),
        np.concatenate(scores),
        np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64),
        np.concatenate(members),
    )
