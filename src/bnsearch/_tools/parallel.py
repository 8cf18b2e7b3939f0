"""Distribution of work over threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bnsearch.errors import require

T = TypeVar("T")
R = TypeVar("R")
POLL_SECONDS = 0.1  # a wait without a timeout would not react to Ctrl-C on Windows
MAX_THREADS = 1024  # larger numbers are probably typing errors, and the system may refuse to start the threads


def thread_count(threads: int | None) -> int:
    """Return a number of threads; None means all cores that this process may run on."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    require("threads", threads, at_least=1, at_most=MAX_THREADS, whole=True)
    return threads


def parallel_map(
    function: Callable[[T], R],
    items: Iterable[T],
    threads: int | None = 1,
    halt: Callable[[], None] = lambda: None,
) -> list[R]:
    """
    Return the function's value for every item, in order, computed in threads (kernels release the GIL).

    If a call fails or the caller is interrupted, `halt` is called and no further call begins. The error is raised after
    all running calls have ended, so that nothing changes shared data any more.
    """
    return list(parallel_iter(function, items, threads, halt))


def parallel_iter(
    function: Callable[[T], R],
    items: Iterable[T],
    threads: int | None = 1,
    halt: Callable[[], None] = lambda: None,
) -> Iterator[R]:
    """Yield the values of `parallel_map`, each as soon as it and all before it are available."""
    work = list(items)
    workers = min(thread_count(threads), len(work))
    if workers <= 1:
        yield from map(function, work)
        return
    results: list[Future[R]] = [Future() for _ in work]
    waiting = iter(zip(work, results, strict=True))
    errors: list[BaseException] = []
    lock = threading.Lock()

    def fail(error: BaseException) -> None:
        errors.append(error)
        halt()

    def take_items() -> None:
        while True:
            with lock:
                item, result = next(waiting, (None, None))
            if result is None:
                return
            if errors:
                result.set_exception(errors[0])
                continue
            try:
                result.set_result(function(cast(T, item)))
            except BaseException as error:
                fail(error)
                result.set_exception(error)

    with _idle_threads.call_several_times(take_items, workers):  # its end waits for running calls
        try:
            for result in results:
                while wait([result], POLL_SECONDS).not_done:
                    pass
                yield result.result()
        except BaseException as error:
            fail(error)
            raise


class IdleThreads:
    """
    Threads that wait for work, because starting 16 threads takes as long as two kernel calls.

    Each call has an executor of its own as long as it runs, so calls that run at the same time or inside of each other
    never wait for threads.
    """

    def __init__(self) -> None:
        self._executors: list[ThreadPoolExecutor] = []
        if hasattr(os, "register_at_fork"):  # a process that forks should have no other threads
            os.register_at_fork(before=self.end)

    def end(self) -> None:
        """End all threads that wait for work."""
        while self._executors:
            self._executors.pop().shutdown()

    @contextmanager
    def call_several_times(self, function: Callable[[], None], times: int) -> Iterator[None]:
        """Call a function in several threads during the block; the end of the block waits for all calls."""
        try:
            executor = self._executors.pop()
        except IndexError:
            executor = ThreadPoolExecutor(MAX_THREADS)  # starts a thread when none is idle
        calls: list[Future[None]] = []
        try:
            calls += (executor.submit(function) for _ in range(times))
            yield
        finally:
            wait(calls)
            self._executors.append(executor)  # not after an interrupt of the wait: its threads are not idle


_idle_threads = IdleThreads()


def parallel_take(
    function: Callable[[T], R],
    items: Iterable[T],
    threads: int | None = 1,
    going: Callable[[], bool] = lambda: True,
) -> list[R]:
    """
    Return the function's value for many small items, in order; each thread takes the next item when it is free.

    No further item is taken when `going()` returns False or a call has failed. Taking an item costs little, and the
    time to stop does not depend on the number of items left.
    """
    workers = thread_count(threads)
    if isinstance(items, Sequence):
        workers = min(workers, max(1, len(items)))
    waiting = enumerate(items)
    results: list[tuple[int, R]] = []
    lock, halted = threading.Lock(), False

    def halt() -> None:
        nonlocal halted
        halted = True

    def work(_: int) -> None:
        while going() and not halted:
            with lock:
                place, item = next(waiting, (-1, None))
            if place < 0:
                return
            try:
                results.append((place, function(cast(T, item))))
            except BaseException:
                halt()
                raise

    parallel_map(work, range(workers), workers, halt)
    return [result for _, result in sorted(results, key=lambda found: found[0])]


class ThreadArrays:
    """
    Scratch arrays of each thread, which are reused because the first access to new memory is slow.

    Parameters
    ----------
    dtypes : type of each array
    fill : initial value of new arrays; None leaves them undefined
    """

    def __init__(self, *dtypes: DTypeLike, fill: int | None = None) -> None:
        self._dtypes, self._fill = dtypes, fill
        self._own = threading.local()

    def take(self, length: int) -> list[NDArray[Any]]:
        """Return this thread's arrays with a length; they hold the values of their last use."""
        arrays: list[NDArray[Any]] = getattr(self._own, "arrays", [])
        if not arrays or len(arrays[0]) < length:
            arrays = self._own.arrays = [np.empty(length, dtype) for dtype in self._dtypes]
            for array in arrays if self._fill is not None else []:
                array.fill(self._fill)
        return [array[:length] for array in arrays]
