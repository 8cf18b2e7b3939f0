"""The lattices of all variables walked at once, size after size."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.sweep import Piece, Sweep
from bnsearch.data import Dataset
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import TOLERANCE, Score

Kept = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]

PATIENCE = 0.2  # seconds after which the pace of an enumeration is judged


class Walk:
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

    def fits(self, size: int) -> bool:
        """Tell whether the best scores over the subsets of parent sets one smaller than a size fit in memory."""
        return len(self.empty) * self.sweep.number(size - 2) * 8 <= self.memory

    def step(
        self, size: int, deadline: float, progress: Callable[[str, int, int], None], worth: float = float("inf")
    ) -> bool:
        """
        Take all families of one size; return whether all of them were reached.

        Families are kept up to the deadline. Where the whole size is soon found to need more than `worth` seconds, the
        attempt is given up; what was kept until then stays.
        """
        last = size == self.sweep.max_size or not self.fits(size + 1)
        parents = self._parents(size - 1)
        now = np.full((len(self.empty), 0 if last else self.sweep.number(size - 1)), -np.inf)
        total = self.sweep.number(size)
        done = 0
        going = True
        paced: tuple[float, int] | None = (
            None  # the clock and the sets done when the first piece was (kernels load there)
        )

        def visit(piece: Piece, block: NDArray[np.float64]) -> Kept:
            nonlocal done, going, paced
            kept = self._keep(size, piece, block, parents, now)
            first, stop = self.sweep.ranks(size, piece)
            done += stop - first
            progress(f"sets of {size - 1} parents", done, total)
            clock = time.perf_counter()
            paced = paced or (clock, done)
            spent = clock - paced[0]
            hopeless = spent > PATIENCE and spent * total > worth * (done - paced[1])
            going = going and clock < deadline and not hopeless
            return kept

        joint = self.score.joint(self.data.n_rows)
        self.kept += [(size - 1, kept) for kept in self.sweep.for_each_piece(size, joint, visit, lambda: going)]
        self.best = now
        self.scored += size * done
        if done == total:
            self.complete = size - 1
        return done == total

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
