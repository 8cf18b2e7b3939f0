"""Growth of parent sets on workers, by groups of variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.distributed.networks import copy_families
from bnsearch.distributed.pools import Parts, Pool
from bnsearch.parent_sets.rows import Families, join_families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.bounds import Bound
from bnsearch.selection.builder import Job
from bnsearch.selection.growth_stage import GrowthPlan, GrowthStage
from bnsearch.selection.search_pool import main_reason

GROUP_SIZE = 32  # variables of a task under a budget of evaluations; the table depends on it, but not on the workers
REPLY_SHARE = 0.05  # share of the time that is left to the transfer of the sets


@dataclass(frozen=True)
class GrowthTask:
    """
    The growth of some variables' parent sets.

    Attributes
    ----------
    children : the variables
    plan : the start and the limits of the growth
    max_parents, bound : as in `Job`
    is_constrained : True if the knowledge of the problem applies
    seconds : time budget
    """

    children: tuple[int, ...]
    plan: GrowthPlan
    max_parents: int
    bound: Bound
    is_constrained: bool
    seconds: float


@dataclass(frozen=True)
class GrowthReport:
    """
    The result of a task.

    Attributes
    ----------
    families : the families found, by child
    scored, seconds : number of families scored and seconds, of each child
    stop : reason for the end
    """

    families: Families
    scored: NDArray[np.int64]
    seconds: NDArray[np.float64]
    stop: str


class LocalStage(GrowthStage):
    """The growth on a worker, which returns the families found instead of a table."""

    def list_families(self) -> Families:
        """Return the families that were found, by child."""
        nothing = np.empty(0, dtype=np.int64)
        empty = Families(nothing.astype(np.int32), np.empty(0), nothing, nothing.astype(np.int32))
        return join_families([empty, *self.list_found()])


def grow_sets(task: GrowthTask, parts: Parts, table: ParentSets) -> GrowthReport:
    """Grow the parent sets of some variables; this function runs on a worker."""
    data, score, knowledge = parts
    children = np.array(task.children)
    job = Job(
        data=data,
        score=score,
        children=children,
        max_parents=task.max_parents,
        bound=task.bound,
        constraints=knowledge.constraints(data.names) if task.is_constrained and knowledge is not None else None,
        budget=Budget(task.seconds, memory=task.plan.memory, threads=1),
    )
    stage = LocalStage(job, table, task.plan)
    stop = stage.run()
    return GrowthReport(stage.list_families(), stage.scored_of[children], stage.seconds_of[children], stop)


class WorkerStage(GrowthStage):
    """
    The growth of all variables on workers.

    Parameters
    ----------
    job, table, plan : as in `GrowthStage`
    pool : the workers
    """

    def __init__(self, job: Job, table: ParentSets, plan: GrowthPlan, pool: Pool) -> None:
        super().__init__(job, table, plan)
        self._pool = pool
        self._found: list[Families] = []
        self._scored = np.zeros(job.n, dtype=np.int64)

    def run(self) -> str:
        """Grow all variables; return the reason for the end."""
        budget, queue, children = self.job.budget, self._pool.queue, self.job.children
        left = self._deadline() - budget.clock()
        seconds = (1.0 - REPLY_SHARE) * left if isfinite(left) else inf
        groups = self._list_groups(children, by_time=isfinite(left))
        parcels = [self._pool.problem, self._pool.folder.write(self.table)]
        tickets = [queue.submit(grow_sets, self._make_task(group, seconds), parcels) for group in groups]
        done = 0
        for ticket in queue.take_all(lambda: not budget.is_spent(self.plan.reserve)):
            done += len(ticket.call.task.children)
            budget.report(Event("growing parent sets", done, len(children), "variables"))
        queue.cancel()
        reports = [ticket.value for ticket in tickets if ticket.value is not None]
        for ticket in tickets:
            if ticket.value is not None:
                self._add(np.array(ticket.call.task.children), ticket.value)
        reasons = {report.stop for report in reports}
        return budget.stop_reason or ("seconds" if len(reports) < len(tickets) else main_reason(reasons))

    def _list_groups(self, children: NDArray[np.int64], *, by_time: bool) -> list[tuple[int, ...]]:
        """Return groups of variables: one for each worker under a time budget, otherwise groups of a fixed size."""
        number = self._pool.queue.workers.number if by_time else -(-len(children) // GROUP_SIZE)
        number = min(number, len(children))
        return [tuple(children[i::number].tolist()) for i in range(number)]

    def _make_task(self, group: Sequence[int], seconds: float) -> GrowthTask:
        total = self.plan.evaluations
        share = None if total is None else total * len(group) // len(self.job.children)
        return GrowthTask(
            children=tuple(group),
            plan=replace(self.plan, partners=self.partners, evaluations=share, reserve=0.0),
            max_parents=self.job.max_parents,
            bound=self.job.bound,
            is_constrained=self.job.constraints is not None,
            seconds=seconds,
        )

    def _add(self, children: NDArray[np.int64], report: GrowthReport) -> None:
        """Add the result of a task."""
        self._found.append(copy_families(report.families))
        self._scored[children] = report.scored
        self.seconds_of[children] = report.seconds

    @property
    def scored_of(self) -> NDArray[np.int64]:
        """Number of families of each variable scored so far."""
        return self._scored

    def merged(self, *, only_best: bool = False) -> ParentSets:
        """Return the table with the sets found; with `only_best`, a large table is cut to each variable's best sets."""
        table = self.get_base_table(only_best=only_best)
        if not any(len(families.child) for families in self._found):
            return table
        parts, threads = [table.families, *self._found], self.job.budget.threads
        return ParentSets.from_families(table.names, parts, max_pruned_size=self.plan.depth, threads=threads)
