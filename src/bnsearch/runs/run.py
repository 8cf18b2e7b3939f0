"""One run of one method: its budget, stopping rule, random generator, incumbent and trace."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bnsearch._tools.parallel import parallel_iter
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import SEARCHING, Event, Observer
from bnsearch.graphs.dag import DAG
from bnsearch.parent_sets.scope import ALL_NETWORKS, GIVEN_SETS, Scope
from bnsearch.runs.incumbent import Incumbent
from bnsearch.runs.seeds import check_seed
from bnsearch.runs.stop import AnyOf, Progress, Stop, count_allowed_iterations
from bnsearch.runs.trace import Climbs, Trace
from bnsearch.scores.score import improves

if TYPE_CHECKING:
    from bnsearch.checkpoints.checkpoint import Checkpoint
    from bnsearch.parent_sets.table import ParentSets
    from bnsearch.runs.problem import Problem

T = TypeVar("T")
R = TypeVar("R")

MAX_ITERATIONS = 10**9  # more iterations than any run makes
SECONDS_BETWEEN_EVENTS = 0.1  # minimum time between two events without an improvement


class Run:
    """
    The state of one search.

    A method calls `going()` before each iteration, `count` after some work, and `offer` for each network that it finds.
    Independent tasks run through `map`, each with its own generator from `spawn`. They check `halted()`, which depends
    on the clock, the score and stop requests, but not on the counters, so that under a budget of iterations the result
    does not depend on the number of threads.

    Parameters
    ----------
    stop : stopping rule
    seed : seed of the generator `rng`; None draws one
    threads : number of threads; None means all cores
    memory : bytes for tables and caches; None means the default of this machine
    observers : functions that are called with an `Event` at every improvement, and up to ten times a second in between
    permits : function that returns True if a network is legal; None means that all are
    restrict : function that returns a scope with the restrictions of the problem (`Problem.restrict`)
    select : function that selects the candidate table of a problem within the time budget. None means that the problem
        selects it, while the clock is paused
    clock : function that returns the current time in seconds

    Attributes
    ----------
    budget : time, memory, threads, stop requests and observers of the run
    progress : counters and score so far
    computed, trace, climbs, notes, optimal : as in `Result`
    reason : why the run stopped; None while it goes on
    bound : upper bound of the score; None if none is known
    evidence : function that returns the certificate of the bound; None if there is none
    scope : the networks of the problem that the bound covers. If some are left out, no result is reported as optimal
    checkpoint : state of the run on disk; None if it is not saved
    stops_at_bound : True if the run also ends when the score reaches a bound that does not cover all networks

    Examples
    --------
    >>> import bnsearch
    >>> run = bnsearch.Run(bnsearch.Iterations(1))
    >>> run.going()
    True
    """

    def __init__(
        self,
        stop: Stop | None = None,
        *,
        seed: int | None = None,
        threads: int | None = 1,
        memory: int | None = None,
        observers: Sequence[Observer] = (),
        permits: Callable[[DAG], bool] | None = None,
        restrict: Callable[[Scope], Scope] = lambda scope: scope,
        select: Callable[[Problem, Run], ParentSets] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.stop = stop or AnyOf()
        self.seed = check_seed(seed)
        self.rng = np.random.default_rng(self.seed)
        self.select = select
        self.budget = Budget(
            self.stop.seconds,
            memory=memory,
            threads=threads,
            clock=clock,
            observers=observers,
            stop_condition=self._halt_reason,
        )
        self.threads = self.budget.threads
        self.trace, self.climbs, self.progress, self.computed = Trace(), Climbs(), Progress(), 0
        self.bound: float | None = None
        self.evidence: Callable[[], Any] | None = None
        self.empty_score: float | None = None
        self.optimal, self.scope, self.stops_at_bound = False, ALL_NETWORKS, True
        self.reason: str | None = None
        self.notes: list[str] = []
        self.checkpoint: Checkpoint | None = None
        self._families: set[int] = set()
        self._ignores_convergence = False
        self._permits, self._restrict, self._incumbent, self._lock = permits, restrict, Incumbent(), threading.RLock()
        self._reported = 0.0  # elapsed time at the last event

    @property
    def seconds(self) -> float:
        """Elapsed time of the run."""
        return self.budget.elapsed

    @property
    def seconds_left(self) -> float:
        """Time until the stopping rule ends the run in any case; infinity if it never does."""
        return self.budget.remaining

    @property
    def is_timed(self) -> bool:
        """Whether wall-clock time limits the run, and not iterations: the result may depend on the machine."""
        allowed = count_allowed_iterations(self.stop, replace(self.progress, seconds=0.0), MAX_ITERATIONS)
        return math.isfinite(self.seconds_left) and allowed == MAX_ITERATIONS

    @property
    def families(self) -> int:
        """Number of distinct families that were counted."""
        return len(self._families)

    def going(self) -> bool:
        """Return True until the stopping rule applies, a stop is requested, or the score reaches a final bound."""
        if self.reason is None:
            self.count()  # reads the clock, and reports an event if one is due
            self.reason = self._stop_reason()
            if self.reason is None and self._is_at_bound() and (self.scope.is_complete or self.stops_at_bound):
                self.reason = "complete"
        return self.reason is None

    def halted(self, score: float = -math.inf) -> bool:
        """
        Return True if a task that has reached a score should end.

        Reasons are the time, a stop request, and a target that this task or another one has reached.
        """
        return self.budget.request is not None or self._halt_reason(score) is not None

    def allowed(self, max_iterations: int) -> int:
        """Return the number of iterations, up to a maximum, that the rule allows if none improves the score."""
        return count_allowed_iterations(self.stop, self.progress, max_iterations)

    def spawn(self, number: int) -> list[np.random.Generator]:
        """Return generators for independent tasks; they do not depend on the number of threads."""
        return self.rng.spawn(number)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield the function's value for every item, in order, computed in threads; an error stops all tasks."""
        return parallel_iter(function, items, self.threads, halt=self.budget.request_stop)

    def parent_sets(self, problem: Problem) -> ParentSets:
        """Return the candidate table of a problem, and set the scope; select a table first if the problem has none."""
        if self.select is not None and problem.table is None:
            table = self.select(problem, self)
        else:
            with self.budget.clock_paused():
                table = problem.parent_sets
            if self.select is None:
                self.scope = GIVEN_SETS if problem.table is not None else problem.selection.scope
        if problem.constraints is None or not problem.constraints.has_required.any():
            self.empty_score = table.empty_score  # with required parents, the empty sets are placeholders
        return table

    def tighten_bound(self, bound: float) -> None:
        """Set the upper bound if none is known or if this one is lower."""
        self.bound = bound if self.bound is None else min(self.bound, bound)

    def remark(self, text: str) -> None:
        """Add a note for the user to the result, unless it has this note already, and log it."""
        if text not in self.notes:
            self.notes.append(text)
        logging.getLogger("bnsearch").info(text)

    def count(
        self, *, iterations: int = 0, evaluations: int = 0, computed: int = 0, families: Iterable[int] = ()
    ) -> None:
        """Add to the counters of the run, from any thread; each key in `families` counts once."""
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
            self._report_if_due()

    def offer(self, score: float, make: Callable[[], DAG], key: Hashable = None) -> bool:
        """
        Keep a network if it is legal and the best so far, and return True if it improves the score; from any thread.

        `make` returns the network. It is called when the network is needed: at the end of the run, for a checkpoint, to
        check the knowledge, or to compare two networks with the same score. It must return the same network each time.
        `key` identifies the network: networks that are found again and again are then compared only once.
        """
        if self._permits is not None and score >= self.progress.score and not self._permits(make()):
            return False
        with self._lock:
            improved = self._incumbent.offer(score, make, key)
            if self._incumbent.score > self.progress.score:
                self.progress = replace(self.progress, score=self._incumbent.score)
            if improved:
                now = self.seconds
                self.progress = replace(self.progress, stale=0, seconds=now, improved=now)
                self.trace.points.append(self.progress)
                self._report()
            return improved

    def best(self) -> DAG:
        """Return the incumbent."""
        return self._incumbent.dag

    def get_snapshot(self) -> tuple[Progress, DAG | None]:
        """Return the current counters, and the incumbent with that score, None if there is none; from any thread."""
        with self._lock:
            now = replace(self.progress, seconds=self.budget.elapsed_before_pause)
            return now, None if now.score == -math.inf else self.best()

    def mark_optimal(self) -> None:
        """Mark the incumbent as optimal, which ends the run."""
        self.optimal = True
        self.reason = self.reason or "complete"
        self.bound = self.progress.score

    def give_up(self, reason: str, note: str) -> None:
        """Record that the method cannot continue, with a note for the user; the incumbent stays."""
        self.reason = self.reason or self._stop_reason() or reason
        self.remark(note)

    def end_by_time(self) -> None:
        """Record that a timed run ends because the rest of its time is too short to be used, unless a rule ended it."""
        if self.is_timed and self.going():
            self.reason = "seconds"

    def finish(self) -> None:
        """Close the trace; an incumbent that reaches a bound over all networks of the problem is optimal."""
        self.progress = replace(self.progress, seconds=self.seconds)
        self.reason = self.reason or self._stop_reason() or "complete"
        self.optimal = (self.optimal or self._is_at_bound()) and self.scope.is_complete
        self.trace.points.append(self.progress)

    @contextmanager
    def extra_stop(self, rule: Stop) -> Iterator[None]:
        """Apply one more stopping rule for the duration of the block; afterwards the run continues without it."""
        usual, self.stop = self.stop, self.stop | rule
        self.budget.seconds = self.stop.seconds
        try:
            yield
        finally:
            self.stop, self.budget.seconds, self.reason = usual, usual.seconds, None

    @contextmanager
    def ignoring_convergence(self) -> Iterator[None]:
        """Suspend the rule `Converged` for the duration of the block, which can improve the score only at its end."""
        self._ignores_convergence = True
        try:
            yield
        finally:
            self._ignores_convergence = False

    def _stop_reason(self) -> str | None:
        return self.budget.request or self._rule_reason(self.progress)

    def _halt_reason(self, score: float = -math.inf) -> str | None:
        """Return the reason of the stopping rule to end a task that has reached a score, or None."""
        best = max(score, self.progress.score)
        return self._rule_reason(Progress(seconds=self.seconds, score=best, improved=self.progress.improved))

    def _rule_reason(self, now: Progress) -> str | None:
        return self.stop.reason(replace(now, improved=now.seconds) if self._ignores_convergence else now)

    def _is_at_bound(self) -> bool:
        return self.bound is not None and self.progress.score >= self.bound

    def _report_if_due(self) -> None:
        if self.progress.seconds - self._reported >= SECONDS_BETWEEN_EVENTS:
            self._report()

    def _report(self) -> None:
        is_valid = self.bound is not None and not improves(self.progress.score, self.bound)
        now = replace(self.progress, bound=self.bound if is_valid else None, scope=self._restrict(self.scope))
        self._reported = now.seconds
        self.budget.report(Event(SEARCHING, now.seconds, self.stop.seconds, "seconds", progress=now))
