"""Best-first selection: each variable has a search that scores the most promising parent sets first."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.scorer import Scorer
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.frontier import FoundSets
from bnsearch.selection.report import Selection
from bnsearch.selection.search_pool import SearchPool, StartSearch

TABLE_SECONDS = 1e-4  # time reserved for making the table, for each variable
SECONDS_PER_VARIABLE = 120.0  # time budget of a variable if no limit is given (Perez & Maua 2016, section 6.1)


@dataclass(frozen=True, kw_only=True)
class BestFirst(Builder):
    """
    Base class of the best-first builders, Algorithm 1 of Perez & Maua (2016).

    An open set waits to be extended, a closed one has been extended. Subclasses define the order of open sets.
    """

    @abstractmethod
    def prepare(self, job: Job) -> Callable[[], StartSearch]:
        """Return a function that, called in each thread, returns the function that starts a variable's search."""

    def build(self, job: Job) -> Selection:
        """Search every variable, then make the table."""
        unlimited = self.seconds is None and self.evaluations is None
        seconds_each = self.seconds_per_variable or (SECONDS_PER_VARIABLE if unlimited else None)
        return search_each_variable(self, job, self.prepare(job), seconds_each)


def search_each_variable(
    builder: Builder, job: Job, for_thread: Callable[[], StartSearch], seconds_each: float | None
) -> Selection:
    """
    Search every variable within a builder's budgets, then make the table.

    for_thread : called in each thread; returns the function that starts a variable's search
    seconds_each : time budget of each variable; None means its share of the whole budget
    """
    seconds = builder.seconds
    searches = SearchPool(
        job,
        job.children,
        evaluations=job.budget.evaluations,
        deadline=math.inf if seconds is None else job.budget.deadline - min(0.1 * seconds, TABLE_SECONDS * job.n),
        seconds_each=seconds_each,
        memory=job.budget.memory,
    )
    searches.run(for_thread)
    missing = [child for child in range(job.n) if child not in searches.found]
    found = searches.found | _empty_sets(job, missing)
    searches.scored_of[missing] = 1
    return Selection(
        table=ParentSets.from_families(job.data.names, (found[v].families_of(v) for v in range(job.n))),
        scored_of=searches.scored_of,
        seconds_of=searches.seconds_of,
        depth=min(job.max_parents, searches.depth),
        stop=searches.stop,
        complete=searches.depth >= job.max_parents,
    )


def _empty_sets(job: Job, children: list[int]) -> dict[int, FoundSets]:
    """Return the empty set, with its score, for each variable whose search has not started."""
    if not children:  # making a scorer takes time and is seldom needed
        return {}
    values = Scorer(job.data, job.score, cache_bytes=1 << 16).families(children, [()] * len(children))
    nothing = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
    return {child: FoundSets(np.array([value]), *nothing) for child, value in zip(children, values, strict=True)}
