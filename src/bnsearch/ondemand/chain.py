"""A chain of insertions with parents grown on demand: the arrays that its kernels work in."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.source import Source, packed
from bnsearch.orderings.starts import Ordering
from bnsearch.parent_sets.rows import Families

STORE_SHARE = 0.25  # of the memory, for the families met; the rest is for rows
MOST_STORED, STORED_PARENTS = 4096, 32  # families of a variable, and parents of one, that the store holds at most
FIRST_STORED, NEARLY_FULL = 64, 0.7  # families of a variable that it holds at first, and when it is doubled
FIRST_PARENTS = 3  # of a variable, when parents are grown along a new ordering
SEEN = 1 << 18  # sets of predecessors that are remembered
LOOKS = 1_000_000  # between two looks at the clock: some milliseconds
FIRST_EVALUATIONS, CALL_SECONDS, CUT_SECONDS = 1000, 0.005, 0.05  # local scores at first; a call; the longest growth

Halted = Callable[[], bool]


class GrowingChain:
    """
    Iterated local search from one ordering, step by step; for one thread at a time.

    A step inserts a random variable beside a relative. Variables that lose a parent by it, or can gain one, get new
    parents. A step that ends in a loss above a threshold is undone.

    Parameters
    ----------
    source : the table and the score
    random : the seed of the chain's own generator
    memory : bytes for its cache of rows and its store of families
    timed : whether growth may be cut short that takes long; the result then depends on the machine
    shared : the caches of several chains, and which of them is this one's; by default it has one alone
    """

    def __init__(
        self,
        source: Source,
        random: np.uint64,
        memory: int,
        *,
        timed: bool = True,
        shared: tuple[RowCaches, int] | None = None,
    ) -> None:
        n = source.size
        self.source = source
        self._source = source.arrays()
        most = int(source.limits.max(initial=0)) + 1
        self._caches, self._cache = shared or (RowCaches(1, row_bytes(memory), n), 0)
        self.refresh_rows()
        stored_parents = min(most, STORED_PARENTS)
        self._most_stored = max(8, min(MOST_STORED, int(STORE_SHARE * memory) // (n * (24 + 4 * stored_parents))))
        self._store = _new_store(min(FIRST_STORED, self._most_stored), n, stored_parents)
        self._counted = 0
        self._timed = timed
        self._seconds_each = CALL_SECONDS / FIRST_EVALUATIONS  # of a local score, measured
        self._totals = np.array([0.0, -np.inf, 0.0])
        self._counts = np.array([0, 0, source.required.any()], dtype=np.int64)
        self._looked = np.zeros(1, dtype=np.int64)
        self._order, self._position, self._best_order, log = np.zeros((4, n), dtype=np.int32)
        self._member, saved_member, self._best_member = np.zeros((3, n, most), dtype=np.int32)
        self._size, saved_size, self._best_size = np.zeros((3, n), dtype=np.int64)
        self._score, saved_score, self._best_score = np.zeros((3, n))
        self._prefix = np.zeros(n + 1, dtype=np.uint64)
        related = source.related
        self._chain = (
            self._order, self._position, self._member, self._size, self._score, saved_member, saved_size, saved_score,
            self._best_order, self._best_member, self._best_size, log, np.full(n, -1, dtype=np.int64), self._counts,
            self._totals, np.array([random], dtype=np.uint64), self._looked, *np.zeros((2, most), dtype=np.int32),
            packed(source.required), source.limits, self._prefix, np.zeros(SEEN, dtype=np.uint64),
            np.nonzero(related)[1].astype(np.int32), np.concatenate([[0], np.cumsum(related.sum(axis=1))]),
            self._best_score,
        )  # fmt: skip

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return self._source, self._rows, self._store, self._chain

    @property
    def best(self) -> float:
        """The best score so far, but for rounding."""
        return float(self._totals[1])

    @property
    def current(self) -> float:
        """The score of the network where the chain stands, but for rounding."""
        return float(self._totals[0])

    def new_evaluations(self) -> int:
        """Return how many local scores were computed since this was last asked."""
        from bnsearch.ondemand.kernels_rows import EVALUATIONS, HEAD

        new = int(self._rows[HEAD][EVALUATIONS]) - self._counted
        self._counted += new
        return new

    def begin_at(self, order: Ordering, halted: Halted) -> bool:
        """Go on from an ordering of the variables, in which required parents come first; False if halted before."""
        from bnsearch.ondemand.kernels_state import keep_network

        self._stand_at(self.source.place[order].astype(np.int32))
        if not self._grow_all(halted):
            return False
        keep_network(self._chain)
        self.improve(halted)
        return True

    def _grow_all(self, halted: Halted) -> bool:
        """Give every variable a few of the parents that stand before it; False if halted before the last."""
        from bnsearch.ondemand.kernels_parents import grow_first

        for child, limit in enumerate(self._position.tolist()):
            if halted():
                return False
            with self._bounded():
                grow_first(*self._arrays, child, limit, FIRST_PARENTS)
        return True

    def improve(self, halted: Halted) -> None:
        """Give one variable after the other all parents that it wants, until halted."""
        from bnsearch.ondemand.kernels_parents import improve_parents

        for child in self._order.tolist():
            if halted():
                return
            with self._bounded():
                improve_parents(*self._arrays, child)

    def stand_at(self, order: Ordering, parents: Sequence[Sequence[int]], scores: NDArray[np.float64]) -> int:
        """Go on from a network that is consistent with an ordering; return how many of its families are new."""
        from bnsearch.ondemand.kernels_state import keep_network

        place = self.source.place
        self._stand_at(place[order].astype(np.int32))
        self._size[place] = [len(its_parents) for its_parents in parents]
        self._score[place] = scores
        for child, its_parents in zip(place.tolist(), parents, strict=True):
            self._member[child, : len(its_parents)] = np.sort(place[list(its_parents)])
        self._totals[0] = math.fsum(scores)
        keep_network(self._chain)
        return self.keep_network(parents, scores)

    def keep_network(self, parents: Sequence[Sequence[int]], scores: NDArray[np.float64]) -> int:
        """Put the families of a network into the store; return how many are new to it."""
        children, sizes = np.arange(len(parents), dtype=np.int32), np.array([len(own) for own in parents])
        members = np.array([parent for own in parents for parent in own], dtype=np.int32)
        return self.keep(Families(children, scores, sizes, members))

    def take(self, other: GrowingChain) -> None:
        """Go on from the best network of another chain."""
        place = self.source.place
        self.forget_best()
        self.stand_at(other.best_order(), other.best_parents(), other._best_score[place])

    def _stand_at(self, places: NDArray[np.int32]) -> None:
        """Take an ordering of places; every variable has its required parents alone, and a score of zero."""
        required = self.source.required
        self._order[:] = places
        self._position[places] = np.arange(len(places))
        self._prefix[1:] = np.bitwise_xor.accumulate(self.source.words[places])
        self._size[:] = required.sum(axis=1)
        for child in np.flatnonzero(self._size).tolist():
            self._member[child, : self._size[child]] = np.flatnonzero(required[child])
        self._score[:] = 0.0
        self._totals[0] = 0.0

    def forget_best(self) -> None:
        """Let the next network be the best so far, whatever its score."""
        self._totals[1] = -np.inf

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Take steps, up to some milliseconds; return how many."""
        from bnsearch.ondemand.kernels_chain import search_on_demand

        with self._bounded() as evaluations:
            return int(search_on_demand(*self._arrays, steps, rate, slope, LOOKS, evaluations))

    @contextmanager
    def _bounded(self) -> Iterator[int]:
        """Within the block call a kernel that computes so many local scores; measure how long they take."""
        from bnsearch.ondemand.kernels_rows import EVALUATIONS, HEAD, LIMIT

        head = self._rows[HEAD]
        evaluations = max(1, int(CALL_SECONDS / self._seconds_each))
        cut = max(FIRST_EVALUATIONS, int(CUT_SECONDS / self._seconds_each))
        head[LIMIT] = head[EVALUATIONS] + cut if self._timed else np.iinfo(np.int64).max
        before, began = int(head[EVALUATIONS]), time.perf_counter()
        yield evaluations
        if head[EVALUATIONS] - before >= evaluations // 2:  # enough to tell
            self._seconds_each = (time.perf_counter() - began) / max(1, int(head[EVALUATIONS]) - before)
        if self._caches.number == 1:  # else other chains may be reading
            self._caches.enlarge()
            self.refresh_rows()
        self._enlarge_store()

    def refresh_rows(self) -> None:
        """Take the cache of rows anew, after it may have been enlarged."""
        self._rows = self._caches.rows_of(self._cache)

    def _enlarge_store(self) -> None:
        """Double the store of families where the list of a variable is nearly full and the memory allows."""
        *arrays, number = self._store
        capacity = arrays[0].shape[1]
        if number.max() > NEARLY_FULL * capacity and capacity < self._most_stored:
            larger = _new_store(min(2 * capacity, self._most_stored), self.source.size, arrays[3].shape[2])
            for old, new in zip(self._store, larger, strict=True):
                new[tuple(slice(length) for length in old.shape)] = old
            self._store = larger

    def score_of_best(self) -> float:
        """Return the score of the best network so far, to the last digit whatever path led to it."""
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

    def scores_without_parents(self) -> NDArray[np.float64]:
        """Return the local score of each variable without parents."""
        from bnsearch.ondemand.kernels_rows import FIRST_OWN

        scores = np.empty(self.source.size)
        scores[self.source.order] = self._source[FIRST_OWN]
        return scores

    @property
    def n_families(self) -> int:
        """How many families the store holds."""
        return int(self._store[5].sum())

    def families(self) -> Families:
        """Return the families in the store."""
        scores, _, sizes, members, _, number = self._store
        there = np.arange(scores.shape[1]) < number[:, np.newaxis]
        size = sizes[there].astype(np.int64)
        inside = np.arange(members.shape[2]) < size[:, np.newaxis]
        child = np.repeat(self.source.order, number).astype(np.int32)
        return Families(child, scores[there], size, self.source.order[members[there][inside]].astype(np.int32))

    def keep(self, families: Families) -> int:
        """Put families into the store; return how many are new to it."""
        from bnsearch.ondemand.kernels_parents import keep_families

        place = self.source.place
        members = place[families.members].astype(np.int32)
        new = keep_families(self._source, self._store, place[families.child], families.first, members, families.scores)
        self._enlarge_store()
        return int(new)


def row_bytes(memory: int) -> int:
    """Return how much of a chain's memory is for its cache of rows."""
    return int((1 - STORE_SHARE) * memory)


def _new_store(capacity: int, n: int, parents: int) -> tuple[NDArray[Any], ...]:
    """Return an empty store of families, as `kernels_store` describes it."""
    return (
        np.zeros((n, capacity)),
        np.zeros((n, capacity), dtype=np.uint64),
        np.zeros((n, capacity), dtype=np.int32),
        np.zeros((n, capacity, parents), dtype=np.int32),
        np.zeros((n, capacity), dtype=np.int32),
        np.zeros(n, dtype=np.int64),
    )
