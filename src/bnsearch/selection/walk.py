"""The enumeration of all variables' parent sets together, one size after the other."""

from __future__ import annotations

import threading
from math import comb, inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.events import Event
from bnsearch.counting.pieces import Piece, count_sets_with_each
from bnsearch.counting.sweep import Sweep
from bnsearch.parent_sets.assembly import RankedFamilies, assemble
from bnsearch.parent_sets.legal import take_legal_rows
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import TOLERANCE
from bnsearch.selection.builder import Job
from bnsearch.selection.closing import excludes_larger_sets
from bnsearch.selection.family_chunks import FamilyChunks
from bnsearch.selection.size_progress import Pace, SizeProgress

MANY_SETS = 100_000  # minimum number of sets of a size for an estimate of the pace of the next size
SECONDS_PER_ROW, SECONDS_PER_VARIABLE = 5e-7, 2e-5  # time reserved for assembling the table
SECONDS_PER_VALUE = 1e-8  # time for preparing the arrays of a size, for each value
MAX_PREPARATION_SHARE = 0.1  # maximum share of the remaining time for preparing the arrays of a size
FASTEST = 1e-8  # fastest possible pace in seconds per set: a size that does not fit at this pace is not tried
SIZE_FACTOR = 2.0  # estimated time for a set, divided by that for a set of one variable less
FAMILY_BYTES = 20  # memory of a family that is kept
MAX_KEPT = 1 << 19  # maximum number of families of a piece for which there is room at first; more is added if necessary


class Walk:
    """
    The enumeration of all variables' parent sets, size by size.

    A *size* is the number of variables of a set that contains a child and its parents. Each member of such a set is the
    child of one family. Children are in the same class if the values of parent sets are the same for them: all children
    under a score-equivalent score, otherwise those of the same arity.

    Parameters
    ----------
    job : the selection that the enumeration is part of
    max_parents : largest number of parents
    memory : bytes for counts and for the best scores of smaller sets
    resumable : True if later selections continue the enumeration, also in the middle of a size

    Attributes
    ----------
    empty : float64[places], scores of the empty sets
    best : float64[places, sets], each child's best score over the subsets of each parent set of the last size
    values : float64[1, sets], under a score-equivalent score the values of the sets of the last complete size
    kept : the families kept, by size and piece
    rows : number of families kept, including the empty sets
    not_assembled : the families kept since the last table, if the enumeration is resumable
    depth : number of parents up to which all families were enumerated
    seconds_per_set : pace of the last large size that was completed
    seconds_for_next : expected time for enumerating the first size that is not complete; infinity if that is unknown
    progress : the enumeration of a size that is not complete; None if there is none
    lock : held while a piece is added and while a size is completed
    """

    def __init__(self, job: Job, max_parents: int, memory: int, *, resumable: bool = False) -> None:
        self.job, self.memory, self.resumable = job, memory, resumable
        data, score = job.data, job.score
        self.sweep = self._make_sweep(max_parents + 1)
        arities = self.sweep.layout.columns.arities
        self.arities, classes = np.unique(arities, return_inverse=True)
        self.class_of = np.zeros(len(arities), dtype=np.int64) if score.equivalent else classes.astype(np.int64)
        whole = self.sweep.values(1, score.joint(data.n_rows))
        nothing = self._parents(0)[self.class_of, 0]
        self.empty = whole - nothing
        self.best = self.empty[:, np.newaxis].copy()
        self.values = whole[np.newaxis]
        self.kept: dict[int, dict[Piece, RankedFamilies]] = {}
        self._chunks = FamilyChunks()
        self.rows = len(arities)
        self.not_assembled: list[tuple[int, RankedFamilies]] = []
        self._new_rows = 0  # number of these families
        self.depth = 0
        self.seconds_per_set = 0.0
        self.seconds_for_next = inf
        self._horizon = inf
        self.progress: SizeProgress | None = None
        self._open_size = 0  # last size that was found not to be excluded by the bound of the score
        self.lock = threading.Lock()

    def _make_sweep(self, max_size: int) -> Sweep:
        return Sweep(self.job.data, max_size, memory=self.memory // 2, threads=self.job.budget.threads)

    def resume(self, job: Job, horizon: float, max_size: int) -> None:
        """
        Prepare to continue as part of another selection.

        horizon : number of seconds until the end of the last selection
        max_size : largest size that this selection enumerates
        """
        self.job, self._horizon = job, horizon
        while self.sweep.max_size < min(max_size, len(self.empty)):
            if self.sweep.can_deepen():
                self.sweep.deepen()
            else:
                self.sweep = self._make_sweep(max_size)
        if self.sweep.max_size == max_size and self.sweep.can_deepen():  # a sweep keeps the counts below its maximum
            self.sweep.deepen()

    def _parents(self, size: int) -> NDArray[np.float64]:
        """Return the values of all sets of a size as parents, float64[classes, sets]."""
        score, rows = self.job.score, self.job.data.n_rows
        sums = [score.joint(rows)] if score.equivalent else [score.parents(rows, r) for r in self.arities.tolist()]
        return np.stack([self.sweep.values(size, each, lambda: not self.job.budget.is_spent()) for each in sums])

    def run(self, *, evaluations: int | None = None, share: float | None = None, max_size: int | None = None) -> str:
        """
        Enumerate one size after the other; return the reason for the end.

        Parameters
        ----------
        evaluations : largest number of families to score; a size is enumerated as a whole or not at all
        share : share of the remaining budget that one more size may take; None means all of it
        max_size : largest size to enumerate; None means that of the sweep
        """
        largest = self.sweep.max_size if max_size is None else min(max_size, self.sweep.max_size)
        for size in range(self.depth + 2, largest + 1):
            if not self._fits(size) or (self.resumable and self._is_full()):
                return "memory"
            if not self.best.size:  # the arrays were not prepared, because this size does not fit into the time
                return "horizon" if self.resumable else "seconds"
            if (
                size > 2
                and self._open_size != size
                and excludes_larger_sets(self.sweep, size - 1, self.best, self.job, self._is_halted)
            ):
                self.depth = self.job.max_parents
                return "complete"
            self._open_size = size
            part = share if share is not None and size > 2 else 1.0
            if evaluations is not None and size * self.sweep.number(size) > part * (evaluations - self.scored):
                return "evaluations"
            left = self.job.budget.remaining
            if not self._enumerate_size(size, float("inf") if share is None else share * left):
                return self.job.budget.stop_reason or "seconds"
        return "complete"

    @property
    def _reserve(self) -> float:
        """The time reserved for assembling the table; with constraints, rows are also filtered and joined."""
        factor = 1.0 if self.job.constraints is None else 2.0
        rows = self._new_rows if self.resumable else self.rows
        return factor * SECONDS_PER_ROW * rows + SECONDS_PER_VARIABLE * self.job.n

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
            if size <= self.depth + 1:
                counts += comb(n - 1, size - 1)
            else:
                for piece in list(pieces):
                    counts[self.sweep.order] += count_sets_with_each(n, size, piece, self.sweep.binomial)
        return counts

    def _fits(self, size: int) -> bool:
        """Return True if the best scores that the enumeration of a size needs fit into memory."""
        return len(self.empty) * self.sweep.number(size - 2) * 8 <= self.memory

    def _is_full(self) -> bool:
        """Return True if the families kept fill their memory."""
        return self.rows * FAMILY_BYTES > self.memory

    def _fits_in_time(self, size: int) -> bool:
        """
        Return True if the arrays for a size are worth their preparation.

        One of two conditions must hold: the preparation takes a small share of the time, or the size may fit into the
        time as a whole. For a resumable walk both must hold, because it keeps the arrays between selections.
        """
        seconds = self._horizon if self.resumable else self.job.budget.remaining
        values = len(self.empty) * self.sweep.number(size - 2) + self.sweep.number(size - 1)
        is_cheap = values * SECONDS_PER_VALUE < MAX_PREPARATION_SHARE * seconds
        may_fit = self.sweep.number(size) * FASTEST / self.job.budget.threads < seconds
        return is_cheap and may_fit if self.resumable else is_cheap or may_fit

    def _is_halted(self) -> bool:
        """Return True if the check of the bound of the score must end."""
        budget = self.job.budget
        if self.resumable:  # the check takes no longer than the last size, and must not be repeated
            return budget.stop_reason is not None or budget.elapsed > self._horizon
        return budget.is_spent()

    def _enumerate_size(self, size: int, max_seconds: float) -> bool:
        """
        Enumerate all families of one size; return True if all of them were reached.

        The enumeration ends early when its pace shows that the rest of the size takes more than `max_seconds`; the
        families kept until then stay.
        """
        started = self.job.budget.clock()
        progress = self.progress or self._start_size(size, max_seconds)
        if self.job.budget.is_spent(self._reserve):
            return False
        self.progress = progress
        self.kept[size] = progress.kept
        pace = Pace(progress, max_seconds, self.job.budget)

        def visit(piece: Piece, block: NDArray[np.float64]) -> None:
            kept = self._keep(progress, piece, block)
            with self.lock:
                progress.kept[piece] = kept
                self.rows += len(kept.places)
                if self.resumable:
                    self.not_assembled.append((size - 1, kept))
                    self._new_rows += len(kept.places)
                    pace.going = pace.going and not self._is_full()
                pace.advance(len(block), self._reserve)
                event = self._make_event(progress)
            self.job.budget.report(event)

        joint = self.job.score.joint(self.job.data.n_rows)
        into = progress.values[0] if progress.values.size else None
        budget, pieces = self.job.budget, self._list_pieces(progress, whole=max_seconds < inf)
        self.sweep.for_each_piece(
            size, joint, visit, lambda: pace.going and not budget.is_spent(), into=into, pieces=pieces
        )
        if progress.done < progress.total:
            self.seconds_for_next = pace.expected_seconds
            return False
        with self.lock:
            self.best, self.values, self.depth = progress.best, progress.values, size - 1
            self.progress = None
        seconds = self.job.budget.clock() - started
        if progress.total > MANY_SETS:
            self.seconds_per_set = seconds / progress.total
        self.seconds_for_next = SIZE_FACTOR * seconds / progress.total * comb(len(self.empty), size + 1)
        return True

    def _start_size(self, size: int, max_seconds: float) -> SizeProgress:
        """
        Return the arrays for the enumeration of a size.

        The arrays that only the next size needs are empty if that cannot be enumerated. Unless the walk is resumable,
        this includes a size that does not fit into `max_seconds` even at the pace of the last size, which is faster.
        """
        total = self.sweep.number(size)
        is_last = not self._fits(size + 1) or not self._fits_in_time(size + 1)
        if not self.resumable:
            is_last = is_last or size == self.sweep.max_size
            is_last = is_last or self.seconds_per_set * self.sweep.number(size + 1) > max_seconds
        parents = self.get_parent_values(size)
        values = np.empty((1, 0 if is_last else total))
        # Filled here, so that the first access to the memory is not part of the measured pace.
        best = np.full((len(self.empty), 0 if is_last else self.sweep.number(size - 1)), -np.inf)
        return SizeProgress(size, total, parents, values, best)

    def get_parent_values(self, size: int) -> NDArray[np.float64]:
        """Return the values of the sets that are one smaller than a size, as parents; the smaller size is complete."""
        return self.values if self.job.score.equivalent else self._parents(size - 1)

    def add_kept(self, size: int, kept: dict[Piece, RankedFamilies]) -> None:
        """Add the families of an earlier enumeration, which are not part of a table yet."""
        self.kept[size] = kept
        rows = sum(len(own.places) for own in kept.values())
        self.rows, self._new_rows = self.rows + rows, self._new_rows + rows
        self.not_assembled += [(size - 1, own) for own in kept.values()]

    def _list_pieces(self, progress: SizeProgress, *, whole: bool) -> list[Piece]:
        """
        Return the pieces of a size that are left to do.

        A resumable walk that need not complete the size begins with the variables of few states: these are parents of
        good families more often, and their sets take less time. Otherwise the largest pieces come first, because the
        pace of the small ones says little about the time of a whole size.
        """
        pieces = [piece for piece in self.sweep.pieces(progress.size) if piece not in progress.kept]
        return pieces[::-1] if self.resumable and not whole else pieces

    def _make_event(self, progress: SizeProgress) -> Event:
        """Return a report of the number of families of a size that were scored."""
        size = progress.size
        task = "single parents" if size == 2 else f"sets of {size - 1} parents"
        found = self.rows if self.job.constraints is None else None  # illegal sets are removed later
        return Event(task, size * progress.done, size * progress.total, "sets", found)

    def _keep(self, progress: SizeProgress, piece: Piece, block: NDArray[np.float64]) -> RankedFamilies:
        """Return the families of a piece that score better than all subsets of their parents."""
        from bnsearch.selection.kernels_walk import keep_families

        room = min(progress.size * len(block), MAX_KEPT)
        while True:
            chunk = self._chunks.take(room)
            number = keep_families(
                progress.size, *piece, self.sweep.binomial, block, progress.parents, self.class_of, self.best,
                progress.best, TOLERANCE, *chunk,
            )  # fmt: skip
            if number <= len(chunk.places):
                return self._chunks.keep(chunk, number)
            room = number

    def table(self, *, only_best: bool = False) -> ParentSets:
        """Return the table of the families kept; with `only_best`, a large one is cut to each variable's best sets."""
        parts = [(size - 1, kept) for size in sorted(self.kept) for _, kept in sorted(self.kept[size].items())]
        self.not_assembled, self._new_rows = [], 0
        return self._assemble(parts, only_best)

    def new_table(self, *, only_best: bool = False) -> ParentSets:
        """Return the table of the families kept since the last table."""
        parts, self.not_assembled = sorted(self.not_assembled, key=lambda part: part[0]), []
        self._new_rows = 0
        return self._assemble(parts, only_best)

    def _assemble(self, parts: list[tuple[int, RankedFamilies]], only_best: bool) -> ParentSets:
        order, binomial = self.sweep.order, self.sweep.binomial
        names, threads, constraints = self.job.data.names, self.job.budget.threads, self.job.constraints
        table = assemble(names, order, binomial, self.empty, parts, threads, only_best=only_best)
        return table if constraints is None else take_legal_rows(table, constraints, self.job.children)
