"""Tools that serve one thread at a time, lent to the pieces of work that need one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """
    One tool for each thread: a first one, and forks of it made where more are needed.

    A piece of work must come to the same result with any of them.

    Parameters
    ----------
    first : the first tool
    fork : returns another one like it
    """

    def __init__(self, first: T, fork: Callable[[], T]) -> None:
        self.first = first
        self._fork = fork
        self._idle: SimpleQueue[T] = SimpleQueue()
        self._idle.put(first)
        self._tools = 1

    def prepare(self, number: int) -> None:
        """See to it that there are this many tools; not while any is lent."""
        for _ in range(number - self._tools):
            self._idle.put(self._fork())
            self._tools += 1

    @contextmanager
    def lend(self) -> Iterator[T]:
        """Lend a tool, waiting until one is back."""
        tool = self._idle.get()
        try:
            yield tool
        finally:
            self._idle.put(tool)
