"""Every variable's own search, within budgets, over threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map
from bnsearch.selection.frontier import FoundSets
from bnsearch.selection.progress import Scoring

if TYPE_CHECKING:
    from bnsearch.selection.builder import Job

UNLIMITED = 1 << 62
GRACE = 0.1  # seconds after the deadline in which a search still begins, for its smallest sets


class Search(Protocol):
    """The search of one variable, which begins with the scores of its smallest sets."""

    @property
    def evaluations(self) -> int:
        """Families scored so far."""
        ...

    @property
    def finished(self) -> bool:
        """Whether no open set is left."""
        ...

    @property
    def ending(self) -> str:
        """Why it ended, once finished: "complete", or what it has not enough of."""
        ...

    @property
    def exhaustive(self) -> bool:
        """Whether no set that could matter was passed over; once finished."""
        ...

    @property
    def depth(self) -> int:
        """The number of parents up to which every set that could matter was scored."""
        ...

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        ...

    def step(self, most: int) -> None:
        """Score some more families, for a few milliseconds; about `most` of them at most."""
        ...

    def found(self) -> FoundSets:
        """Return the sets worth keeping."""
        ...


Begin = Callable[[int, float], Search]  # takes a variable, and when its search should be over


class Searches:
    """
    The searches of some variables: who is next, until when, and what was found.

    Parameters
    ----------
    job : what to select from
    children : int64[...], the variables to search for
    evaluations : families to score for all of them, in equal shares; None means no limit
    deadline : when all of it should be over; what is left of the time is shared evenly
    each : seconds for each variable; None means its share of the time that is left
    memory : the most bytes of the searches that run at once

    Attributes
    ----------
    found : the sets of each variable whose search has begun
    scored_of, seconds_of : int64[n], float64[n]; families scored, time spent
    exhaustive : whether all searches were
    depth : the number of parents up to which all were
    """

    def __init__(
        self,
        job: Job,
        children: NDArray[np.int64],
        *,
        evaluations: int | None,
        deadline: float,
        each: float | None,
        memory: int,
    ) -> None:
        self.job, self.deadline, self.each = job, deadline, each
        self.workers = max(1, min(job.threads, len(children)))
        self.memory = memory / self.workers
        self.evaluations = UNLIMITED if evaluations is None else evaluations // max(1, len(children))
        self.found: dict[int, FoundSets] = {}
        self.scored_of = np.zeros(job.n, dtype=np.int64)
        self.seconds_of = np.zeros(job.n)
        self.exhaustive, self.depth = True, job.n
        self.reasons: set[str] = set()
        self._sets = 0
        self._number = self._waiting = len(children)
        self._next = iter(children.tolist())
        self._lock = threading.Lock()

    @property
    def stop(self) -> str:
        """Why it stopped: the most sudden of the searches' reasons."""
        return main_reason(self.reasons)

    def go(self, for_thread: Callable[[], Begin]) -> None:
        """Search every variable, or those that an interruption or the deadline lets come."""

        def halt() -> None:
            self.reasons.add("interrupted")

        try:
            parallel_map(lambda _: self._work(for_thread()), range(self.workers), self.workers, halt)
        except KeyboardInterrupt:
            if self.job.halt():  # asked for already: this one is for the program
                raise
            halt()
        if len(self.found) < self._number:
            self.exhaustive, self.depth = False, 0

    def _work(self, begin: Begin) -> None:
        while "interrupted" not in self.reasons:
            with self._lock:
                child = next(self._next, None)
                waiting, self._waiting = self._waiting, self._waiting - 1
            if child is None:
                return
            begun = time.perf_counter()
            if self.job.halt() or begun >= self.deadline + GRACE:
                self.reasons.add("interrupted" if self.job.halt() else "seconds")
                return
            until = self._until(begun, waiting)
            search = begin(child, until)
            try:
                while (reason := self._reason_to_stop(search, until)) is None:
                    search.step(self.evaluations - search.evaluations)
                self.reasons.add(reason)
            finally:
                self._note(child, search, time.perf_counter() - begun)
            self.job.progress(Scoring("selecting parent sets", len(self.found), self._number, "variables", self._sets))

    def _until(self, now: float, waiting: int) -> float:
        """Return when the search of a variable that begins now should end, with so many left to begin."""
        if self.each is not None:
            return min(self.deadline, now + self.each)
        return self.deadline if self.deadline == inf else now + (self.deadline - now) * min(1, self.workers / waiting)

    def _reason_to_stop(self, search: Search, until: float) -> str | None:
        if search.finished:
            return search.ending
        if "interrupted" in self.reasons or self.job.halt():
            return "interrupted"
        if search.evaluations >= self.evaluations:
            return "evaluations"
        if time.perf_counter() >= until:
            return "seconds"
        return "memory" if search.nbytes > self.memory else None

    def _note(self, child: int, search: Search, seconds: float) -> None:
        found = search.found()
        with self._lock:
            self.found[child] = found
            self._sets += len(found.scores)
            self.scored_of[child] = search.evaluations
            self.seconds_of[child] = seconds
            if not (search.finished and search.exhaustive):
                self.exhaustive, self.depth = False, min(self.depth, search.depth)


def main_reason(reasons: set[str]) -> str:
    """Return the one of several reasons to stop that says most."""
    return next((r for r in ("interrupted", "seconds", "memory", "evaluations") if r in reasons), "complete")
