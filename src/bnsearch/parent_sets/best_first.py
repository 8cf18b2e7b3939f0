"""Best-first selection: every variable's own search, within budgets, over threads."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bnsearch.data import Dataset
from bnsearch.parallel import parallel_map
from bnsearch.parent_sets.builder import Builder, Job
from bnsearch.parent_sets.frontier import FoundSets
from bnsearch.parent_sets.selection import Selection
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.scorer import Scorer

SECONDS_PER_VARIABLE = 120.0  # where no other limit is given (Perez & Maua 2016, section 6.1)
UNLIMITED = 1 << 62


class Search(Protocol):
    """The search of one variable, which begins with the scores of the empty set and of every single parent."""

    @property
    def evaluations(self) -> int:
        """Families scored so far."""
        ...

    @property
    def finished(self) -> bool:
        """Whether no open set is left."""
        ...

    @property
    def exhaustive(self) -> bool:
        """Whether no set that could matter was passed over; once finished."""
        ...

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        ...

    def step(self, most: int) -> None:
        """Score some more families, for a few milliseconds; about `most` of them at most."""
        ...

    def found(self) -> FoundSets:
        """Return the sets worth keeping, the empty set among them."""
        ...


@dataclass(frozen=True, kw_only=True)
class BestFirst(Builder):
    """What the best-first builders share: Algorithm 1 of Perez & Maua (2016) but for the order of the open sets."""

    @abstractmethod
    def prepare(self, job: Job) -> Callable[[], Callable[[int], Search]]:
        """Return what makes, for each thread, the function that begins the search of a variable."""

    def build(self, job: Job) -> Selection:
        """Search every variable, then make the table."""
        run = _Run(self, job)
        run.go(self.prepare(job))
        missing = [child for child in range(job.n) if child not in run.found]
        found = run.found | _empty_sets(job, missing)
        run.scored_of[missing] = 1
        return Selection(
            table=_table(job.data, [found[child] for child in range(job.n)]),
            scored_of=run.scored_of,
            seconds_of=run.seconds_of,
            exhaustive=0 if missing else job.most if run.exhaustive else min(1, job.most),
            stop=run.stop,
        )


class _Run:
    """The searches of all variables: who is next, until when, and what was found."""

    def __init__(self, limits: BestFirst, job: Job) -> None:
        self.limits, self.job = limits, job
        self.workers = min(job.threads, job.n)
        self.evaluations = UNLIMITED if limits.evaluations is None else limits.evaluations // job.n
        self.found: dict[int, FoundSets] = {}
        self.scored_of = np.zeros(job.n, dtype=np.int64)
        self.seconds_of = np.zeros(job.n)
        self.exhaustive = True
        self.reasons: set[str] = set()
        self._left = iter(range(job.n))
        self._lock = threading.Lock()

    @property
    def stop(self) -> str:
        """Why it stopped: the most sudden of the searches' reasons."""
        return next((r for r in ("interrupted", "seconds", "memory", "evaluations") if r in self.reasons), "complete")

    def go(self, for_thread: Callable[[], Callable[[int], Search]]) -> None:
        """Search every variable, or those that an interruption lets come."""

        def halt() -> None:
            self.reasons.add("interrupted")

        try:
            parallel_map(lambda _: self._work(for_thread()), range(self.workers), self.workers, halt)
        except KeyboardInterrupt:
            halt()

    def _work(self, begin: Callable[[int], Search]) -> None:
        while "interrupted" not in self.reasons:
            with self._lock:
                child = next(self._left, None)
            if child is None:
                return
            begun = time.perf_counter()
            until = self._until(child)
            search = begin(child)
            try:
                while (reason := self._reason_to_stop(search, until)) is None:
                    search.step(self.evaluations - search.evaluations)
                self.reasons.add(reason)
            finally:
                self._note(child, search, time.perf_counter() - begun)
            self.job.progress("selecting parent sets", len(self.found), self.job.n)

    def _until(self, child: int) -> float:
        """Return when the search of a variable that begins now should end: what is left is shared evenly."""
        now, limits = time.perf_counter(), self.limits
        if limits.seconds is not None:
            left = self.job.deadline - now
            return min(self.job.deadline, now + left * self.workers / (self.job.n - child))
        if limits.seconds_per_variable is not None:
            return now + limits.seconds_per_variable
        return now + (SECONDS_PER_VARIABLE if limits.evaluations is None else float("inf"))

    def _reason_to_stop(self, search: Search, until: float) -> str | None:
        if search.finished:
            return "complete"
        if "interrupted" in self.reasons:
            return "interrupted"
        if search.evaluations >= self.evaluations:
            return "evaluations"
        if time.perf_counter() >= until:
            return "seconds"
        return "memory" if search.nbytes > self.limits.memory / self.workers else None

    def _note(self, child: int, search: Search, seconds: float) -> None:
        found = search.found()
        with self._lock:
            self.found[child] = found
            self.scored_of[child] = search.evaluations
            self.seconds_of[child] = seconds
            self.exhaustive = self.exhaustive and search.finished and search.exhaustive


def _empty_sets(job: Job, children: list[int]) -> dict[int, FoundSets]:
    """Return the empty set alone for variables whose search has not begun."""
    if not children:  # as a rule: a scorer is dear
        return {}
    values = Scorer(job.data, job.score).families(children, [()] * len(children))
    nothing = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
    return {child: FoundSets(np.array([value]), *nothing) for child, value in zip(children, values, strict=True)}


def _table(data: Dataset, found: list[FoundSets]) -> ParentSets:
    sizes = np.concatenate([f.sizes for f in found])
    return ParentSets.build(
        data.names,
        np.repeat(np.arange(len(found), dtype=np.int32), [len(f.scores) for f in found]),
        np.concatenate([f.scores for f in found]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([f.members for f in found]),
    )
