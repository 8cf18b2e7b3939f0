"""The gains of single parents: for each variable, the parents that improve its score, in flat arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.pieces import Piece
from bnsearch.counting.sweep import Sweep
from bnsearch.runs.problem import Problem
from bnsearch.scores.score import tie_margins

PAIRS_PER_CALL = 1 << 16  # pairs that are written into a cache between two checks of the clock: up to 0.05 s
BYTES_PER_PAIR = 80  # memory of a pair while the pairs are sorted and indexed, an upper estimate

Pairs = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]  # children, parents and gains


class PairGains(NamedTuple):
    """
    The single parents that improve the score of each variable; variables are numbered by place, as in counting.Layout.

    Attributes
    ----------
    begin : int64[n + 1], the parents of child x are the entries begin[x]:begin[x + 1] of `parent`
    parent : int32[...], the parents, best first; of equal gains, the lower place first
    gain : float64[...], the gain of each parent over the empty parent set
    empty_scores : float64[n], local score of each variable without parents
    max_per_child : number of parents that are kept for each variable; None if all are kept
    complete : True if all pairs were counted; otherwise there are no entries
    """

    begin: NDArray[np.int64]
    parent: NDArray[np.int32]
    gain: NDArray[np.float64]
    empty_scores: NDArray[np.float64]
    max_per_child: int | None
    complete: bool


def compute_pair_gains(
    problem: Problem,
    going: Callable[[], bool] = lambda: True,
    threads: int | None = 1,
    memory: float = np.inf,
) -> PairGains:
    """
    Count all pairs of variables, and return the allowed single parents that improve a score.

    Parameters
    ----------
    problem : the data, the score and the knowledge
    going : counting stops when it returns False
    threads : number of threads for counting; None means all cores
    memory : bytes for the pairs. If more pairs improve a score, each variable keeps its best parents
    """
    data, score = problem.needed_data, problem.needed_score
    n = data.n_variables
    sweep = Sweep(data, 2, threads=threads)
    found = _PairCollector(problem, sweep, int(min(memory / BYTES_PER_PAIR, n * n)))
    n_pairs = n * (n - 1) // 2
    is_remembered = score.equivalent and n_pairs <= problem.scorer.capacity // 2
    values = np.empty(n_pairs) if is_remembered else None
    if n > 1:
        sweep.for_each_piece(2, score.joint(data.n_rows), found.add_piece, going, into=values)
    complete = going()
    if complete and values is not None:
        complete = _remember_pairs(problem, values, going)
    begin, parent, gain = found.sort() if complete else (np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    max_per_child = found.max_per_child if found.is_limited else None
    return PairGains(begin, parent, gain, found.empty_scores, max_per_child, complete)


def _remember_pairs(problem: Problem, values: NDArray[np.float64], going: Callable[[], bool]) -> bool:
    """Write the values of all pairs, by rank, into the scorer's cache; return False if `going()` has returned False."""
    members = np.stack(np.tril_indices(problem.size, -1)[::-1], axis=1)
    for first in range(0, len(values), PAIRS_PER_CALL):
        part = members[first : first + PAIRS_PER_CALL]
        begin = np.arange(0, part.size + 1, 2)
        problem.scorer.remember_at(begin, part.ravel(), values[first : first + PAIRS_PER_CALL])
        if not going():
            return False
    return True


class _PairCollector:
    """
    Collects the pairs that improve a score, from the pieces of a sweep; threads may add pieces at the same time.

    Parameters
    ----------
    problem, sweep : the problem, and the sweep over its data
    max_pairs : number of pairs that are kept at most, but at least two for each variable

    Attributes
    ----------
    max_per_child : number of parents that each variable keeps if there are more than `max_pairs`
    is_limited : True if there were more than `max_pairs`
    """

    def __init__(self, problem: Problem, sweep: Sweep, max_pairs: int) -> None:
        score, rows = problem.needed_score, problem.needed_data.n_rows
        self._n, self._sweep, self._order = len(sweep.order), sweep, sweep.order
        self._allowed = None if problem.constraints is None else problem.constraints.allowed
        arities, self._classes = np.unique(sweep.layout.columns.arities, return_inverse=True)
        others = [score.parents(rows, arity) for arity in arities.tolist()]
        self._parent_values = np.array([sweep.values(1, other) for other in others])
        empty_values = np.array([sweep.values(0, other)[0] for other in others])
        self.empty_scores = sweep.values(1, score.joint(rows)) - empty_values[self._classes]
        self._margins = tie_margins(self.empty_scores)
        # Half of the room is for pairs of later pieces, so that sorting is rare.
        self.max_per_child, self.is_limited = max(1, max_pairs // (2 * self._n)), False
        self._parts: list[Pairs] = []
        self._number = 0
        self._lock = threading.Lock()

    def add_piece(self, piece: Piece, values: NDArray[np.float64]) -> None:
        """Add the pairs of a piece that improve a score; values : the cell sums of its pairs."""
        first, _ = self._sweep.ranks(2, piece)
        found = []
        for high in range(piece.bottom, piece.top + 1):
            begin = high * (high - 1) // 2 - first
            found += self._list_improving(high, values[begin : begin + high])
        part = _join(found)
        with self._lock:
            self._parts.append(part)
            self._number += len(part[0])
            if self._number > 2 * self.max_per_child * self._n:
                self.is_limited = True
                self._drop_worst()

    def _list_improving(self, high: int, values: NDArray[np.float64]) -> list[Pairs]:
        """Return the pairs of a place and all lower places that improve the score of either; values : cell sums."""
        empty, of_parents = self.empty_scores, self._parent_values
        by_low = values - (empty[high] + of_parents[self._classes[high], :high])
        by_high = values - (empty[:high] + of_parents[self._classes[:high], high])
        low_improves, high_improves = by_low > self._margins[high], by_high > self._margins[:high]
        if self._allowed is not None:
            high_variable, low_variables = self._order[high], self._order[:high]
            low_improves &= self._allowed[high_variable, low_variables]
            high_improves &= self._allowed[low_variables, high_variable]
        parents, children = np.flatnonzero(low_improves), np.flatnonzero(high_improves)
        return [
            (np.full(len(parents), high, np.int32), parents.astype(np.int32), by_low[parents]),
            (children.astype(np.int32), np.full(len(children), high, np.int32), by_high[children]),
        ]

    def _drop_worst(self) -> None:
        """Keep only the best parents of each child."""
        begin, parent, gain = self._sort_pairs(*_join(self._parts))
        number = np.diff(begin)
        kept = np.arange(len(parent)) - np.repeat(begin[:-1], number) < self.max_per_child
        child = np.repeat(np.arange(self._n, dtype=np.int32), number)
        self._parts = [(child[kept], parent[kept], gain[kept])]
        self._number = int(kept.sum())

    def sort(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Return the fields begin, parent and gain of PairGains, which do not depend on the order of the pieces."""
        if self.is_limited:
            self._drop_worst()
        return self._sort_pairs(*_join(self._parts))

    def _sort_pairs(
        self, child: NDArray[np.int32], parent: NDArray[np.int32], gain: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Return the fields begin, parent and gain of PairGains for pairs in any order."""
        begin = np.concatenate([[0], np.cumsum(np.bincount(child, minlength=self._n))]).astype(np.int64)
        by_child = np.argsort(child.astype(np.min_scalar_type(self._n)), kind="stable")  # 16 bits are sorted by radix
        for first, last in pairwise(begin.tolist()):
            own = by_child[first:last]
            own[:] = own[np.lexsort((parent[own], -gain[own]))]
        return begin, parent[by_child], gain[by_child]


def _join(parts: list[Pairs]) -> Pairs:
    """Return the pairs of all parts."""
    if not parts:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    child, parent, gain = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return child, parent, gain
