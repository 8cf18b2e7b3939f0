"""The chain of RINOBS: iterated local search from one ordering, whose perturbation is one insertion."""

from __future__ import annotations

import numpy as np

from bnsearch.kernels.tuples import KernelTuple
from bnsearch.orderings.index import Index
from bnsearch.orderings.starts import Ordering
from bnsearch.orderings.state import OrderingState, ScoredOrdering
from bnsearch.scores.score import TOLERANCE

EVALUATIONS_PER_CALL = 600_000  # a few milliseconds per kernel call, so that threads rarely wait for the GIL


class RepairChain(OrderingState):
    """
    Iterated local search from one ordering; not to be shared between threads.

    A step inserts a random variable next to one of its candidates or children. Then the repair makes the best insertion
    of each variable for which it may have changed, until none of these improves the score. A step that ends with a
    loss above a threshold is undone.

    Attributes
    ----------
    chain_arrays : the tuple `chain` that kernels take, as described in `kernels.rinobs`
    seconds_of_call : 0, because the duration of a call does not depend on the number of rows of the data
    """

    seconds_of_call = 0.0

    def __init__(self, index: Index, order: Ordering, seed: np.uint64) -> None:
        super().__init__(index)
        n = len(order)
        self._totals = np.zeros(3)
        self._counts = np.zeros(6, dtype=np.int64)
        self._queue = np.empty(n, dtype=np.int32)
        self._is_queued = np.empty(n, dtype=bool)
        self._saved_order, self._best_order, log = np.empty((3, n), dtype=np.int32)
        self._saved_choice, stamp = np.zeros((2, n), dtype=np.int64)
        self.chain_arrays = KernelTuple((
            self._saved_order, self._saved_choice, self._best_order, log, stamp, self._queue, self._is_queued,
            self._counts, self._totals, np.array([seed]),
        ))  # fmt: skip
        self.restart(order)

    def restart(self, order: Ordering) -> None:
        """Restart from another ordering, which is then the best one so far; every variable is queued."""
        from bnsearch.orderings.kernels.rinobs import BEST, CURRENT, HEAD, TAIL

        self._totals[CURRENT] = self._totals[BEST] = self.set_order(order)
        self._saved_order[:] = self._best_order[:] = self.order
        self._saved_choice[:] = self.choice
        self._queue[:] = np.arange(len(order))
        self._is_queued[:] = True
        self._counts[HEAD], self._counts[TAIL] = 0, len(order)

    @property
    def best_order(self) -> Ordering:
        """Copy of the best ordering so far."""
        return self._best_order.copy()

    @property
    def best(self) -> float:
        """Best score so far, up to rounding errors: it is a sum of score changes."""
        from bnsearch.orderings.kernels.rinobs import BEST

        return float(self._totals[BEST])

    def step(self, max_steps: int, rate: float, slope: float) -> int:
        """
        Make up to `max_steps` steps in one call of the kernel; return the number of steps made.

        The share of accepted losses is `rate` in the first step, and decreases by `slope` with each step.
        """
        from bnsearch.orderings.kernels.rinobs import search_by_repair

        arrays = self.index.arrays, self.arrays, self.chain_arrays
        return int(search_by_repair(*arrays, max_steps, rate, slope, TOLERANCE, EVALUATIONS_PER_CALL))

    def score_best(self) -> ScoredOrdering:
        """Return the best ordering and its network."""
        state = OrderingState(self.index)
        state.set_order(self._best_order)
        return state.snapshot()
