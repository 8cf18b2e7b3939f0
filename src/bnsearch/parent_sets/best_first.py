"""Best-first selection: every variable's own search, within budgets, over threads."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.parallel import parallel_map, thread_count
from bnsearch.parent_sets.bounds import most_parents
from bnsearch.parent_sets.frontier import FoundSets
from bnsearch.parent_sets.selection import Selection, no_progress
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import Score
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
class BestFirst(ABC):
    """What the best-first builders share: Algorithm 1 of Perez & Maua (2016) but for the order of the open sets."""

    max_parents: int | None = None
    seconds: float | None = None
    seconds_per_variable: float | None = None
    evaluations: int | None = None
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        if self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0)
        if self.seconds is not None:
            require("seconds", self.seconds, above=0)
        if self.seconds_per_variable is not None:
            require("seconds_per_variable", self.seconds_per_variable, above=0)
        if self.seconds is not None and self.seconds_per_variable is not None:
            raise InputError("seconds and seconds_per_variable are both given: choose one of them")
        if self.evaluations is not None:
            require("evaluations", self.evaluations, at_least=1)
        require("memory", self.memory, at_least=1 << 20)

    @abstractmethod
    def prepare(self, data: Dataset, score: Score, most: int) -> Callable[[], Callable[[int], Search]]:
        """Return what makes, for each thread, the function that begins the search of a variable."""

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
        most = most_parents(data, score, self.max_parents)
        run = _Run(self, data.n_variables, min(thread_count(threads), data.n_variables), started, progress)
        run.go(self.prepare(data, score, most))
        missing = [child for child in range(data.n_variables) if child not in run.found]
        found = run.found | _empty_sets(data, score, missing)
        return Selection(
            table=_table(data, [found[child] for child in range(data.n_variables)]),
            scored=run.scored + len(missing),
            exhaustive=0 if missing else most if run.exhaustive else min(1, most),
            seconds=time.perf_counter() - started,
            stop=run.stop,
        )


class _Run:
    """The searches of all variables: who is next, until when, and what was found."""

    def __init__(
        self, limits: BestFirst, n: int, workers: int, started: float, progress: Callable[[str, int, int], None]
    ) -> None:
        self.limits, self.n, self.workers, self.progress = limits, n, workers, progress
        self.deadline = started + (float("inf") if limits.seconds is None else limits.seconds)
        self.found: dict[int, FoundSets] = {}
        self.scored = 0
        self.exhaustive = True
        self.reasons: set[str] = set()
        self._left = iter(range(n))
        self._lock = threading.Lock()
        self._busy = [threading.Lock() for _ in range(workers)]

    @property
    def stop(self) -> str:
        """Why it stopped: the most sudden of the searches' reasons."""
        return next((r for r in ("interrupted", "seconds", "memory", "evaluations") if r in self.reasons), "complete")

    def go(self, for_thread: Callable[[], Callable[[int], Search]]) -> None:
        """Search every variable, or those that an interruption lets come."""

        def work(worker: int) -> None:
            with self._busy[worker]:
                try:
                    self._work(for_thread())
                except BaseException as error:
                    self.reasons.add("interrupted")  # so that the other threads end, too
                    if not isinstance(error, KeyboardInterrupt):
                        raise

        try:
            parallel_map(work, range(self.workers), self.workers)
        except KeyboardInterrupt:  # while waiting for threads, which go on until they notice
            self.reasons.add("interrupted")
        for lock in self._busy:
            with lock:
                pass

    def _work(self, begin: Callable[[int], Search]) -> None:
        while "interrupted" not in self.reasons:
            with self._lock:
                child = next(self._left, None)
            if child is None:
                return
            until = self._until(child)
            search = begin(child)
            try:
                while (reason := self._reason_to_stop(search, until)) is None:
                    search.step((self.limits.evaluations or UNLIMITED) - search.evaluations)
                self.reasons.add(reason)
            finally:
                self._note(child, search)
            self.progress("selecting parent sets", len(self.found), self.n)

    def _until(self, child: int) -> float:
        """Return when the search of a variable that begins now should end: what is left is shared evenly."""
        now = time.perf_counter()
        if self.limits.seconds is not None:
            return min(self.deadline, now + (self.deadline - now) * self.workers / (self.n - child))
        if self.limits.seconds_per_variable is not None:
            return now + self.limits.seconds_per_variable
        return now + (SECONDS_PER_VARIABLE if self.limits.evaluations is None else float("inf"))

    def _reason_to_stop(self, search: Search, until: float) -> str | None:
        if search.finished:
            return "complete"
        if "interrupted" in self.reasons:
            return "interrupted"
        if self.limits.evaluations is not None and search.evaluations >= self.limits.evaluations:
            return "evaluations"
        if time.perf_counter() >= until:
            return "seconds"
        return "memory" if search.nbytes > self.limits.memory / self.workers else None

    def _note(self, child: int, search: Search) -> None:
        found = search.found()
        with self._lock:
            self.found[child] = found
            self.scored += search.evaluations
            self.exhaustive = self.exhaustive and search.finished and search.exhaustive


def _empty_sets(data: Dataset, score: Score, children: list[int]) -> dict[int, FoundSets]:
    """Return the empty set alone for variables whose search has not begun."""
    if not children:  # as a rule: a scorer is dear
        return {}
    values = Scorer(data, score).families(children, [()] * len(children))
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
