"""Distribution of work over threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bnsearch._tools.idle_threads import POLL_SECONDS, IdleThreads
from bnsearch.errors import require

T = TypeVar("T")
R = TypeVar("R")
MAX_THREADS = 1024  # larger numbers are probably typing errors, and the system may refuse to start the threads

_idle_threads = IdleThreads()


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
    return parallel_take(function, list(items), threads, halt=halt)


def parallel_take(
    function: Callable[[T], R],
    items: Iterable[T],
    threads: int | None = 1,
    going: Callable[[], bool] = lambda: True,
    halt: Callable[[], None] = lambda: None,
) -> list[R]:
    """
    Return the function's value for many items, in order; each thread takes the next item when it is free.

    No further item is taken when `going()` returns False or a call has failed; `halt` is called as in `parallel_map`.
    Taking an item costs little, and the time to stop does not depend on the number of items left.
    """
    workers = thread_count(threads)
    if isinstance(items, Sequence):
        workers = min(workers, max(1, len(items)))
    waiting = enumerate(items)
    results: list[tuple[int, R]] = []
    errors: list[BaseException] = []
    lock = threading.Lock()

    def fail(error: BaseException) -> None:
        errors.append(error)
        halt()

    def take_items() -> None:
        try:
            while not errors and going():
                with lock:
                    place, item = next(waiting, (-1, None))
                if place < 0:
                    return
                results.append((place, function(cast(T, item))))
        except BaseException as error:
            fail(error)

    if workers <= 1:
        take_items()
    else:
        with _idle_threads.call_several_times(take_items, workers) as calls:
            try:
                calls.wait()
            except BaseException as error:
                fail(error)
                raise
    if errors:
        raise errors[0]
    return [result for _, result in sorted(results, key=lambda found: found[0])]


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
