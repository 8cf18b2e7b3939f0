"""Clocks that tests control."""

from __future__ import annotations


class Clock:
    """
    A clock that moves when it is read, or only when `now` is changed.

    Parameters
    ----------
    tick : seconds by which each reading moves the clock
    """

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 100.0, tick

    def __call__(self) -> float:
        """Return the time."""
        self.now += self.tick
        return self.now
