"""The enumeration of the sets of one size, which can be interrupted and continued."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.counting.pieces import Piece
from bnsearch.parent_sets.assembly import RankedFamilies

PATIENCE = 0.2  # seconds of an enumeration after which its pace is known well enough to give it up
PATIENCE_SHARE = 0.1  # the same as a share of the maximum time, if that is less


@dataclass
class SizeProgress:
    """
    What the enumeration of a size has done so far.

    Attributes
    ----------
    size : number of variables of the sets
    total : number of the sets
    parents : float64[classes, sets], values of the sets that are one smaller, as parents
    values : float64[1, sets], written: values of the sets; without columns if there is no room for the next size
    best : float64[places, sets], written: each child's best score over the subsets of the sets, as parents
    kept : the families kept, by piece
    done : number of sets done
    """

    size: int
    total: int
    parents: NDArray[np.float64]
    values: NDArray[np.float64]
    best: NDArray[np.float64]
    kept: dict[Piece, RankedFamilies] = field(default_factory=dict)
    done: int = 0


class Pace:
    """
    The pace of an enumeration since it was started or continued, and the decision whether to go on.

    Parameters
    ----------
    progress : the enumeration
    max_seconds : maximum time for the sets that are left
    budget : budget of the selection
    """

    def __init__(self, progress: SizeProgress, max_seconds: float, budget: Budget) -> None:
        self.progress, self.max_seconds, self.budget = progress, max_seconds, budget
        self.going = True
        self.expected_seconds = inf  # for the sets that are left
        self._patience = min(PATIENCE, PATIENCE_SHARE * max_seconds)
        self._left = progress.total - progress.done  # at the start
        self._since: tuple[float, int] | None = None  # time and number of sets done at the end of the first piece

    def advance(self, sets: int, reserve: float) -> None:
        """Record that more sets are done; `reserve` is the time that is needed after the last one."""
        clock, progress = self.budget.clock(), self.progress
        progress.done += sets
        self._since = self._since or (clock, progress.done)
        spent, done = clock - self._since[0], progress.done - self._since[1]
        self.expected_seconds = spent / done * (progress.total - progress.done) if done else inf
        hopeless = spent > self._patience and spent * self._left > self.max_seconds * done
        self.going = self.going and not hopeless and not self.budget.is_spent(reserve)
