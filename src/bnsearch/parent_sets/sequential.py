"""Sequential selection: every parent set up to a size."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.sweep import Piece, Sweep
from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.parent_sets.bounds import most_parents
from bnsearch.parent_sets.selection import Selection, no_progress
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import TOLERANCE, Score

Kept = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Sequential:
    """
    All parent sets of up to `max_parents` variables, by exhaustive enumeration.

    Parameters
    ----------
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    seconds : stop when this much time has passed; what is there is returned
    memory : the most bytes for counts and for the best scores of smaller sets

    References
    ----------
    Perez & Maua (2016), section 3.1: breadth-first search of the parent lattice to depth k.

    Notes
    -----
    The lattices of all variables are walked at once: a set of k + 1 variables is counted once for the k + 1 families in
    it. A family is kept if no subset of its parents scores as well; the best score over the subsets is carried from
    size to size.
    """

    max_parents: int | None = 3
    seconds: float | None = None
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        if self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0)
        if self.seconds is not None:
            require("seconds", self.seconds, above=0)
        require("memory", self.memory, at_least=1 << 20)

    def select(
        self,
        data: Dataset,
        score: Score,
        *,
        threads: int | None = None,
        progress: Callable[[str, int, int], None] = no_progress,
    ) -> Selection:
        """Build the candidate table of a dataset."""
        started = time.perf_counter()
        depth = most_parents(data, score, self.max_parents)
        walk = _Walk(data, score, depth, self.memory, threads)
        stop = "complete"
        try:
            for parents in range(1, walk.sweep.max_size):
                if not walk.step(parents + 1, self._left(started), progress):
                    stop = "seconds"
                    break
        except KeyboardInterrupt:
            stop = "interrupted"
        table = walk.table()
        return Selection(
            table=table,
            scored=walk.scored,
            exhaustive=walk.complete,
            seconds=time.perf_counter() - started,
            stop=stop,
        )

    def _left(self, started: float) -> float:
        return float("inf") if self.seconds is None else started + self.seconds


class _Walk:
    """The state of the enumeration: values of parent sets, best scores of subsets, families kept."""

    def __init__(self, data: Dataset, score: Score, depth: int, memory: int, threads: int | None) -> None:
        self.data, self.score = data, score
        self.sweep = Sweep(data, depth + 1, memory=memory // 2, threads=threads)
        self.memory = memory
        arities = self.sweep.layout.columns.arities
        self.arities, classes = np.unique(arities, return_inverse=True)
        self.class_of = np.zeros(len(arities), dtype=np.int64) if score.equivalent else classes.astype(np.int64)
        whole = self.sweep.values(1, score.joint(data.n_rows))
        nothing = self._parents(0)[self.class_of, 0]
        self.empty = whole - nothing
        self.best = self.empty[:, np.newaxis].copy()
        self.kept: list[tuple[int, Kept]] = []
        self.scored = len(arities)
        self.complete = 0

    def _parents(self, size: int) -> NDArray[np.float64]:
        """Return the values of all sets of a size as parents, a row for each class of child."""
        rows = self.data.n_rows
        arities = [1] if self.score.equivalent else self.arities.tolist()
        return np.stack([self.sweep.values(size, self.score.parents(rows, r)) for r in arities])

    def step(self, size: int, deadline: float, progress: Callable[[str, int, int], None]) -> bool:
        """Take all families of one size; return whether all of them were reached in time."""
        last = size == self.sweep.max_size
        n, number = len(self.empty), self.sweep.number(size - 1)
        if not last and n * number * 8 > self.memory:
            raise InputError(
                f"parent sets of {size} variables need {n * number * 8 / 1e9:.1f} GB: allow more memory, "
                f"or set max_parents to {size - 1}"
            )
        parents = self._parents(size - 1)
        now = np.full((n, 0 if last else number), -np.inf)
        done = 0
        late = False

        def visit(piece: Piece, block: NDArray[np.float64]) -> Kept | None:
            nonlocal done, late
            if late:
                return None
            kept = self._keep(size, piece, block, parents, now)
            done += 1
            progress(f"families of {size - 1} parents", done, 0)
            late = time.perf_counter() > deadline
            return kept

        pieces = self.sweep.for_each_piece(size, self.score.joint(self.data.n_rows), visit)
        self.kept += [(size - 1, kept) for kept in pieces if kept is not None]
        self.best = now
        reached = all(kept is not None for kept in pieces)
        self.scored += size * self.sweep.number(size) if reached else 0
        self.complete = size - 1 if reached else self.complete
        return reached and not (late and not last)

    def _keep(
        self,
        size: int,
        piece: Piece,
        block: NDArray[np.float64],
        parents: NDArray[np.float64],
        now: NDArray[np.float64],
    ) -> Kept:
        from bnsearch.parent_sets.kernels_select import keep_families

        capacity = 1 << 14
        while True:
            kept = (np.empty(capacity, np.int32), np.empty(capacity, np.int64), np.empty(capacity, np.float64))
            number = keep_families(
                size, *piece, self.sweep.binomial, block, parents, self.class_of, self.best, now, TOLERANCE, *kept
            )
            if number <= capacity:
                return kept[0][:number].copy(), kept[1][:number].copy(), kept[2][:number].copy()
            capacity = number

    def table(self) -> ParentSets:
        """Return the candidate table of what was kept."""
        from bnsearch.parent_sets.kernels_select import unrank

        order = self.sweep.order
        child, scores = [order.astype(np.int32)], [self.empty]
        sizes, members = [np.zeros(len(order), dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        for size, (places, ranks, values) in self.kept:
            sets = np.empty(len(ranks) * size, dtype=np.int32)
            unrank(size, ranks, self.sweep.binomial, order, sets)
            child.append(order[places].astype(np.int32))
            scores.append(values)
            sizes.append(np.full(len(ranks), size, dtype=np.int64))
            members.append(sets)
        first = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
        return ParentSets.build(
            self.data.names, np.concatenate(child), np.concatenate(scores), first, np.concatenate(members), pruned=True
        )
