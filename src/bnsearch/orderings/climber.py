"""Hill climbing over the orderings of one table: arrays that kernels work in, and what they find."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.orderings.index import Index
from bnsearch.orderings.starts import Ordering
from bnsearch.scores.score import TOLERANCE

BUDGET = 150_000  # looks between two looks at the clock: a millisecond or some
SELECTIONS = ("hybrid", "best", "first")  # the first two in the order of the kernel's numbers


@dataclass(frozen=True, eq=False)
class Placed:
    """An ordering with the best network that is consistent with it: a row of the table for each variable."""

    index: Index = field(repr=False)
    order: Ordering
    rows: NDArray[np.int64]

    @property
    def score(self) -> float:
        """The network's score, to the last digit whatever path led here."""
        return math.fsum(self.index.table.scores[self.rows])

    def dag(self) -> DAG:
        """Return the network."""
        return self.index.table.network(self.rows)


class State:
    """
    The arrays of one ordering's state, as `kernels.state` describes them; for one thread at a time.

    Attributes
    ----------
    initial, steps : of the last climb: the score that it began with, and its moves
    """

    def __init__(self, index: Index) -> None:
        n, slots = index.table.n_variables, index.n_slots
        self.index = index
        self.order, self.position, self.touched = np.empty((3, n), dtype=np.int32)
        self.choice, self.places = np.empty((2, n), dtype=np.int64)
        self.deltas = np.empty(n)
        self.looked = np.zeros(1, dtype=np.int64)
        self.arrays = (
            self.order, self.position, self.choice, np.empty(slots), np.empty(slots, dtype=np.int32),
            np.empty(slots, dtype=np.int32), np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64), self.looked,
            *np.empty((2, n), dtype=np.int32), np.empty((2, index.table.max_parents + 1), dtype=np.int64),
            *index.memories(),
        )  # fmt: skip
        self._counted = 0
        self.initial, self.steps = -math.inf, 0

    def settle(self, order: Ordering) -> float:
        """Take an ordering, repaired where it has a required parent behind its child; return its score."""
        from bnsearch.orderings.kernels.state import settle

        self.order[:] = self.index.repaired(order)
        return float(settle(self.index.arrays, self.arrays))

    def placed(self) -> Placed:
        """Return the ordering and its network as they are now."""
        return Placed(self.index, self.order.copy(), self.choice.copy())

    def evaluations(self) -> int:
        """Return how many looks at rows it took since this was last asked."""
        new = int(self.looked[0]) - self._counted
        self._counted += new
        return new


class Climber(State):
    """Hill climbing in the insertion neighbourhood."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._untried = np.empty_like(self.order)
        self._tried = np.empty(4, dtype=np.int64)
        self._total = np.empty(2)
        self._random = np.empty(1, dtype=np.uint64)

    def climb(
        self,
        order: Ordering,
        rng: np.random.Generator,
        halted: Callable[[float], bool] = lambda score: False,
        selection: str = "hybrid",
    ) -> Placed:
        """
        Climb from an ordering to a local optimum, or until halted.

        selection : which improving insertion to make: a random variable's best one ("hybrid"), the best of all
            ("best"), or the first one in random order ("first")
        """
        from bnsearch.orderings.kernels.insertion import climb, climb_by_first

        self.initial = self.settle(order)
        self._total[:] = self.initial, 0.0
        self._untried[:] = order
        self._tried[:] = (0, 0, 0, 0) if selection == "first" else (0, -1, 0, 0)
        self._random[0] = random_word(rng)
        progress = self._untried, self._tried, self._total, self._random
        limits = TOLERANCE, BUDGET, self.places, self.deltas, self.touched
        arrays = self.index.arrays, self.arrays
        while not (
            climb_by_first(*arrays, *progress, *limits)
            if selection == "first"
            else climb(*arrays, SELECTIONS.index(selection), *progress, *limits)
        ):
            if halted(float(self._total[0])):
                break
        self.steps = int(self._tried[3])
        return self.placed()


def random_word(rng: np.random.Generator) -> np.uint64:
    """Return the seed of a kernel's own generator."""
    return np.uint64(rng.bit_generator.random_raw())
