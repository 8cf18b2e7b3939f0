"""One run of one method: the clock, the stopping rule, the generator, the incumbent, the trace, the observers."""

from __future__ import annotations

import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bnsearch._tools.parallel import parallel_iter, thread_count
from bnsearch.errors import InputError, require
from bnsearch.graphs.dag import DAG
from bnsearch.runs.stop import AnyOf, Progress, Stop
from bnsearch.runs.trace import Climbs, Trace
from bnsearch.scores.score import improves

if TYPE_CHECKING:
    from bnsearch.learning.candidates import Selecting
    from bnsearch.parent_sets.table import ParentSets
    from bnsearch.runs.problem import Problem

T = TypeVar("T")
R = TypeVar("R")
Observer = Callable[[Progress], None]

MANY = 10**9  # iterations, more than any run takes
BETWEEN_NOTES = 0.1  # seconds from one word to the observers to the next, improvements aside


class Run:
    """
    What a method needs to know of the world while it searches.

    The main loop asks `going()`, counts what it does, and offers what it finds. Independent pieces of work go through
    `map`, each with a generator of its own from `spawn`; they ask `halted()`, which knows the clock but not the
    counters, so that under a budget of iterations the result does not depend on the number of threads.

    Parameters
    ----------
    stop : when to stop
    seed : of the generator `rng`; None draws one
    threads : how many; None means all cores
    observers : called with a `Progress` at every improvement, and now and then in between
    permits : tells which networks are legal; None means all are
    select : selects candidate parent sets as part of the run; by default a problem does, and the clock stands still
    clock : seconds, for tests
    """

    def __init__(
        self,
        stop: Stop | None = None,
        *,
        seed: int | None = None,
        threads: int | None = 1,
        observers: Sequence[Observer] = (),
        permits: Callable[[DAG], bool] | None = None,
        select: Selecting | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if seed is not None:
            require("seed", seed, at_least=0, whole=True, any_size=True)
        self.stop = stop or AnyOf()
        self.seed = int(np.random.SeedSequence().entropy) % 2**32 if seed is None else int(seed)  # type: ignore[arg-type]
        self.rng = np.random.default_rng(self.seed)
        self.threads = thread_count(threads)
        self.trace = Trace()
        self.climbs = Climbs()
        self.progress = Progress()
        self.computed = 0
        self._families: set[int] = set()
        self.bound: float | None = None
        self.empty_score: float | None = None
        self.optimal = False
        self.reason: str | None = None
        self.notes: list[str] = []
        self.partial = False  # whether the candidate table lacks sets that may matter: then nothing is proven
        self._interrupted = False
        self._proving = False
        self._permits = permits
        self.selecting = select
        self._observers = tuple(observers)
        self._clock = clock
        self._began = clock()
        self._noted = 0.0
        self._make: Callable[[], DAG] | None = None
        self._dag: DAG | None = None
        self._lock = threading.RLock()

    @property
    def seconds(self) -> float:
        """Time since the run began."""
        return self._clock() - self._began

    @property
    def seconds_left(self) -> float:
        """Time until the stopping rule ends the run in any case; infinity where it never does."""
        return self.stop.seconds - self.seconds

    def going(self) -> bool:
        """Tell whether to go on: no rule says stop, the bound is not reached. Once it says no, it keeps saying so."""
        if self.reason is None:
            with self._lock:
                self.progress = replace(self.progress, seconds=self.seconds)
                self._note_in_between()
            self.reason = self._reason() or ("complete" if self._is_at_bound() else None)
        return self.reason is None

    def halted(self, score: float = float("-inf")) -> bool:
        """
        Tell, from within a piece of work that has reached a score, whether to break off.

        The reasons are the time, Ctrl-C, and a target that this piece or another one has reached.
        """
        best = max(score, self.progress.score)
        now = Progress(seconds=self.seconds, score=best, improved=self.progress.improved)
        return self._interrupted or self._enough(now) is not None

    def allowed(self, most: int) -> int:
        """Return how many iterations may follow, up to `most`, if none of them improves anything."""
        now, fits, too_many = self.progress, 0, most + 1
        while too_many - fits > 1:  # who allows some iterations allows fewer
            middle = (fits + too_many) // 2
            last = replace(now, iterations=now.iterations + middle - 1, stale=now.stale + middle - 1)
            if self.stop.reason(last) is None:
                fits = middle
            else:
                too_many = middle
        return fits

    def spawn(self, number: int) -> list[np.random.Generator]:
        """Return generators for pieces of work; the same ones for any number of threads."""
        return self.rng.spawn(number)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield the function's value of every item, in order, worked out in threads; an error halts all pieces."""
        return parallel_iter(function, items, self.threads, halt=self.interrupt)

    def parent_sets(self, problem: Problem) -> ParentSets:
        """
        Return a problem's candidate table; selected, if need be, by `select`, or with the clock at rest.

        Over a table that was selected and is not complete, nothing is proven to be optimal.
        """
        if self.selecting is not None and problem.table is None:
            table = self.selecting(problem, self)
        else:
            with self.aside():
                table = problem.parent_sets
            self.partial = self.partial or (problem.table is None and not problem.selected.complete)
        if problem.constraints is None or not problem.constraints.has_required.any():
            self.empty_score = table.empty_score  # else some empty sets have a penalty for their score
        return table

    def remark(self, text: str) -> None:
        """Take note of a decision that the user should know of."""
        self.notes.append(text)
        logging.getLogger("bnsearch").info(text)

    @property
    def families(self) -> int:
        """How many distinct families were counted."""
        return len(self._families)

    def count(
        self, *, iterations: int = 0, evaluations: int = 0, computed: int = 0, families: Iterable[int] = ()
    ) -> None:
        """Take note of work done, families by their keys; from any thread."""
        with self._lock:
            now = self.progress
            self.computed += computed
            self._families.update(families)
            self.progress = replace(
                now,
                iterations=now.iterations + iterations,
                stale=now.stale + iterations,
                evaluations=now.evaluations + evaluations,
                seconds=self.seconds,
            )
            self._note_in_between()

    def offer(self, score: float, make: Callable[[], DAG]) -> bool:
        """
        Take a network if it is the best so far, and tell whether it is; from any thread.

        `make` returns the network; it is called at the end, if nothing better comes. What is kept does not depend on
        the order of the offers: the highest score, to the last digit, though only what `improves` counts as better; and
        of two that score the same the network with the smaller parent lists. One that is not legal is not taken.
        """
        if self._permits is not None and score >= self.progress.score and not self._permits(make()):
            return False
        with self._lock:
            best = self.progress.score
            if not improves(score, best):
                if score > best:
                    self.progress = replace(self.progress, score=score)
                    self._make, self._dag = make, None
                elif score == best and self._make is not None:
                    self._dag = min(self.best(), make(), key=lambda dag: dag.parents)
                return False
            now = self.seconds
            self.progress = replace(self.progress, score=score, stale=0, seconds=now, improved=now)
            self._make, self._dag = make, None
            self.trace.points.append(self.progress)
            self._note()
            return True

    def prove(self) -> None:
        """Take note that no network scores higher than the incumbent: nothing is left to do."""
        self.optimal = True
        self.reason = self.reason or "complete"
        self.bound = self.progress.score

    def give_up(self, reason: str, why: str) -> None:
        """Take note that the method cannot go on, and of what the user should know of it; the best so far stays."""
        self.reason = self.reason or self._reason() or reason
        self.remark(why)

    def interrupt(self) -> None:
        """Ask the run to stop soon, from any thread."""
        self._interrupted = True

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take Ctrl-C as a wish to stop, keeping the best so far; a second one ends the program."""
        usual = signal.getsignal(signal.SIGINT)
        mine = threading.current_thread() is threading.main_thread() and usual is signal.default_int_handler
        with _handling(self._stop_soon) if mine else nullcontext():
            yield

    @contextmanager
    def stage(self, rule: Stop) -> Iterator[None]:
        """Within the block, stop by one more rule; what it has stopped goes on afterwards."""
        usual = self.stop
        self.stop = usual | rule
        try:
            yield
        finally:
            self.stop, self.reason = usual, None

    @contextmanager
    def proving(self) -> Iterator[None]:
        """Within the block something better is due at the end alone: the wait for it is not taken for convergence."""
        self._proving = True
        try:
            yield
        finally:
            self._proving = False

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Do something that is no part of the run: its clock stands still, and Ctrl-C is not for it."""
        began = self._clock()
        listens = signal.getsignal(signal.SIGINT) == self._stop_soon
        try:
            with _handling(signal.default_int_handler) if listens else nullcontext():
                yield
        finally:
            self._began += self._clock() - began

    def _stop_soon(self, number: int, frame: FrameType | None) -> None:
        self.interrupt()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def best(self) -> DAG:
        """Return the incumbent."""
        if self._make is None:
            raise InputError("the run has found no network yet")
        self._dag = self._dag or self._make()
        return self._dag

    def finish(self) -> None:
        """Close the trace: the last point is where the run ended. Who has reached the bound is proven to be optimal."""
        self.progress = replace(self.progress, seconds=self.seconds)
        self.reason = self.reason or self._reason() or "complete"
        self.optimal = (self.optimal or self._is_at_bound()) and not self.partial
        self.trace.points.append(self.progress)

    def _reason(self) -> str | None:
        return "interrupted" if self._interrupted else self._enough(self.progress)

    def _enough(self, now: Progress) -> str | None:
        """Return why the rule says stop, if it does."""
        return self.stop.reason(replace(now, improved=now.seconds) if self._proving else now)

    def _is_at_bound(self) -> bool:
        return self.bound is not None and self.progress.score >= self.bound

    def _note_in_between(self) -> None:
        if self.progress.seconds - self._noted >= BETWEEN_NOTES:
            self._note()

    def _note(self) -> None:
        self._noted = self.progress.seconds
        for observer in self._observers:
            observer(replace(self.progress, bound=self.bound, partial=self.partial))


def is_timed(run: Run) -> bool:
    """Tell whether wall-clock time limits a run, and not iterations: its result may then depend on the machine."""
    return math.isfinite(run.seconds_left) and run.allowed(MANY) == MANY


@contextmanager
def _handling(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Have SIGINT handled so, and then as before."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
