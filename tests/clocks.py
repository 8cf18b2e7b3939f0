"""Clocks that tests control."""

from __future__ import annotations


class Clock:
    """
    A clock that goes on when it is read, or only when it is moved.

    Parameters
    ----------
    tick : seconds by which each look moves it
    """

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 100.0, tick

    def __call__(self) -> float:
        """Return the time."""
        self.now += self.tick
        return self.now
