"""The lattices of all variables walked at once, size after size."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import ThreadArrays
from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.counting.sweep import Piece, Sweep
from bnsearch.parent_sets.assembly import RankedFamilies, assemble
from bnsearch.parent_sets.legal import is_wanted
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import TOLERANCE
from bnsearch.selection.builder import Job
from bnsearch.selection.progress import Scoring

PATIENCE = 0.2  # seconds after which the pace of an enumeration is judged
MANY_SETS = 100_000  # of fewer, the time says little about the pace of more
SECONDS_PER_ROW, SECONDS_PER_VARIABLE = 5e-7, 2e-5  # what they cost when the table is assembled, generously
SECONDS_PER_VALUE, PREPARATION = 1e-8, 0.1  # of a larger size: what room for one takes, the most part of the time
FASTEST = 1e-8  # seconds a set: what cannot fit at this pace is not tried
MAX_KEPT = 1 << 20  # families of a piece for which there is room at first


class _Pace:
    """
    How far the sets of a size have got, and whether it is worth going on.

    Parameters
    ----------
    total : how many sets there are
    worth : the most seconds that all of them may take
    late : tells whether to stop in any case, so much time before the deadline
    """

    def __init__(self, total: int, worth: float, late: Callable[[float], bool]) -> None:
        self.total, self.worth, self.late = total, worth, late
        self.done = 0
        self.going = True
        self._since: tuple[float, int] | None = None  # the clock and the sets done when the first piece was

    def advance(self, sets: int, reserve: float) -> None:
        """Take note of some more sets; `reserve` is the time needed after the last."""
        clock = time.perf_counter()
        self.done += sets
        self._since = self._since or (clock, self.done)
        spent, done = clock - self._since[0], self.done - self._since[1]
        hopeless = spent > PATIENCE and spent * self.total > self.worth * done
        self.going = self.going and not hopeless and not self.late(reserve)


class Walk:
    """
    The state of the enumeration: best scores over subsets, families kept.

    Parameters
    ----------
    job : what to select from
    depth : the most parents
    memory : for counts and for the best scores of smaller sets
    """

    def __init__(self, job: Job, depth: int, memory: int) -> None:
        self.job, self.memory = job, memory
        data, score = job.data, job.score
        self.sweep = Sweep(data, depth + 1, memory=memory // 2, threads=job.threads)
        arities = self.sweep.layout.columns.arities
        self.arities, classes = np.unique(arities, return_inverse=True)
        self.class_of = np.zeros(len(arities), dtype=np.int64) if score.equivalent else classes.astype(np.int64)
        whole = self.sweep.values(1, score.joint(data.n_rows))
        nothing = self._parents(0)[self.class_of, 0]
        self.empty = whole - nothing
        self.best = self.empty[:, np.newaxis].copy()
        self.values = whole[np.newaxis]  # of the sets of the size before, where these serve as parents
        self.kept: dict[int, dict[Piece, RankedFamilies]] = {}  # by size of the whole set
        self.rows = len(arities)
        self.complete = 0
        self.seconds_per_set = 0.0  # of the last large size that was completed
        self._lock = threading.Lock()

    def _parents(self, size: int) -> NDArray[np.float64]:
        """Return the values of all sets of a size as parents, a row for each class of child."""
        score, rows = self.job.score, self.job.data.n_rows
        sums = [score.joint(rows)] if score.equivalent else [score.parents(rows, r) for r in self.arities.tolist()]
        return np.stack([self.sweep.values(size, each, lambda: not self.job.late()) for each in sums])

    def go(self, *, evaluations: int | None, share: float | None = None) -> str:
        """
        Take one size after the other; return why the walk ended.

        Parameters
        ----------
        evaluations : families scored at most; a size is taken as a whole or not at all
        share : of what is left of the budget, the most that one more size may take; None takes all there is
        """
        for size in range(2, self.sweep.max_size + 1):
            if not self._fits(size):
                return "memory"
            if not self.best.size:  # left out where this size could not be worth while
                return "seconds"
            if size > 2 and self._closed(size - 1):
                self.complete = self.job.most
                return "complete"
            part = share if share is not None and size > 2 else 1.0
            if evaluations is not None and size * self.sweep.number(size) > part * (evaluations - self.scored):
                return "evaluations"
            left = self.job.deadline - time.perf_counter()
            if not self._step(size, float("inf") if share is None else share * left):
                return "interrupted" if self.job.halt() else "seconds"
        return "complete"

    @property
    def _reserve(self) -> float:
        """How long it takes to assemble the table; legal sets are looked for in it and joined with others."""
        times = 1.0 if self.job.constraints is None else 2.0
        return times * SECONDS_PER_ROW * self.rows + SECONDS_PER_VARIABLE * self.job.n

    @property
    def scored(self) -> int:
        """Families scored so far."""
        return int(self.scored_of.sum())

    @property
    def scored_of(self) -> NDArray[np.int64]:
        """Families of each variable scored so far."""
        n = len(self.empty)
        counts = np.ones(n, dtype=np.int64)
        for size, pieces in self.kept.items():
            if size <= self.complete + 1:
                counts += comb(n - 1, size - 1)
            else:
                for piece in list(pieces):
                    counts[self.sweep.order] += _sets_with_each(n, size, piece, self.sweep.binomial)
        return counts

    def _fits(self, size: int) -> bool:
        """Tell whether the best scores over the subsets of parent sets one smaller than a size fit in memory."""
        return len(self.empty) * self.sweep.number(size - 2) * 8 <= self.memory

    def _fits_in_time(self, size: int) -> bool:
        """Tell whether a size could be taken as a whole, or at least prepared for in a small part of the time."""
        left = self.job.deadline - time.perf_counter()
        prepared = (len(self.empty) * self.sweep.number(size - 2) + self.sweep.number(size - 1)) * SECONDS_PER_VALUE
        return prepared < PREPARATION * left or self.sweep.number(size) * FASTEST < left * self.job.threads

    def _closed(self, size: int) -> bool:
        """
        Tell whether, by the score's bound, no family with more parents than those over the sets of a size matters.

        The cells that occur are counted only where the answer may depend on it.
        """
        from bnsearch.selection.kernels_open import any_open

        bound = self.job.bound
        if not (bound.slope or bound.level):
            return False
        going = True

        def visit(piece: Piece, block: NDArray[np.float64]) -> None:
            nonlocal going
            arities = self.sweep.layout.columns.arities
            if any_open(
                size, *piece, self.sweep.binomial, arities, block, self.best, *bound, self.job.data.n_rows, TOLERANCE
            ):
                going = False
            if self.job.late():
                going = False

        for piece in reversed(list(self.sweep.pieces(size))):  # the fewest states first: these are open the longest
            if going:
                visit(piece, np.empty(0))
        if going and bound.level:
            self.sweep.for_each_piece(size, CellSum(CellFunction.OCCURS), visit, lambda: going)
        return going

    def _step(self, size: int, worth: float) -> bool:
        """
        Take all families of one size; return whether all of them were reached.

        Families are kept up to the deadline. Where the whole size is soon found to need more than `worth` seconds, the
        attempt is given up; what was kept until then stays. What the next size would need is left out if even at the
        pace of the size before, which is a faster one, it could not be worth while.
        """
        begun = time.perf_counter()
        total = self.sweep.number(size)
        last = size == self.sweep.max_size or not self._fits(size + 1) or not self._fits_in_time(size + 1)
        last = last or self.seconds_per_set * self.sweep.number(size + 1) > worth
        parents = self.values if self.job.score.equivalent else self._parents(size - 1)
        if self.job.late(self._reserve):
            return False
        values = np.empty((1, 0 if last else total))
        # filled, so that memory is touched for the first time here, and the pace is that of the work
        now = np.full((len(self.empty), 0 if last else self.sweep.number(size - 1)), -np.inf)
        pieces = self.kept.setdefault(size, {})
        pace = _Pace(total, worth, self.job.late)

        scratch = ThreadArrays(np.int32, np.int64, np.float64)

        def visit(piece: Piece, block: NDArray[np.float64]) -> None:
            kept = self._keep(size, piece, block, parents, now, scratch)
            with self._lock:
                pieces[piece] = kept
                self.rows += len(kept.places)
                pace.advance(len(block), self._reserve)
                told = self._told(size, pace.done, total)
            self.job.progress(told)

        joint = self.job.score.joint(self.job.data.n_rows)
        self.sweep.for_each_piece(size, joint, visit, lambda: pace.going, into=None if last else values[0])
        if pace.done < total:
            return False
        self.best, self.values, self.complete = now, values, size - 1
        if total > MANY_SETS:
            self.seconds_per_set = (time.perf_counter() - begun) / total
        return True

    def _told(self, size: int, done: int, total: int) -> Scoring:
        """Say how many families of a size are scored: each member of a set is the child of one."""
        task = "single parents" if size == 2 else f"sets of {size - 1} parents"
        found = self.rows if self.job.constraints is None else None  # what is not legal is sorted out later
        return Scoring(task, size * done, size * total, "sets", found)

    def _keep(
        self,
        size: int,
        piece: Piece,
        block: NDArray[np.float64],
        parents: NDArray[np.float64],
        now: NDArray[np.float64],
        scratch: ThreadArrays,
    ) -> RankedFamilies:
        from bnsearch.selection.kernels_walk import keep_families

        room = min(size * len(block), MAX_KEPT)
        while True:
            kept = scratch.take(room)
            number = keep_families(
                size, *piece, self.sweep.binomial, block, parents, self.class_of, self.best, now, TOLERANCE, *kept
            )
            if number <= room:
                return RankedFamilies(*(array[:number].copy() for array in kept))
            room = number

    def table(self, *, soon: bool = False) -> ParentSets:
        """Return the candidate table of what was kept; `soon`, of each variable's best sets where there are many."""
        parts = [(size - 1, kept) for size in sorted(self.kept) for _, kept in sorted(self.kept[size].items())]
        order, binomial = self.sweep.order, self.sweep.binomial
        return self._wanted(
            assemble(self.job.data.names, order, binomial, self.empty, parts, self.job.threads, soon=soon)
        )

    def _wanted(self, table: ParentSets) -> ParentSets:
        """Return the table without illegal sets, and without all but the empty one of variables not selected for."""
        if self.job.constraints is None:
            return table
        selected = np.zeros(self.job.n, dtype=bool)
        selected[self.job.children] = True
        wanted = is_wanted(table.child, table.first, table.members, self.job.constraints)
        return table.take(np.flatnonzero((wanted & selected[table.child]) | (table.sizes == 0)))


def _sets_with_each(n: int, size: int, piece: Piece, binomial: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many sets of a piece hold each place."""
    counts = np.zeros(n, dtype=np.int64)
    bottom, top, lowest, highest = piece
    if size == 2:
        counts[bottom : top + 1] = np.arange(bottom, top + 1)
        counts[:top] += top - np.maximum(bottom - 1, np.arange(top))
        return counts
    if bottom < top:  # whole tops, each by itself
        return sum((_sets_with_each(n, size, Piece(t, t, 0, t), binomial) for t in range(bottom, top + 1)), counts)
    counts[top] = binomial[highest, size - 1] - binomial[lowest, size - 1]
    places = np.arange(highest)  # as the second place, or below it
    counts[:highest] = binomial[highest - 1, size - 2] - binomial[np.maximum(lowest - 1, places), size - 2]
    counts[lowest:highest] += binomial[lowest:highest, size - 2]
    return counts
