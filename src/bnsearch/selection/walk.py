"""The enumeration of all variables' parent sets together, one size after the other."""

from __future__ import annotations

import threading
from math import comb, inf

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import ThreadArrays
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.counting.sweep import Piece, Sweep
from bnsearch.parent_sets.assembly import RankedFamilies, assemble
from bnsearch.parent_sets.legal import is_wanted
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import TOLERANCE
from bnsearch.selection.builder import Job

PATIENCE = 0.2  # seconds of an enumeration after which its pace is known well enough to give it up
MANY_SETS = 100_000  # smallest number of sets of a size from whose time the pace of the next one is estimated
SECONDS_PER_ROW, SECONDS_PER_VARIABLE = 5e-7, 2e-5  # generous time for assembling the table, for each of these
SECONDS_PER_VALUE = 1e-8  # time for preparing the arrays of a size, for each value
MAX_PREPARATION_SHARE = 0.1  # maximum share of the remaining time for preparing the arrays of a size
FASTEST = 1e-8  # fastest possible pace in seconds per set: a size that does not fit at this pace is not tried
MAX_KEPT = 1 << 20  # largest number of families of a piece for which there is room at first


class _Pace:
    """
    The progress of the enumeration of a size, and the decision whether to continue.

    Parameters
    ----------
    total : number of sets of the size
    max_seconds : time budget of the whole size
    budget : budget of the selection
    """

    def __init__(self, total: int, max_seconds: float, budget: Budget) -> None:
        self.total, self.max_seconds, self.budget = total, max_seconds, budget
        self.done = 0
        self.going = True
        self.expected_seconds = inf  # for the whole size
        self._since: tuple[float, int] | None = None  # time and number of sets at the end of the first piece

    def advance(self, sets: int, reserve: float) -> None:
        """Record that more sets are done; `reserve` is the time that is needed after the last one."""
        clock = self.budget.clock()
        self.done += sets
        self._since = self._since or (clock, self.done)
        spent, done = clock - self._since[0], self.done - self._since[1]
        self.expected_seconds = spent * self.total / done if done else inf
        hopeless = spent > PATIENCE and spent * self.total > self.max_seconds * done
        self.going = self.going and not hopeless and not self.budget.is_spent(reserve)


class Walk:
    """
    The enumeration of all variables' parent sets.

    Parameters
    ----------
    job : the selection that the enumeration is part of
    depth : largest number of parents
    memory : bytes for counts and for the best scores of smaller sets

    Attributes
    ----------
    empty : float64[places], scores of the empty sets
    best : float64[places, sets], each child's best score over the subsets of the parent sets of the last size
    values : float64[1, sets], values of the sets of the last size as parents, for a score-equivalent score
    kept : the families kept, by size of the whole set and by piece
    rows : number of families kept, including the empty sets
    complete : number of parents up to which all families were enumerated
    seconds_per_set : pace of the last large size that was completed
    seconds_for_next : expected time for enumerating the first size that is not complete; infinity if that is unknown
    """

    def __init__(self, job: Job, depth: int, memory: int) -> None:
        self.job, self.memory = job, memory
        data, score = job.data, job.score
        self.sweep = Sweep(data, depth + 1, memory=memory // 2, threads=job.budget.threads)
        arities = self.sweep.layout.columns.arities
        self.arities, classes = np.unique(arities, return_inverse=True)
        self.class_of = np.zeros(len(arities), dtype=np.int64) if score.equivalent else classes.astype(np.int64)
        whole = self.sweep.values(1, score.joint(data.n_rows))
        nothing = self._parents(0)[self.class_of, 0]
        self.empty = whole - nothing
        self.best = self.empty[:, np.newaxis].copy()
        self.values = whole[np.newaxis]
        self.kept: dict[int, dict[Piece, RankedFamilies]] = {}
        self.rows = len(arities)
        self.complete = 0
        self.seconds_per_set = 0.0
        self.seconds_for_next = inf
        self._lock = threading.Lock()

    def _parents(self, size: int) -> NDArray[np.float64]:
        """Return the values of all sets of a size as parents, a row for each class of child."""
        score, rows = self.job.score, self.job.data.n_rows
        sums = [score.joint(rows)] if score.equivalent else [score.parents(rows, r) for r in self.arities.tolist()]
        return np.stack([self.sweep.values(size, each, lambda: not self.job.budget.is_spent()) for each in sums])

    def run(self, *, evaluations: int | None, share: float | None = None) -> str:
        """
        Enumerate one size after the other; return the reason for the end.

        Parameters
        ----------
        evaluations : largest number of families to score; a size is enumerated as a whole or not at all
        share : share of the remaining budget that one more size may take; None means all of it
        """
        for size in range(2, self.sweep.max_size + 1):
            if not self._fits(size):
                return "memory"
            if not self.best.size:  # the last size has not prepared this one, because it would not fit
                return "seconds"
            if size > 2 and self._closed(size - 1):
                self.complete = self.job.max_parents
                return "complete"
            part = share if share is not None and size > 2 else 1.0
            if evaluations is not None and size * self.sweep.number(size) > part * (evaluations - self.scored):
                return "evaluations"
            left = self.job.budget.remaining
            if not self._enumerate_size(size, float("inf") if share is None else share * left):
                return self.job.budget.stop_reason or "seconds"
        return "complete"

    @property
    def _reserve(self) -> float:
        """The time for assembling the table; with constraints, its rows are also filtered and joined with others."""
        times = 1.0 if self.job.constraints is None else 2.0
        return times * SECONDS_PER_ROW * self.rows + SECONDS_PER_VARIABLE * self.job.n

    @property
    def scored(self) -> int:
        """Number of families scored so far."""
        return int(self.scored_of.sum())

    @property
    def scored_of(self) -> NDArray[np.int64]:
        """Number of families of each variable scored so far."""
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
        """Return True if the best scores that the enumeration of a size needs fit into memory."""
        return len(self.empty) * self.sweep.number(size - 2) * 8 <= self.memory

    def _fits_in_time(self, size: int) -> bool:
        """Return True if a size may fit into the time as a whole, or if its preparation takes a small share."""
        left = self.job.budget.remaining
        prepared = (len(self.empty) * self.sweep.number(size - 2) + self.sweep.number(size - 1)) * SECONDS_PER_VALUE
        fastest = self.sweep.number(size) * FASTEST / self.job.budget.threads
        return prepared < MAX_PREPARATION_SHARE * left or fastest < left

    def _closed(self, size: int) -> bool:
        """
        Return True if the bound of the score excludes all families larger than those over the sets of a size.

        The cells that occur are counted only if the result may depend on them.
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
            if self.job.budget.is_spent():
                going = False

        for piece in reversed(list(self.sweep.pieces(size))):  # pieces with few states first: these stay open longest
            if going:
                visit(piece, np.empty(0))
        if going and bound.level:
            self.sweep.for_each_piece(size, CellSum(CellFunction.OCCURS), visit, lambda: going)
        return going

    def _enumerate_size(self, size: int, max_seconds: float) -> bool:
        """
        Enumerate all families of one size; return True if all of them were reached.

        The enumeration is given up when its pace shows that the whole size takes more than `max_seconds`; the families
        kept until then stay. The arrays for the next size are not made if that does not fit into `max_seconds` even at
        the pace of the last size, which is a faster one.
        """
        started = self.job.budget.clock()
        total = self.sweep.number(size)
        last = size == self.sweep.max_size or not self._fits(size + 1) or not self._fits_in_time(size + 1)
        last = last or self.seconds_per_set * self.sweep.number(size + 1) > max_seconds
        parents = self.values if self.job.score.equivalent else self._parents(size - 1)
        if self.job.budget.is_spent(self._reserve):
            return False
        values = np.empty((1, 0 if last else total))
        # Filled here, so that the first access to the memory is not part of the measured pace.
        now = np.full((len(self.empty), 0 if last else self.sweep.number(size - 1)), -np.inf)
        pieces = self.kept.setdefault(size, {})
        pace = _Pace(total, max_seconds, self.job.budget)

        scratch = ThreadArrays(np.int32, np.int64, np.float64)

        def visit(piece: Piece, block: NDArray[np.float64]) -> None:
            kept = self._keep(size, piece, block, parents, now, scratch)
            with self._lock:
                pieces[piece] = kept
                self.rows += len(kept.places)
                pace.advance(len(block), self._reserve)
                event = self._make_event(size, pace.done, total)
            self.job.budget.report(event)

        joint = self.job.score.joint(self.job.data.n_rows)
        self.sweep.for_each_piece(size, joint, visit, lambda: pace.going, into=None if last else values[0])
        if pace.done < total:
            self.seconds_for_next = pace.expected_seconds
            return False
        self.best, self.values, self.complete = now, values, size - 1
        seconds = self.job.budget.clock() - started
        if total > MANY_SETS:
            self.seconds_per_set = seconds / total
        self.seconds_for_next = seconds / total * comb(len(self.empty), size + 1)
        return True

    def _make_event(self, size: int, done: int, total: int) -> Event:
        """Return the number of scored families of a size; each member of a set is the child of one."""
        task = "single parents" if size == 2 else f"sets of {size - 1} parents"
        found = self.rows if self.job.constraints is None else None  # illegal sets are removed later
        return Event(task, size * done, size * total, "sets", found)

    def _keep(
        self,
        size: int,
        piece: Piece,
        block: NDArray[np.float64],
        parents: NDArray[np.float64],
        now: NDArray[np.float64],
        scratch: ThreadArrays,
    ) -> RankedFamilies:
        """Return the families of a piece that no subset of their parents matches or beats."""
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

    def table(self, *, only_best: bool = False) -> ParentSets:
        """Return the table of the families kept; with `only_best`, a large one is cut to each variable's best sets."""
        parts = [(size - 1, kept) for size in sorted(self.kept) for _, kept in sorted(self.kept[size].items())]
        order, binomial = self.sweep.order, self.sweep.binomial
        names, threads = self.job.data.names, self.job.budget.threads
        return self._wanted(assemble(names, order, binomial, self.empty, parts, threads, only_best=only_best))

    def _wanted(self, table: ParentSets) -> ParentSets:
        """Return the table without illegal sets; variables that are not selected for keep just the empty set."""
        if self.job.constraints is None:
            return table
        selected = np.zeros(self.job.n, dtype=bool)
        selected[self.job.children] = True
        wanted = is_wanted(table.child, table.first, table.members, self.job.constraints)
        return table.take(np.flatnonzero((wanted & selected[table.child]) | (table.sizes == 0)))


def _sets_with_each(n: int, size: int, piece: Piece, binomial: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of sets of a piece that contain each place."""
    counts = np.zeros(n, dtype=np.int64)
    bottom, top, lowest, highest = piece
    if size == 2:
        counts[bottom : top + 1] = np.arange(bottom, top + 1)
        counts[:top] += top - np.maximum(bottom - 1, np.arange(top))
        return counts
    if bottom < top:  # complete tops, one after the other
        return sum((_sets_with_each(n, size, Piece(t, t, 0, t), binomial) for t in range(bottom, top + 1)), counts)
    counts[top] = binomial[highest, size - 1] - binomial[lowest, size - 1]
    places = np.arange(highest)  # sets with a place as their second one or below it
    counts[:highest] = binomial[highest - 1, size - 2] - binomial[np.maximum(lowest - 1, places), size - 2]
    counts[lowest:highest] += binomial[lowest:highest, size - 2]
    return counts
