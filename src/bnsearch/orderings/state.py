"""The state of one ordering of the variables, which kernels update, and the best network of an ordering."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.orderings.index import Index
from bnsearch.orderings.starts import Ordering

S = TypeVar("S", bound="OrderingState")


@dataclass(frozen=True, eq=False)
class ScoredOrdering:
    """
    An ordering with the best network that is consistent with it.

    Attributes
    ----------
    index : index of the candidate table
    order : int32[n], the variables from first to last
    rows : int64[n], the chosen row of the candidate table for each variable
    """

    index: Index = field(repr=False)
    order: Ordering
    rows: NDArray[np.int64]

    @cached_property
    def score(self) -> float:
        """Score of the network, correctly rounded, so that it does not depend on the moves that led here."""
        return math.fsum(self.index.table.scores[self.rows].tolist())  # a sum of floats is faster than one of an array

    @property
    def key(self) -> tuple[int, bytes]:
        """A value that identifies the network: the number of the index, and the rows."""
        return self.index.serial, self.rows.tobytes()

    def dag(self) -> DAG:
        """Return the network."""
        return self.index.table.network(self.rows)


class Climb(NamedTuple):
    """
    A climb over orderings.

    Attributes
    ----------
    initial : score of the ordering at the start
    end : the ordering at the end
    steps : number of moves
    """

    initial: float
    end: ScoredOrdering
    steps: int


class OrderingState:
    """
    The state of one ordering; not to be shared between threads.

    Attributes
    ----------
    index : index of the candidate table
    arrays : the tuple `state` that kernels take, as described in `kernels.arrays`
    order : int32[n], the variables from first to last
    choice : int64[n], the chosen row of the candidate table for each variable
    initial : score at the start of the last climb
    steps : number of moves of the last climb
    """

    def __init__(self, index: Index) -> None:
        n, slots = index.table.n_variables, index.n_slots
        self.index = index
        self.order, position, touched = np.empty((3, n), dtype=np.int32)
        self.choice, affected_at, reach = np.empty((3, n), dtype=np.int64)
        target, active = np.empty((2, slots), dtype=np.int32)
        n_active, later, untargeted = np.empty((3, n), dtype=np.int32)
        path = np.empty((2, index.table.max_parents + 1), dtype=np.int64)
        hashes, *self._caches = index.make_caches()
        self._evaluations = np.zeros(1, dtype=np.int64)
        self.arrays = KernelTuple((
            self.order, position, self.choice, np.empty(slots), target, active, n_active, reach, self._evaluations,
            later, untargeted, path, hashes, *self._caches, affected_at, np.empty(n), touched,
        ))  # fmt: skip
        self._reported = 0  # evaluations that `new_evaluations` has returned
        self.initial, self.steps = -math.inf, 0

    def set_order(self, order: Ordering) -> float:
        """Set the ordering, repaired so that required parents precede their children, and return its score."""
        from bnsearch.orderings.kernels.state import initialise_state

        self.order[:] = self.index.repaired(order)
        return float(initialise_state(self.index.arrays, self.arrays))

    def snapshot(self) -> ScoredOrdering:
        """Return a copy of the ordering and its network."""
        return ScoredOrdering(self.index, self.order.copy(), self.choice.copy())

    def clear_caches(self) -> None:
        """Empty the caches, so that the number of evaluations does not depend on the orderings before."""
        for cache in self._caches:
            cache.fill(0)

    def new_evaluations(self) -> int:
        """Return the number of evaluations since the last call."""
        new = int(self._evaluations[0]) - self._reported
        self._reported += new
        return new


def draw_seed(rng: np.random.Generator) -> np.uint64:
    """Return a random seed for the generator of a kernel."""
    return np.uint64(rng.bit_generator.random_raw())


class StatePool(Generic[S]):
    """
    States that are used by one task after the other, because to make one takes half as long as a short climb.

    Parameters
    ----------
    make : function that returns a new state
    """

    def __init__(self, make: Callable[[], S]) -> None:
        self._make = make
        self._free: list[S] = []

    @contextmanager
    def borrow(self) -> Iterator[S]:
        """Lend a state with empty caches to a task; from any thread."""
        try:
            state = self._free.pop()
        except IndexError:
            state = self._make()
        yield state
        state.clear_caches()
        self._free.append(state)
