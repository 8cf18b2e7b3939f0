"""A pool of searches, one for each variable, within budgets and over threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map
from bnsearch.budgets.events import Event
from bnsearch.selection.frontier import FoundSets

if TYPE_CHECKING:
    from bnsearch.selection.builder import Job

UNLIMITED = 1 << 62  # number of evaluations that is never reached
LIMITS = ("seconds", "memory", "evaluations")  # the limits of a search, the most important first
GRACE = 0.1  # seconds after the deadline in which a search still starts, so that its smallest sets are scored


class VariableSearch(Protocol):
    """The search of one variable; its smallest sets are scored when it is made."""

    @property
    def evaluations(self) -> int:
        """Number of families scored so far."""
        ...

    @property
    def finished(self) -> bool:
        """True if no open set is left."""
        ...

    @property
    def ending(self) -> str:
        """The reason why a finished search ended: "complete", or the budget that was used up."""
        ...

    @property
    def is_exhaustive(self) -> bool:
        """True if a finished search has skipped no set that can be optimal."""
        ...

    @property
    def depth(self) -> int:
        """The size up to which all sets that can be optimal were scored."""
        ...

    @property
    def nbytes(self) -> int:
        """Memory of the search in bytes."""
        ...

    def step(self, max_families: int) -> None:
        """Score more families for a few milliseconds, about `max_families` at most."""
        ...

    def found(self) -> FoundSets:
        """Return the sets to keep in the candidate table."""
        ...


StartSearch = Callable[[int, float], VariableSearch]  # arguments: the variable, and the deadline of its search


class SearchPool:
    """
    The searches of some variables, which workers take from a queue.

    Parameters
    ----------
    job : the selection that the searches are part of
    children : int64[...], the variables to search
    evaluations : number of families to score for all variables, in equal shares; None means no limit
    deadline : end of all searches; the remaining time is divided evenly among the waiting variables
    seconds_each : time budget of each variable; None means its share of the remaining time
    memory : bytes for all searches that run at the same time

    Attributes
    ----------
    found : the sets of each variable whose search has started
    scored_of, seconds_of : int64[n], float64[n], number of scored families and time spent, for each variable
    is_exhaustive : True if all searches are exhaustive
    depth : size up to which all searches have scored all sets that can be optimal
    """

    def __init__(
        self,
        job: Job,
        children: NDArray[np.int64],
        *,
        evaluations: int | None,
        deadline: float,
        seconds_each: float | None,
        memory: int,
    ) -> None:
        self.job, self.deadline, self.seconds_each = job, deadline, seconds_each
        self.workers = max(1, min(job.budget.threads, len(children)))
        self.memory = memory / self.workers
        self.evaluations = UNLIMITED if evaluations is None else evaluations // max(1, len(children))
        self.found: dict[int, FoundSets] = {}
        self.scored_of = np.zeros(job.n, dtype=np.int64)
        self.seconds_of = np.zeros(job.n)
        self.is_exhaustive, self.depth = True, job.n
        self.reasons: set[str] = set()
        self._sets = 0
        self._number = self._waiting = len(children)
        self._next = iter(children.tolist())
        self._lock = threading.Lock()

    @property
    def stop(self) -> str:
        """The reason why the pool stopped."""
        return main_reason(self.reasons)

    def run(self, for_thread: Callable[[], StartSearch]) -> None:
        """Search one variable after the other, until the deadline or a stop request."""
        request_stop = self.job.budget.request_stop
        parallel_map(lambda _: self._work(for_thread()), range(self.workers), self.workers, request_stop)
        if len(self.found) < self._number:
            self.is_exhaustive, self.depth = False, 0

    def _work(self, start: StartSearch) -> None:
        """Search variables from the queue in one worker."""
        budget = self.job.budget
        while True:
            with self._lock:
                child = next(self._next, None)
                waiting, self._waiting = self._waiting, self._waiting - 1
            if child is None:
                return
            started = budget.clock()
            reason = budget.stop_reason
            if reason is not None or started >= self.deadline + GRACE:
                self.reasons.add(reason or "seconds")
                return
            deadline = self._deadline_of_next(started, waiting)
            search = start(child, deadline)
            try:
                while (reason := self._reason_to_stop(search, deadline)) is None:
                    search.step(self.evaluations - search.evaluations)
                self.reasons.add(reason)
            finally:
                self._record(child, search, budget.clock() - started)
            budget.report(Event("selecting parent sets", len(self.found), self._number, "variables", self._sets))

    def _deadline_of_next(self, now: float, waiting: int) -> float:
        """Return the deadline of a search that starts now, with a number of waiting variables including this one."""
        if self.seconds_each is not None:
            return min(self.deadline, now + self.seconds_each)
        return self.deadline if self.deadline == inf else now + (self.deadline - now) * min(1, self.workers / waiting)

    def _reason_to_stop(self, search: VariableSearch, deadline: float) -> str | None:
        """Return the reason why a search has to stop now, or None."""
        if search.finished:
            return search.ending
        if (reason := self.job.budget.stop_reason) is not None:
            return reason
        if search.evaluations >= self.evaluations:
            return "evaluations"
        if self.job.budget.clock() >= deadline:
            return "seconds"
        return "memory" if search.nbytes > self.memory else None

    def _record(self, child: int, search: VariableSearch, seconds: float) -> None:
        """Record the result of a search, finished or not."""
        found = search.found()
        with self._lock:
            self.found[child] = found
            self._sets += len(found.scores)
            self.scored_of[child] = search.evaluations
            self.seconds_of[child] = seconds
            if not (search.finished and search.is_exhaustive):
                self.is_exhaustive, self.depth = False, min(self.depth, search.depth)


def main_reason(reasons: set[str]) -> str:
    """Return the most important of several reasons to stop: a request, then a limit, then "complete"."""
    requests = sorted(reasons - {*LIMITS, "complete"})
    return next(iter(requests), None) or next((limit for limit in LIMITS if limit in reasons), "complete")
