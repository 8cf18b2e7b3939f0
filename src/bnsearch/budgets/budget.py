"""The budget of a computation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf

from bnsearch._tools.memory import default_memory
from bnsearch._tools.parallel import thread_count
from bnsearch.budgets.events import Event, Observer, PauseObserver

StopCheck = Callable[[], bool]
"""A function that returns True if a search should end, for example because its time is used up."""


class Budget:
    """
    Limits of a computation, its clock, its stop requests and its observers.

    One budget serves all threads. `part` returns the budget of one step of the computation.

    Parameters
    ----------
    seconds : time budget
    evaluations : maximum number of local scores; None means no limit
    memory : bytes for tables and caches; None means the default of this machine
    threads : number of threads; None means all cores
    clock : function that returns the current time in seconds
    observers : functions that are called with every `Event`
    stop_condition : function that returns a further reason to stop, or None; called from any thread

    Attributes
    ----------
    started : time on the clock when the computation started, plus the duration of all pauses
    request : reason of the stop request, such as "interrupted" or "terminated"; None if no stop was requested
    """

    def __init__(
        self,
        seconds: float = inf,
        *,
        evaluations: int | None = None,
        memory: int | None = None,
        threads: int | None = 1,
        clock: Callable[[], float] = time.perf_counter,
        observers: Sequence[Observer] = (),
        stop_condition: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.seconds, self.evaluations = seconds, evaluations
        self.memory = default_memory() if memory is None else memory
        self.threads = thread_count(threads)
        self.clock = clock
        self.observers = tuple(observers)
        self.started = clock()
        self.request: str | None = None
        self._stop_condition = stop_condition
        self._paused_since: float | None = None

    @property
    def deadline(self) -> float:
        """Time on the clock when the time budget ends."""
        return self.started + self.seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    @property
    def elapsed_before_pause(self) -> float:
        """Seconds since the start, without those of a pause that has not ended; for other threads."""
        return (self.clock() if self._paused_since is None else self._paused_since) - self.started

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - self.clock()

    @property
    def stop_reason(self) -> str | None:
        """Reason to stop before the deadline: that of a stop request or of the stop condition; None without one."""
        return self.request or self._stop_condition()

    def request_stop(self, reason: str = "interrupted") -> None:
        """Ask the computation to stop soon; from any thread or signal handler."""
        self.request = self.request or reason

    def is_spent(self, reserve: float = 0.0) -> bool:
        """Return True if at most `reserve` seconds remain or there is a reason to stop."""
        return self.remaining <= reserve or self.stop_reason is not None

    def part(self, seconds: float = inf, *, evaluations: int | None = None, memory: int | None = None) -> Budget:
        """
        Return the budget of a step that starts now.

        It has the same clock, threads, observers and, by default, memory. It stops when this budget does, and its
        deadline is not later.
        """
        part = Budget(
            evaluations=evaluations,
            memory=self.memory if memory is None else memory,
            threads=self.threads,
            clock=self.clock,
            observers=self.observers,
            stop_condition=lambda: self.stop_reason,
        )
        part.seconds = min(seconds, self.deadline - part.started)
        return part

    @contextmanager
    def clock_paused(self) -> Iterator[None]:
        """Exclude the time of the block from the elapsed time."""
        began, outer = self.clock(), self._paused_since
        self._paused_since = began if outer is None else outer
        self._report_pause(True)
        try:
            yield
        finally:
            self._paused_since = outer
            self.started += self.clock() - began
            self._report_pause(outer is not None)

    def _report_pause(self, paused: bool) -> None:
        for observer in self.observers:
            if isinstance(observer, PauseObserver):
                observer.set_paused(paused)

    def report(self, event: Event) -> None:
        """Call every observer with an event."""
        for observer in self.observers:
            observer(event)
