"""The growth of all variables' parent sets within a budget, over threads."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from functools import partial
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map
from bnsearch.budgets.events import Event
from bnsearch.parent_sets.assembly import MAX_BEST_ROWS
from bnsearch.parent_sets.rows import Families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.extender import Extender
from bnsearch.selection.builder import Job
from bnsearch.selection.variable_growth import VariableGrowth

# Under a budget of evaluations, memory is checked after a fixed number of families, so that the result does not depend
# on the clock: after this number, or more if their product with the rows is below the second number.
FAMILIES_PER_CALL, ROWS_PER_CALL = 4000, 1 << 26
CALL_SECONDS = 0.001  # under a time budget: wanted time of a call. The extensions of one set are not divided
MAX_FAMILIES_PER_CALL = 1 << 20  # upper bound for a clock that stands still
UNLIMITED = 1 << 62  # number of evaluations that is never reached
SECONDS_PER_ROW = 1.5e-6  # generous time for assembling one new row of the table


@dataclass(frozen=True, kw_only=True)
class GrowthPlan:
    """
    The start and the limits of a growth.

    Attributes
    ----------
    depth : size of the sets to start from
    partners : number of candidate parents of each variable, those with the best scores as its only parent
    evaluations : number of families to score; None means no limit
    memory : bytes for the sets found
    reserve : time for assembling the table again
    """

    depth: int
    partners: int
    evaluations: int | None
    memory: int
    reserve: float = 0.0


class GrowthStage:
    """
    The growths of all variables, which start from their candidate sets of one size.

    Parameters
    ----------
    job : the selection that the stage is part of
    table : the candidate sets so far; all sets of up to `plan.depth` parents have been considered
    plan : the start and the limits of the growth
    """

    def __init__(self, job: Job, table: ParentSets, plan: GrowthPlan) -> None:
        self.job, self.table, self.plan = job, table, plan
        # Candidates are ranked by the sets of one parent, which a table of depth 0 lacks.
        self.partners = min(plan.partners, job.n - 1) if plan.depth else job.n - 1
        self.workers = max(1, min(job.budget.threads, len(job.children)))
        extender = Extender(job.data, job.score)
        self._extenders = [extender.fork() for _ in range(self.workers)]
        self._growths: dict[int, VariableGrowth] = {}
        self._lock = threading.Lock()
        self._n_new = 0  # sets found by all growths
        self._n_grown = 0  # number of times that a variable was grown
        self._is_timed = plan.evaluations is None
        # Under a time budget the number follows the measured pace.
        self._families_per_call = 1 if self._is_timed else max(FAMILIES_PER_CALL, ROWS_PER_CALL // job.data.n_rows)
        self.seconds_of = np.zeros(job.n)

    def run(self) -> str:
        """
        Grow one variable after the other, in rounds; return the reason for the end.

        Variables with the fewest scores come first, so that all have their turn if the growth continues in slices.
        """
        growing, out_of_memory = self._list_growing(), False
        while growing:
            share = self._share(len(growing))
            if share < 1:
                return "evaluations"
            if (reason := self.job.budget.stop_reason) is not None:
                return reason
            if self.job.budget.clock() >= self._deadline():
                return "seconds"
            waiting = deque(growing)
            workers = range(min(self.workers, len(growing)))
            grow = partial(self._grow_waiting, waiting, share)
            parallel_map(grow, workers, self.workers, self.job.budget.request_stop)
            growing = [v for v in growing if not self._is_finished(v)]
            full = {v for v in growing if v in self._growths and self._is_full(self._growths[v])}
            out_of_memory = out_of_memory or bool(full)
            growing = [v for v in growing if v not in full]
        return "memory" if out_of_memory else "complete"

    def resume(self, job: Job) -> str:
        """Continue within the budget of another job for the same data; return the reason for the end."""
        self.job = job
        return self.run()

    def _list_growing(self) -> list[int]:
        """Return the variables whose growth has not ended, those with the fewest scores first."""
        scored = self.scored_of
        growing = [v for v in self.job.children.tolist() if not self._is_finished(v)]
        return sorted(growing, key=lambda v: int(scored[v]))

    def _is_finished(self, child: int) -> bool:
        """Return True if no set of a variable is left to extend."""
        return child in self._growths and self._growths[child].finished

    def _share(self, growing: int) -> int:
        """Return each variable's number of families in the next round, minus one extension, which may exceed it."""
        if self.plan.evaluations is None:
            return UNLIMITED
        return (self.plan.evaluations - self.scored) // growing - self.partners + 1

    def _deadline(self) -> float:
        """Return the time at which to stop, so that the table is assembled before the deadline."""
        return self.job.budget.deadline - self.plan.reserve - SECONDS_PER_ROW * self._n_new

    def _is_full(self, growth: VariableGrowth) -> bool:
        """Return True if a variable has used up its share of the memory."""
        return growth.nbytes > max(1 << 16, self.plan.memory // self.job.n)

    def _grow_waiting(self, waiting: deque[int], share: int, worker: int) -> None:
        """Grow waiting variables in one worker, each for its share of the families and of the remaining time."""
        while waiting:
            started = self.job.budget.clock()
            deadline = started + (self._deadline() - started) / ceil(len(waiting) / self.workers or 1)
            if self.job.budget.stop_reason or started >= deadline:
                return
            try:
                child = waiting.popleft()
            except IndexError:  # another thread has taken the last one
                return
            if child not in self._growths:
                self._growths[child] = self._seeded(child)
            growth = self._growths[child]
            self._grow(growth, self._extenders[worker], share, deadline)
            self.seconds_of[child] += self.job.budget.clock() - started
            with self._lock:
                self._n_grown += 1
                variables = len(self.job.children)
                found = self.table.n_sets - (self.job.n - variables) + self._n_new
                event = Event("growing parent sets", min(self._n_grown, variables), variables, "variables", found)
            self.job.budget.report(event)

    def _grow(self, growth: VariableGrowth, extender: Extender, share: int, deadline: float) -> None:
        """Grow one variable until its share of families or its time is used up."""
        stop, found = growth.scored + share, growth.n_new
        budget = self.job.budget
        while not growth.finished and not self._is_full(growth) and growth.scored < stop:
            if budget.stop_reason or budget.clock() >= deadline:
                break
            started, before = budget.clock(), growth.scored
            growth.grow(extender, min(self._families_per_call, stop - before))
            if self._is_timed:
                self._record_call(growth.scored - before, budget.clock() - started)
        with self._lock:
            self._n_new += growth.n_new - found

    def _record_call(self, families: int, seconds: float) -> None:
        """Set the number of families of the next call by the pace of the last one."""
        wanted = families * CALL_SECONDS / seconds if seconds > 0.0 else inf
        limit = 4 * max(families, self._families_per_call)  # because a single measurement may be wrong
        self._families_per_call = int(max(1, min(wanted, limit, MAX_FAMILIES_PER_CALL)))

    def _seeded(self, child: int) -> VariableGrowth:
        """Return the growth of a variable, which starts from its candidate sets of one size."""
        table, depth = self.table, self.plan.depth
        rows = np.arange(table.begin[child], table.begin[child + 1])
        rows = rows[table.sizes[rows] == depth]
        seeds = table.members[table.first[rows][:, np.newaxis] + np.arange(depth)]
        partners = self._partners(child)
        extender = self._extenders[0]
        max_parents = self.job.max_parents_of(child)
        return VariableGrowth(extender, child, partners, max_parents, seeds, table.scores[rows], self.job.bound)

    def _partners(self, child: int) -> NDArray[np.int64]:
        """Return the candidate parents of a variable for growth."""
        table, n = self.table, self.job.n
        if self.partners == n - 1:
            return self.job.candidates(child)
        alone = np.flatnonzero(table.sizes[table.begin[child] : table.begin[child + 1]] == 1)[: self.partners]
        partners: NDArray[np.int64] = table.members[table.first[table.begin[child] + alone]].astype(np.int64)
        return partners

    @property
    def scored(self) -> int:
        """Number of families scored so far."""
        return int(self.scored_of.sum())

    @property
    def scored_of(self) -> NDArray[np.int64]:
        """Number of families of each variable scored so far."""
        scored = np.zeros(self.job.n, dtype=np.int64)
        for child, growth in self._growths.items():
            scored[child] = growth.scored
        return scored

    def list_found(self) -> list[Families]:
        """Return the families of the sets found, by child."""
        return [growth.found().families_of(child) for child, growth in sorted(self._growths.items())]

    def get_base_table(self, *, only_best: bool) -> ParentSets:
        """Return the table without the sets found; with `only_best`, a large one is cut to the best sets."""
        table = self.table
        return table.best(-(-MAX_BEST_ROWS // self.job.n)) if only_best and table.n_sets > MAX_BEST_ROWS else table

    def merged(self, *, only_best: bool = False) -> ParentSets:
        """Return the table with the sets found; with `only_best`, a large table is cut to each variable's best sets."""
        table = self.get_base_table(only_best=only_best)
        if not any(growth.n_new for growth in self._growths.values()):
            return table
        parts = [table.families, *self.list_found()]
        threads = self.job.budget.threads
        return ParentSets.from_families(table.names, parts, max_pruned_size=self.plan.depth, threads=threads)
