"""A chain of insertions with families on demand: the arrays that its kernels work in."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import StopCheck
from bnsearch.dags.lazy_climber import LazyClimber
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.ondemand.call_limits import CallLimits
from bnsearch.ondemand.family_store import enlarge_store, list_families, new_store
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.source import Source
from bnsearch.orderings.starts import Ordering
from bnsearch.parent_sets.rows import Families

STORE_SHARE = 0.25  # share of the memory for the store of families; the rest is for the cache of extension rows
MAX_STORED = 4096  # upper bound on the number of stored families of a variable
MAX_STORED_PARENTS = 32  # upper bound on the number of parents of a stored family
FIRST_STORED = 64  # stored families of a variable for which there is room at first
FIRST_PARENTS = 3  # upper bound on the number of parents that a variable gets first along a new ordering
SEEN_SLOTS = 1 << 18  # slots of the hash table of predecessor sets; a power of two
NARROW_SIZES = 1, 2  # numbers of parents from which on extension rows may be narrow; the last one is usual
MAX_EXAMINED = 1_000_000  # entries that a kernel call examines before it returns: a few milliseconds


class OnDemandChain:
    """
    Iterated local search over orderings with families on demand; for one thread at a time.

    A step inserts a random variable next to a related one. Variables that lose a parent by this, or can gain one, get
    new parents. A step that ends in a loss above a threshold is undone.

    Parameters
    ----------
    source : the problem as kernels take it
    seed : seed of the chain's own random generator
    memory : bytes for its cache of extension rows and its store of families
    timed : True if growth that takes long may be cut short, and if extension rows are narrow at first; the result then
        depends on the machine
    shared : the caches of several chains, and the index of this chain's cache; None gives the chain one of its own

    Attributes
    ----------
    lock : held while the best network and the store of families change, so that another thread can read them
    """

    def __init__(
        self,
        source: Source,
        seed: np.uint64,
        memory: int,
        *,
        timed: bool = True,
        shared: tuple[RowCaches, int] | None = None,
    ) -> None:
        n = source.size
        self.source = source
        self._source = source.arrays()
        width = int(source.limits.max(initial=0)) + 1
        self._caches, self._cache = shared or (RowCaches(1, row_bytes(memory), n), 0)
        self.refresh_rows()
        self.use_narrow_rows(NARROW_SIZES[-1] if timed else 0)  # narrow rows depend on what the cache has
        stored_parents = min(width, MAX_STORED_PARENTS)
        self._max_stored = max(8, min(MAX_STORED, int(STORE_SHARE * memory) // (n * (24 + 4 * stored_parents))))
        self._store = new_store(min(FIRST_STORED, self._max_stored), n, stored_parents)
        self._counted = 0  # computed local scores that `count_new_evaluations` has returned
        self.lock = threading.RLock()
        self._limits = CallLimits(source.layout.columns.total, timed=timed)
        self._totals = np.array([0.0, -np.inf, 0.0])
        self._counts = np.array([0, 0, source.required_bits.any(), -1, 0, 0], dtype=np.int64)
        self._examined = np.zeros(1, dtype=np.int64)
        self._order, self._position, self._best_order, log = np.zeros((4, n), dtype=np.int32)
        self._member, saved_member, self._best_member = np.zeros((3, n, width), dtype=np.int32)
        self._size, saved_size, self._best_size = np.zeros((3, n), dtype=np.int64)
        self._score, saved_score, self._best_score = np.zeros((3, n))
        self._prefix_hash = np.zeros(n + 1, dtype=np.uint64)
        self._seen = np.zeros(SEEN_SLOTS, dtype=np.uint64)
        self._chain = KernelTuple((
            self._order, self._position, self._member, self._size, self._score, saved_member, saved_size, saved_score,
            self._best_order, self._best_member, self._best_size, log, np.full(n, -1, dtype=np.int64), self._counts,
            self._totals, np.array([seed], dtype=np.uint64), self._examined, *np.zeros((2, width), dtype=np.int32),
            source.required_bits, source.limits, self._prefix_hash, self._seen,
            source.relatives, source.relatives_begin, self._best_score,
        ))  # fmt: skip

    def use_narrow_rows(self, size: int) -> None:
        """
        Compute narrow rows (see kernels_rows) from now on for families with at least `size` parents; 0 means none.

        If fewer rows are narrow than before, parents grow again for all predecessor sets.
        """
        from bnsearch.ondemand.kernels_row_cache import HEAD, NARROW_FROM

        before = self._rows[HEAD][NARROW_FROM]
        self._rows[HEAD][NARROW_FROM] = size
        if before and not 0 < size <= before:
            self._seen[:] = 0

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The tuples `source`, `rows`, `store` and `chain` that the kernels take."""
        return self._source, self._rows, self._store, self._chain

    @property
    def best(self) -> float:
        """The best score so far, up to rounding errors."""
        from bnsearch.ondemand.kernels_state import BEST

        return float(self._totals[BEST])

    @property
    def current(self) -> float:
        """The score of the current network, up to rounding errors."""
        from bnsearch.ondemand.kernels_state import CURRENT

        return float(self._totals[CURRENT])

    @property
    def seconds_of_call(self) -> float:
        """Duration of the longest of the last kernel calls."""
        return self._limits.seconds_of_call

    def count_new_evaluations(self) -> int:
        """Return the number of local scores computed since the last call."""
        from bnsearch.ondemand.kernels_row_cache import EVALUATIONS, HEAD

        new = int(self._rows[HEAD][EVALUATIONS]) - self._counted
        self._counted += new
        return new

    def start_at(self, order: Ordering, halted: StopCheck) -> bool:
        """
        Move to an ordering, and grow parents along it; return False if halted before every variable had parents.

        Required parents must precede their children in the ordering.
        """
        from bnsearch.ondemand.kernels_state import update_best_network

        self._set_order(self.source.place[order].astype(np.int32))
        if not self._grow_first_parents(halted):
            return False
        with self.lock:
            update_best_network(self._chain)
        self.improve_parents(halted)
        return True

    def _grow_first_parents(self, halted: StopCheck) -> bool:
        """Grow up to FIRST_PARENTS parents of every variable; return False if halted before the last one."""
        from bnsearch.ondemand.kernels_chain import GROW_FEW

        return all(self._complete(GROW_FEW, child, FIRST_PARENTS, halted) for child in range(len(self._position)))

    def improve_parents(self, halted: StopCheck) -> None:
        """Give one variable after the other the best parents found among its predecessors, until halted."""
        from bnsearch.ondemand.kernels_chain import IMPROVE

        for child in self._order.tolist():
            if not self._complete(IMPROVE, child, 0, halted):
                return

    def _complete(self, task: int, child: int, max_parents: int, halted: StopCheck) -> bool:
        """Run a task until all rows that it needs are computed; return False if halted before."""
        from bnsearch.ondemand.kernels_row_cache import HEAD, IS_REFUSED

        while not halted():
            self._run(task, child, max_parents)
            if not self._rows[HEAD][IS_REFUSED]:
                return True
        return False

    def move_to_network(self, order: Ordering, parents: Sequence[Sequence[int]], scores: NDArray[np.float64]) -> None:
        """Move to a network that is consistent with an ordering, and store its families."""
        from bnsearch.ondemand.kernels_state import CURRENT, update_best_network

        place = self.source.place
        self._set_order(place[order].astype(np.int32))
        self._size[place] = [len(its_parents) for its_parents in parents]
        self._score[place] = scores
        for child, its_parents in zip(place.tolist(), parents, strict=True):
            self._member[child, : len(its_parents)] = np.sort(place[list(its_parents)])
        self._totals[CURRENT] = math.fsum(scores)
        with self.lock:
            update_best_network(self._chain)
        self.store_network(parents, scores)

    def store_network(self, parents: Sequence[Sequence[int]], scores: NDArray[np.float64]) -> None:
        """Store the families of a network."""
        children, sizes = np.arange(len(parents), dtype=np.int32), np.array([len(own) for own in parents])
        members = np.array([parent for own in parents for parent in own], dtype=np.int32)
        self.store_families(Families(children, scores, sizes, members))

    def copy_best_of(self, other: OnDemandChain) -> None:
        """Move to the best network of another chain."""
        self.reset_best()
        self.move_to_network(other.best_order(), other.best_parents(), other.best_scores())

    def _set_order(self, places: NDArray[np.int32]) -> None:
        """Set the ordering; every variable gets only its required parents, and the score 0."""
        from bnsearch.ondemand.kernels_state import CURRENT

        required = self.source.required
        self._order[:] = places
        self._position[places] = np.arange(len(places))
        self._prefix_hash[1:] = np.bitwise_xor.accumulate(self.source.parent_hashes[places])
        self._size[:] = [len(parents) for parents in required]
        for child in np.flatnonzero(self._size).tolist():
            self._member[child, : self._size[child]] = required[child]
        self._score[:] = 0.0
        self._totals[CURRENT] = 0.0

    def reset_best(self) -> None:
        """Forget the best score, so that the next network becomes the best so far."""
        from bnsearch.ondemand.kernels_state import BEST

        self._totals[BEST] = -np.inf

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Take steps, up to some milliseconds; return their number."""
        from bnsearch.ondemand.kernels_chain import SEARCH

        return self._run(SEARCH, steps, rate=rate, slope=slope)

    def _run(self, task: int, first: int, second: int = 0, *, rate: float = 0.0, slope: float = 0.0) -> int:
        """Run a task of the kernel `run_task`, for some milliseconds as a rule, and return its result."""
        from bnsearch.ondemand.kernels_chain import run_task
        from bnsearch.ondemand.kernels_row_cache import HEAD

        with self.lock:
            with self._limits.limit_call(self._rows[HEAD]) as max_evaluations:
                done = run_task(*self.arrays, task, first, second, rate, slope, MAX_EXAMINED, max_evaluations)
            # Shared caches are enlarged between rounds only, because other chains may be reading them now.
            if self._caches.number == 1 and self._caches.enlarge():
                self.refresh_rows()
            self._store = enlarge_store(self._store, self._max_stored)
            return int(done)

    def cache_rows_of(self, climber: LazyClimber) -> None:
        """Cache the extension rows of a climb's families, as far as all their gains are known."""
        from bnsearch.ondemand.kernels_known_rows import cache_known_rows

        with self.lock:
            cache_known_rows(self._source, self._rows, *climber.arrays)

    def refresh_rows(self) -> None:
        """Get the arrays of the cache of extension rows; they are others after the cache was enlarged."""
        self._rows = self._caches.rows_of(self._cache)

    def score_of_best(self) -> float:
        """Return the score of the best network so far, summed exactly, so that it does not depend on earlier steps."""
        return math.fsum(self._best_score)

    def best_order(self) -> Ordering:
        """Return the best ordering so far."""
        return self.source.order[self._best_order].astype(np.int32)

    def best_parents(self) -> list[list[int]]:
        """Return the parents of each variable in the best network so far."""
        order = self.source.order
        parents: list[list[int]] = [[] for _ in range(self.source.size)]
        for child, (members, size) in enumerate(zip(self._best_member, self._best_size.tolist(), strict=True)):
            parents[order[child]] = sorted(order[members[:size]].tolist())
        return parents

    def best_scores(self) -> NDArray[np.float64]:
        """Return the local score of each variable in the best network so far."""
        return self._best_score[self.source.place]

    def scores_without_parents(self) -> NDArray[np.float64]:
        """Return the local score of each variable without parents."""
        from bnsearch.ondemand.kernels_rows import EMPTY_SCORE

        scores = np.empty(self.source.size)
        scores[self.source.order] = self._source[EMPTY_SCORE]
        return scores

    @property
    def n_families(self) -> int:
        """The number of stored families."""
        from bnsearch.ondemand.kernels_store import NUMBER

        return int(self._store[NUMBER].sum())

    def families(self) -> Families:
        """Return the stored families."""
        return list_families(self._store, self.source.order)

    def store_families(self, families: Families) -> None:
        """Store families that are not in the store yet."""
        from bnsearch.ondemand.kernels_parents import store_all

        place = self.source.place
        members = place[families.members].astype(np.int32)
        with self.lock:
            store_all(self._source, self._store, place[families.child], families.first, members, families.scores)
            self._store = enlarge_store(self._store, self._max_stored)


def row_bytes(memory: int) -> int:
    """Return the number of bytes of a chain's memory that are for its cache of extension rows."""
    return int((1 - STORE_SHARE) * memory)
