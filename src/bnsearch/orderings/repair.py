"""A chain of insertions and repairs: the arrays that its kernels work in."""

from __future__ import annotations

import numpy as np

from bnsearch.orderings.climber import Placed, State
from bnsearch.orderings.index import Index
from bnsearch.orderings.starts import Ordering
from bnsearch.scores.score import TOLERANCE

BUDGET = 600_000  # looks between two looks at the clock: some milliseconds, so that many threads rarely wait for Python


class Chain(State):
    """
    Iterated local search from one ordering, step by step; for one thread at a time.

    A step inserts a random variable beside another that it shares a candidate set with. Whoever could do better then is
    queued, and inserted where it does best, until the queue is empty. A step that ends in a loss above a threshold
    is undone.
    """

    def __init__(self, index: Index, order: Ordering, random: np.uint64) -> None:
        super().__init__(index)
        n = len(order)
        self._totals = np.zeros(3)
        self._counts = np.zeros(6, dtype=np.int64)
        self._ring = np.empty(n, dtype=np.int32)
        self._queued = np.empty(n, dtype=bool)
        self._saved_order, self._best_order, log = np.empty((3, n), dtype=np.int32)
        self._saved_choice, stamp = np.zeros((2, n), dtype=np.int64)
        self._arrays = (
            self._saved_order, self._saved_choice, self._best_order, log, stamp, self._ring, self._queued, self._counts,
            self._totals, np.array([random]), self.places, self.deltas, self.touched,
        )  # fmt: skip
        self.restart(order)

    def restart(self, order: Ordering) -> None:
        """Forget the best ordering, and go on from another."""
        self._totals[:2] = self.settle(order)
        self._saved_order[:] = self._best_order[:] = self.order
        self._saved_choice[:] = self.choice
        self._ring[:] = np.arange(len(order))  # the next step looks at every variable
        self._queued[:] = True
        self._counts[4:6] = 0, len(order)

    @property
    def best_order(self) -> Ordering:
        """The best ordering so far."""
        return self._best_order.copy()

    @property
    def best(self) -> float:
        """The best score so far, but for rounding."""
        return float(self._totals[1])

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Take steps, up to about BUDGET rows looked at; return how many."""
        from bnsearch.orderings.kernels.repair import search_by_repair

        return int(
            search_by_repair(self.index.arrays, self.arrays, self._arrays, steps, rate, slope, TOLERANCE, BUDGET)
        )

    def best_placed(self) -> Placed:
        """Return the best ordering and its network."""
        at = State(self.index)
        at.settle(self._best_order)
        return at.placed()
