"""The one place where work is spread over threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bnsearch.errors import require

T = TypeVar("T")
R = TypeVar("R")
A_MOMENT = 0.1  # seconds

MOST = 1024  # threads: more than that are a slip of the finger, and the system may refuse them midway


def thread_count(threads: int | None) -> int:
    """Return how many threads to use: those asked for, or all cores this process may run on."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    require("threads", threads, at_least=1, at_most=MOST, whole=True)
    return threads


def parallel_map(
    function: Callable[[T], R],
    items: Iterable[T],
    threads: int | None = 1,
    halt: Callable[[], None] = lambda: None,
) -> list[R]:
    """
    Apply a function to every item, in threads (kernels release the GIL); results in the items' order.

    When one fails, or the caller is interrupted, `halt` is called, no further one begins, and the error is raised
    once those that run have ended: what they share is then at rest.
    """
    return list(parallel_iter(function, items, threads, halt))


def parallel_iter(
    function: Callable[[T], R],
    items: Iterable[T],
    threads: int | None = 1,
    halt: Callable[[], None] = lambda: None,
) -> Iterator[R]:
    """Do as `parallel_map`, and yield each result as soon as it and all before it are there."""
    work = list(items)
    workers = min(thread_count(threads), len(work))
    if workers <= 1:
        yield from map(function, work)
        return
    errors: list[BaseException] = []

    def fail(error: BaseException) -> None:
        errors.append(error)
        halt()

    def call(item: T) -> R:
        if errors:
            raise errors[0]
        try:
            return function(item)
        except BaseException as error:
            fail(error)
            raise

    with ThreadPoolExecutor(workers) as pool:  # waits at its end for those that run
        try:
            for result in [pool.submit(call, item) for item in work]:
                while wait([result], A_MOMENT).not_done:  # not for ever: on Windows that would be deaf to Ctrl-C
                    pass
                yield result.result()
        except BaseException as error:
            fail(error)
            raise


def parallel_take(
    function: Callable[[T], R],
    items: Iterable[T],
    threads: int | None = 1,
    going: Callable[[], bool] = lambda: True,
) -> list[R]:
    """
    Apply a function to many small items, which the threads take one after the other; results in the items' order.

    No item is taken once `going()` says no, or one has failed. To take one costs next to nothing, and to stop does not
    depend on how many are left.
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
    Scratch arrays that each thread has for itself and uses again: new memory is slow at its first touch.

    Parameters
    ----------
    dtypes : the type of each array
    fill : what a new array holds; None leaves it undefined
    """

    def __init__(self, *dtypes: DTypeLike, fill: int | None = None) -> None:
        self._dtypes, self._fill = dtypes, fill
        self._own = threading.local()

    def take(self, length: int) -> list[NDArray[Any]]:
        """Return this thread's arrays with a length; they hold what was left in them."""
        arrays: list[NDArray[Any]] = getattr(self._own, "arrays", [])
        if not arrays or len(arrays[0]) < length:
            arrays = self._own.arrays = [np.empty(length, dtype) for dtype in self._dtypes]
            for array in arrays if self._fill is not None else []:
                array.fill(self._fill)
        return [array[:length] for array in arrays]
