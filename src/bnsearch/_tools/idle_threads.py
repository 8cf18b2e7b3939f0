"""Threads that wait for work, because starting 16 threads takes as long as two kernel calls."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue

POLL_SECONDS = 0.1  # a wait without a timeout would not react to Ctrl-C on Windows


class Calls:
    """
    Calls of a function in several threads.

    Parameters
    ----------
    function : a function that raises no errors
    number : number of calls
    """

    def __init__(self, function: Callable[[], None], number: int) -> None:
        self._function, self._left = function, number
        self._lock, self._running = threading.Lock(), threading.Lock()
        self._running.acquire()

    def call(self) -> None:
        """Call the function once; the last call ends the wait."""
        try:
            self._function()
        finally:
            with self._lock:
                self._left -= 1
                if self._left == 0:
                    self._running.release()

    def wait(self) -> None:
        """Wait until all calls have ended."""
        while not self._running.acquire(timeout=POLL_SECONDS):
            pass
        self._running.release()


class IdleThread:
    """A thread that makes one call after the other; each has its own queue, so that all threads wake up at once."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Calls | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)  # it must not keep the program from ending
        self._thread.start()

    def _work(self) -> None:
        while (calls := self._waiting.get()) is not None:
            calls.call()

    def begin(self, calls: Calls) -> None:
        """Make one of the calls."""
        self._waiting.put(calls)

    def end(self) -> None:
        """End the thread after its last call."""
        self._waiting.put(None)
        self._thread.join()


class IdleThreads:
    """
    Threads that wait for work.

    Each block of `call_several_times` has threads of its own, so calls that run at the same time or inside of each
    other never wait for threads.
    """

    def __init__(self) -> None:
        self._threads: list[IdleThread] = []
        if hasattr(os, "register_at_fork"):  # a process that forks should have no other threads
            os.register_at_fork(before=self.end)

    def end(self) -> None:
        """End all threads that wait for work."""
        while self._threads:
            self._threads.pop().end()

    def _take(self) -> IdleThread:
        try:
            return self._threads.pop()
        except IndexError:
            return IdleThread()

    @contextmanager
    def call_several_times(self, function: Callable[[], None], times: int) -> Iterator[Calls]:
        """Call a function in several threads during the block; the end of the block waits for all calls."""
        calls, threads = Calls(function, times), [self._take() for _ in range(times)]
        for thread in threads:
            thread.begin(calls)
        try:
            yield calls
        finally:
            calls.wait()
            self._threads += threads  # not after an interrupt of the wait, because they are not idle then
