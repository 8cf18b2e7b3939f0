"""Growth of all variables' parent sets within a budget, over threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from functools import partial
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map
from bnsearch.parent_sets.assembly import ROWS_AT_ONCE
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.extender import Extender
from bnsearch.selection.builder import Job
from bnsearch.selection.progress import Scoring
from bnsearch.selection.variable_growth import Growth

FAMILIES_PER_CALL, ROWS_PER_CALL = 4000, 1 << 26  # families, or families times rows, between two looks at the clock
UNLIMITED = 1 << 62
SECONDS_PER_ROW = 1.5e-6  # what a new row costs when the table is assembled, generously


class Growing:
    """
    The growths of all variables, which start from the candidates of one size.

    Parameters
    ----------
    job : what to select from
    table : the candidates so far, all sets of up to `depth` parents having been considered
    depth : the size to start from
    partners : how many partners of each variable to consider, the strongest by its score with that one parent
    evaluations : families to score; None means no limit
    memory : for the sets found
    reserve : seconds that it takes to assemble the table again
    """

    def __init__(
        self,
        job: Job,
        table: ParentSets,
        depth: int,
        *,
        partners: int,
        evaluations: int | None,
        memory: int,
        reserve: float,
    ) -> None:
        self.job, self.table, self.depth = job, table, depth
        self.partners = min(partners, job.n - 1) if depth else job.n - 1  # single parents tell which are the strongest
        self.evaluations, self.memory, self.reserve = evaluations, memory, reserve
        self.workers = max(1, min(job.threads, len(job.children)))
        extender = Extender(job.data, job.score)
        self._extenders = [extender.fork() for _ in range(self.workers)]
        self._growths: dict[int, Growth] = {}
        self._lock = threading.Lock()
        self._new = self._turns = 0
        self._halted = False
        self._families_per_call = max(FAMILIES_PER_CALL, ROWS_PER_CALL // job.data.n_rows)
        self.seconds_of = np.zeros(job.n)

    def go(self) -> str:
        """Grow every variable in turn, round after round; return why it ended."""
        growing, out_of_memory = self.job.children.tolist(), False
        while growing:
            share = self._share(len(growing))
            if share < 1:
                return "evaluations"
            if self.job.halt():
                return "interrupted"
            if time.perf_counter() >= self._deadline():
                return "seconds"
            waiting = deque(growing)
            workers = range(min(self.workers, len(growing)))
            parallel_map(partial(self._take_turns, waiting, share), workers, self.workers, self._halt)
            growing = [v for v in growing if v not in self._growths or self._growths[v].growing]
            full = {v for v in growing if v in self._growths and self._is_full(self._growths[v])}
            out_of_memory = out_of_memory or bool(full)
            growing = [v for v in growing if v not in full]
        return "memory" if out_of_memory else "complete"

    def _halt(self) -> None:
        self._halted = True

    def _is_halted(self) -> bool:
        return self._halted or self.job.halt()

    def _share(self, growing: int) -> int:
        """Return how many families each variable may score in the next round, one extension less: it goes beyond."""
        if self.evaluations is None:
            return UNLIMITED
        return (self.evaluations - self.scored) // growing - self.partners + 1

    def _deadline(self) -> float:
        """Return when to stop, so that the table is assembled in time."""
        return self.job.deadline - self.reserve - SECONDS_PER_ROW * self._new

    def _is_full(self, growth: Growth) -> bool:
        return growth.nbytes > max(1 << 16, self.memory // self.job.n)

    def _take_turns(self, waiting: deque[int], share: int, worker: int) -> None:
        """Grow one waiting variable after the other for its share of families, and of the time that is left."""
        while waiting:
            begun = time.perf_counter()
            until = begun + (self._deadline() - begun) / ceil(len(waiting) / self.workers or 1)
            if self._is_halted() or begun >= until:
                return
            try:
                child = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            if child not in self._growths:
                self._growths[child] = self._seeded(child)
            growth = self._growths[child]
            self._grow(growth, self._extenders[worker], share, until)
            self.seconds_of[child] += time.perf_counter() - begun
            with self._lock:
                self._turns += 1
                variables = len(self.job.children)
                found = self.table.n_sets - (self.job.n - variables) + self._new
                now = Scoring("growing parent sets", min(self._turns, variables), variables, "variables", found)
            self.job.progress(now)

    def _grow(self, growth: Growth, extender: Extender, share: int, until: float) -> None:
        stop, found = growth.scored + share, growth.new
        timed = self.job.deadline < float("inf")
        while growth.growing and not self._is_halted() and not self._is_full(growth) and growth.scored < stop:
            if timed and time.perf_counter() >= until:
                break
            growth.grow(extender, min(self._families_per_call, stop - growth.scored))
        with self._lock:
            self._new += growth.new - found

    def _seeded(self, child: int) -> Growth:
        """Return the growth of a variable that starts from its candidates of one size."""
        table = self.table
        rows = np.arange(table.begin[child], table.begin[child + 1])
        rows = rows[table.sizes[rows] == self.depth]
        seeds = table.members[table.first[rows][:, np.newaxis] + np.arange(self.depth)]
        partners = self._partners(child)
        extender = self._extenders[0]
        most = self.job.most_of(child)
        return Growth(extender, child, partners, most, seeds, table.scores[rows], self.job.bound)

    def _partners(self, child: int) -> NDArray[np.int64]:
        """Return the variables that growth may add to a variable's parents."""
        table, n = self.table, self.job.n
        if self.partners == n - 1:
            return self.job.candidates(child)
        alone = np.flatnonzero(table.sizes[table.begin[child] : table.begin[child + 1]] == 1)[: self.partners]
        partners: NDArray[np.int64] = table.members[table.first[table.begin[child] + alone]].astype(np.int64)
        return partners

    @property
    def scored(self) -> int:
        """Families scored so far."""
        return int(self.scored_of.sum())

    @property
    def scored_of(self) -> NDArray[np.int64]:
        """Families of each variable scored so far."""
        scored = np.zeros(self.job.n, dtype=np.int64)
        for child, growth in self._growths.items():
            scored[child] = growth.scored
        return scored

    def merged(self, *, soon: bool = False) -> ParentSets:
        """Return the table with the sets that were found; `soon`, of each variable's best where there are many."""
        table = self.table
        if soon and table.n_sets > ROWS_AT_ONCE:
            table = table.best(-(-ROWS_AT_ONCE // self.job.n))
        if not any(growth.new for growth in self._growths.values()):
            return table
        grown = (growth.found().families_of(child) for child, growth in sorted(self._growths.items()))
        parts = [table.families, *grown]
        return ParentSets.from_families(table.names, parts, pruned=self.depth, threads=self.job.threads)
