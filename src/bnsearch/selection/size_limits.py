"""Which sizes of parent sets can be enumerated with the memory and the time that are left."""

from __future__ import annotations

from typing import NamedTuple

from bnsearch.budgets.budget import Budget
from bnsearch.counting.sweep import Sweep

SECONDS_PER_VALUE = 1e-8  # time for preparing the arrays of a size, for each value
MAX_PREPARATION_SHARE = 0.1  # maximum share of the remaining time for preparing the arrays of a size
FASTEST = 1e-8  # fastest possible pace in seconds per set: a size that does not fit at this pace is not tried


class SizeLimits(NamedTuple):
    """
    The limits on the sizes that an enumeration can reach.

    Attributes
    ----------
    sweep : the counts of all sets
    budget : budget of the selection
    memory : bytes for the best scores of smaller sets
    seconds_left : number of seconds for this selection and all later ones that continue the enumeration; None if the
        enumeration is not resumable
    """

    sweep: Sweep
    budget: Budget
    memory: int
    seconds_left: float | None

    def fits_in_memory(self, size: int) -> bool:
        """Return True if the best scores that the enumeration of a size needs fit into memory."""
        return len(self.sweep.order) * self.sweep.count_sets(size - 2) * 8 <= self.memory

    def allow(self, size: int, seconds_per_set: float, max_seconds: float) -> bool:
        """
        Return True if the arrays for a size should be prepared.

        If the enumeration is not resumable, this excludes a size that takes more than `max_seconds` at the pace of the
        last size. This estimate is optimistic, because larger sets take more time.
        """
        if not self.fits_in_memory(size) or not self._is_worth_preparing(size):
            return False
        if self.seconds_left is not None:
            return True
        return size <= self.sweep.max_size and seconds_per_set * self.sweep.count_sets(size) <= max_seconds

    def _is_worth_preparing(self, size: int) -> bool:
        """
        Return True if there is enough time for a size to prepare its arrays.

        One of two conditions must hold: the preparation takes a small share of the time, or the size may fit into the
        time as a whole. For a resumable enumeration both must hold, because the arrays are kept between selections.
        """
        sweep, n = self.sweep, len(self.sweep.order)
        seconds = self.budget.remaining if self.seconds_left is None else self.seconds_left
        values = n * sweep.count_sets(size - 2) + sweep.count_sets(size - 1)
        is_cheap = values * SECONDS_PER_VALUE < MAX_PREPARATION_SHARE * seconds
        may_fit = sweep.count_sets(size) * FASTEST / self.budget.threads < seconds
        return is_cheap or may_fit if self.seconds_left is None else is_cheap and may_fit
