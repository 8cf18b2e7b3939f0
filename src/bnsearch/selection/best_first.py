"""Best-first selection: every variable searches its own sets, the most promising first."""

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
from bnsearch.selection.variable_searches import Begin, Searches

TABLE = 1e-4  # seconds for each variable that making the table takes
SECONDS_PER_VARIABLE = 120.0  # where no other limit is given (Perez & Maua 2016, section 6.1)


@dataclass(frozen=True, kw_only=True)
class BestFirst(Builder):
    """What the best-first builders share: Algorithm 1 of Perez & Maua (2016) but for the order of the open sets."""

    @abstractmethod
    def prepare(self, job: Job) -> Callable[[], Begin]:
        """Return what makes, for each thread, the function that begins the search of a variable."""

    def build(self, job: Job) -> Selection:
        """Search every variable, then make the table."""
        unlimited = self.seconds is None and self.evaluations is None
        each = self.seconds_per_variable or (SECONDS_PER_VARIABLE if unlimited else None)
        return search_each_variable(self, job, self.prepare(job), each)


def search_each_variable(builder: Builder, job: Job, for_thread: Callable[[], Begin], each: float | None) -> Selection:
    """
    Search every variable within a builder's budgets, then make the table.

    for_thread : makes, for each thread, the function that begins the search of a variable
    each : seconds for each variable; None means its share of the time there is
    """
    seconds = builder.seconds
    searches = Searches(
        job,
        job.children,
        evaluations=builder.evaluations,
        deadline=math.inf if seconds is None else job.deadline - min(0.1 * seconds, TABLE * job.n),
        each=each,
        memory=builder.memory,
    )
    searches.go(for_thread)
    missing = [child for child in range(job.n) if child not in searches.found]
    found = searches.found | _empty_sets(job, missing)
    searches.scored_of[missing] = 1
    return Selection(
        table=ParentSets.from_families(job.data.names, (found[v].families_of(v) for v in range(job.n))),
        scored_of=searches.scored_of,
        seconds_of=searches.seconds_of,
        exhaustive=min(job.most, searches.depth),
        stop=searches.stop,
        complete=searches.depth >= job.most,
    )


def _empty_sets(job: Job, children: list[int]) -> dict[int, FoundSets]:
    """Return the empty set alone for variables whose search has not begun."""
    if not children:  # as a rule: a scorer is dear
        return {}
    values = Scorer(job.data, job.score, cache_bytes=1 << 16).families(children, [()] * len(children))
    nothing = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
    return {child: FoundSets(np.array([value]), *nothing) for child, value in zip(children, values, strict=True)}
