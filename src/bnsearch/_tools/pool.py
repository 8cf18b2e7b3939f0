"""Pools of objects that only one thread may use at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """
    A pool of equivalent tools: the first one, and forks of it that are made on demand.

    The result of a task must not depend on the tool that it uses.

    Parameters
    ----------
    first : first tool
    fork : function that returns another tool
    """

    def __init__(self, first: T, fork: Callable[[], T]) -> None:
        self.first = first
        self._fork = fork
        self._idle: SimpleQueue[T] = SimpleQueue()
        self._idle.put(first)
        self._tools = 1

    def prepare(self, number: int) -> None:
        """Make tools until there are `number` of them; no tool may be lent at that time."""
        for _ in range(number - self._tools):
            self._idle.put(self._fork())
            self._tools += 1

    @contextmanager
    def lend(self) -> Iterator[T]:
        """Lend a tool for the duration of the block; wait for one if all are lent."""
        tool = self._idle.get()
        try:
            yield tool
        finally:
            self._idle.put(tool)
