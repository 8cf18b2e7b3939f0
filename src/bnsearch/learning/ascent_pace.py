"""Whether the dual ascent still improves the upper bound of a run fast enough."""

from __future__ import annotations

from math import inf

from bnsearch.exact.priced_ascent import PricedAscent

SLOW_GAIN = 0.03  # share of the gap that the dual ascent must close in a period; otherwise it is slow
SLOW_PERIOD = 0.1  # length of this period as a share of the total time


class AscentPace:
    """
    The decision whether the dual ascent is slow, which is made at the end of each period.

    Parameters
    ----------
    total_seconds : time of the whole run

    Attributes
    ----------
    is_slow : True if the dual ascent hardly improves the bound, or has converged
    """

    def __init__(self, total_seconds: float) -> None:
        self._total_seconds = total_seconds
        self.restart(0.0)

    def restart(self, spent: float) -> None:
        """Begin a new period with a new table; `spent` is the time of the search for a bound so far."""
        self.is_slow = False
        self._period_start = spent, inf  # time of the search, and the bound

    def update(self, spent: float, ascent: PricedAscent, score: float) -> None:
        """Decide again, after the ascent has improved its bound; `score` is that of the incumbent."""
        began, before = self._period_start
        value = ascent.bound.value
        if spent - began >= SLOW_PERIOD * self._total_seconds:
            self.is_slow = before - value < SLOW_GAIN * (value - score)
            self._period_start = spent, value
        self.is_slow |= ascent.converged
