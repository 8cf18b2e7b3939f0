"""The one place where work is spread over threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, cast

from bnsearch.errors import require

T = TypeVar("T")
R = TypeVar("R")

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

    Functions write into arrays that they share, so a joblib backend of processes that a caller has set is not used.
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
    from joblib import Parallel, delayed

    running, halted = 0, False
    changed = threading.Condition()

    def call(item: T) -> R | None:
        nonlocal running
        with changed:
            if halted:
                return None
            running += 1
        try:
            return function(item)
        finally:
            with changed:
                running -= 1
                changed.notify_all()

    try:
        spread = Parallel(n_jobs=workers, require="sharedmem", return_as="generator")
        yield from spread(delayed(call)(item) for item in work)
    except BaseException:
        halt()
        with changed:
            halted = True
            changed.wait_for(lambda: running == 0)
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

    workers = thread_count(threads)
    parallel_map(work, range(workers), workers, halt)
    return [result for _, result in sorted(results, key=lambda found: found[0])]
