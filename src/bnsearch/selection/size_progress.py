"""The enumeration of the sets of one size, which can be interrupted and continued."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.counting.pieces import Piece
from bnsearch.counting.sweep import Sweep
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
    parents : float64[groups, sets], values of all sets of `size - 1` variables as parent sets
    values : float64[1, sets], written: values of the sets; without columns if there is no room for the next size
    best_scores : float64[places, sets], written: each child's best score over the subsets of the sets, as parents
    kept : the families kept, by piece
    done : number of sets done
    seconds, n_timed : time of the selections so far, and number of sets that were done in this time. An earlier run may
        have done more sets
    """

    size: int
    total: int
    parents: NDArray[np.float64]
    values: NDArray[np.float64]
    best_scores: NDArray[np.float64]
    kept: dict[Piece, RankedFamilies] = field(default_factory=dict)
    done: int = 0
    seconds: float = 0.0
    n_timed: int = 0

    def add_time(self, seconds: float, sets: int) -> None:
        """Record the time of a selection, and the number of sets that it has done."""
        self.seconds += seconds
        self.n_timed += sets

    @property
    def seconds_per_set(self) -> float:
        """The mean time of a set; infinity if no time was measured."""
        return self.seconds / self.n_timed if self.n_timed else inf

    def list_pieces_left(self, sweep: Sweep, *, in_part: bool) -> list[Piece]:
        """
        Return the pieces that are left to do.

        If a part of the size is enumerated, the variables of few states come first: these are parents of good families
        more often, and their sets take less time. Otherwise the largest pieces come first, because the pace of the
        small ones says little about the time of a whole size.
        """
        pieces = [piece for piece in sweep.pieces(self.size) if piece not in self.kept]
        return pieces[::-1] if in_part else pieces


class Pace:
    """
    The pace of an enumeration since it was started or continued, and the decision whether to give it up.

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
        self.n_advanced = 0  # number of sets done since then
        self._patience = min(PATIENCE, PATIENCE_SHARE * max_seconds)
        self._left = progress.total - progress.done  # at the start
        self._since: tuple[float, int] | None = None  # time and number of sets done at the end of the first piece

    def advance(self, sets: int, reserve: float) -> None:
        """Record that more sets are done; `reserve` is the time that is needed after the last one."""
        clock, progress = self.budget.clock(), self.progress
        progress.done += sets
        self.n_advanced += sets
        self._since = self._since or (clock, progress.done)
        spent, done = clock - self._since[0], progress.done - self._since[1]
        self.expected_seconds = spent / done * (progress.total - progress.done) if done else inf
        hopeless = spent > self._patience and spent * self._left > self.max_seconds * done
        self.going = self.going and not hopeless and not self.budget.is_spent(reserve)
