"""The enumeration of all variables' parent sets together, one size after the other."""

from __future__ import annotations

import threading
from math import comb, inf, isfinite

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.events import Event
from bnsearch.counting.pieces import Piece
from bnsearch.counting.sweep import Sweep
from bnsearch.parent_sets.assembly import RankedFamilies, assemble
from bnsearch.parent_sets.legal import take_legal_rows
from bnsearch.parent_sets.table import ParentSets
from bnsearch.selection.builder import Job
from bnsearch.selection.closing import excludes_larger_sets
from bnsearch.selection.family_chunks import FamilyChunks
from bnsearch.selection.kept_families import KeptFamilies
from bnsearch.selection.piece_families import PieceFilter
from bnsearch.selection.report import NO_TIME
from bnsearch.selection.size_limits import SizeLimits
from bnsearch.selection.size_progress import Pace, SizeProgress

MANY_SETS = 100_000  # minimum number of sets of a size for an estimate of the pace of the next size
SECONDS_PER_ROW, SECONDS_PER_VARIABLE = 5e-7, 2e-5  # time reserved for assembling the table
SIZE_FACTOR = 2.0  # estimated time for a set, divided by that for a set of one variable less
FAMILY_BYTES = 20  # memory of a family that is kept


class Walk:
    """
    The enumeration of all variables' parent sets, size by size.

    A *size* is the number of variables of a set that contains a child and its parents. Each member of such a set is the
    child of one family. A *piece* is a range of the sets of one size, the work of one kernel call
    (`counting/pieces.py`). Children are in the same group if the values of parent sets are the same for them: all
    children under a score-equivalent score, otherwise those of the same arity.

    Parameters
    ----------
    job : the selection that the enumeration is part of
    max_parents : largest number of parents
    memory : bytes for counts and for the best scores of smaller sets
    resumable : True if later selections continue the enumeration, also in the middle of a size

    Attributes
    ----------
    empty_scores : float64[places], scores of the empty sets
    best_scores : float64[places, sets], each child's best score over the subsets of each parent set of the last size
    values : float64[1, sets], under a score-equivalent score the values of the sets of the last complete size
    kept : the families kept
    depth : number of parents up to which all families were enumerated
    seconds_per_set : pace of the last large size that was completed
    seconds_for_next : expected time for enumerating the first size that is not complete; infinity if that is unknown
    progress : the enumeration of a size that is not complete; None if there is none
    lock : held while a piece is added and while a size is completed

    Notes
    -----
    Three limits on the time have different effects:

    - the budget of the job: when it is spent, the enumeration ends at once
    - `share` of `run`: a size is given up early if its pace shows that it takes too long
    - `seconds_left` of `resume`: a size that cannot be completed in this time is not begun (`SizeLimits`)

    After the first two, the families of a part of a size are kept, and a later selection can continue.
    """

    def __init__(self, job: Job, max_parents: int, memory: int, *, resumable: bool = False) -> None:
        self.job, self.memory, self.resumable = job, memory, resumable
        data, score = job.data, job.score
        self.sweep = self._make_sweep(max_parents + 1)
        arities = self.sweep.layout.columns.arities
        self.arities, groups = np.unique(arities, return_inverse=True)
        self.group_of = np.zeros(len(arities), dtype=np.int64) if score.equivalent else groups.astype(np.int64)
        single_values = self.sweep.values(1, score.joint(data.n_rows))
        self.empty_scores = single_values - self._compute_parent_values(0)[self.group_of, 0]
        self.best_scores = self.empty_scores[:, np.newaxis].copy()
        self.values = single_values[np.newaxis]
        self.kept = KeptFamilies(len(arities))
        self._chunks = FamilyChunks()
        self.depth = 0
        self.seconds_per_set = 0.0
        self.seconds_for_next = inf
        self._seconds_left = inf  # for this selection and all later ones
        self.progress: SizeProgress | None = None
        self._checked_size = 0  # last size for which the bound of the score was checked, and did not exclude it
        self.lock = threading.Lock()

    def _make_sweep(self, max_size: int) -> Sweep:
        return Sweep(self.job.data, max_size, memory=self.memory // 2, threads=self.job.budget.threads)

    def resume(self, job: Job, seconds_left: float, max_size: int) -> None:
        """
        Prepare to continue as part of another selection.

        seconds_left : number of seconds that remain for this selection and all later ones
        max_size : largest size that this selection enumerates
        """
        self.job, self._seconds_left = job, seconds_left
        while self.sweep.max_size < min(max_size, len(self.empty_scores)):
            if self.sweep.can_deepen():
                self.sweep.deepen()
            else:
                self.sweep = self._make_sweep(max_size)
        # The next selection needs the counts of this size. A sweep stores them only if the size is below its maximum.
        if self.sweep.max_size == max_size and self.sweep.can_deepen():
            self.sweep.deepen()

    def _compute_parent_values(self, size: int) -> NDArray[np.float64]:
        """Return the values of all sets of a size as parent sets, float64[groups, sets]."""
        score, rows = self.job.score, self.job.data.n_rows
        sums = [score.joint(rows)] if score.equivalent else [score.parents(rows, r) for r in self.arities.tolist()]
        return np.stack([self.sweep.values(size, each, lambda: not self.job.budget.is_spent()) for each in sums])

    def run(self, *, evaluations: int | None = None, share: float | None = None, max_size: int | None = None) -> str:
        """
        Enumerate one size after the other; return why the enumeration ended, as in `Selection.stop`.

        Parameters
        ----------
        evaluations : maximum number of families to score; a size that would exceed it is not begun
        share : a size is given up when its pace shows that it takes more than this share of the remaining time. None
            means that it is never given up: its sets are enumerated until the budget is spent
        max_size : largest size to enumerate; None means that of the sweep
        """
        largest = self.sweep.max_size if max_size is None else min(max_size, self.sweep.max_size)
        for size in range(self.depth + 2, largest + 1):
            if not self._limits.fits_in_memory(size) or (self.resumable and self._is_full()):
                return "memory"
            if not self.best_scores.size:  # the arrays were not prepared, because there is no time for this size
                return NO_TIME if self.resumable else "seconds"
            if self._is_excluded(size):
                self.depth = self.job.max_parents
                return "complete"
            part = share if share is not None and size > 2 else 1.0
            if evaluations is not None and size * self.sweep.count_sets(size) > part * (evaluations - self.scored):
                return "evaluations"
            max_seconds = inf if share is None else share * self.job.budget.remaining
            if not self._enumerate_size(size, max_seconds):
                return self.job.budget.stop_reason or "seconds"
        return "complete"

    def _is_excluded(self, size: int) -> bool:
        """Return True if the bound of the score excludes all families of a size, and all larger ones."""
        if size in (2, self._checked_size):
            return False
        if excludes_larger_sets(self.sweep, size - 1, self.best_scores, self.job, self._is_halted):
            return True
        self._checked_size = size
        return False

    @property
    def _limits(self) -> SizeLimits:
        """The sizes that can be enumerated."""
        seconds_left = self._seconds_left if self.resumable else None
        return SizeLimits(self.sweep, self.job.budget, self.memory, seconds_left)

    @property
    def _reserve(self) -> float:
        """The time reserved for assembling the table; with constraints, rows are also filtered and joined."""
        factor = 1.0 if self.job.constraints is None else 2.0
        rows = self.kept.n_new if self.resumable else self.kept.number
        return factor * SECONDS_PER_ROW * rows + SECONDS_PER_VARIABLE * self.job.n

    @property
    def scored(self) -> int:
        """Number of families scored so far."""
        return int(self.scored_of.sum())

    @property
    def scored_of(self) -> NDArray[np.int64]:
        """Number of families of each variable scored so far."""
        return self.kept.count_scored(self.sweep, self.depth)

    def _is_full(self) -> bool:
        """Return True if the families kept fill their memory."""
        return self.kept.number * FAMILY_BYTES > self.memory

    def _is_halted(self) -> bool:
        """Return True if the check of the bound of the score must end."""
        budget = self.job.budget
        if self.resumable:  # the check takes no longer than the last size, and must not be repeated
            return budget.stop_reason is not None or budget.elapsed > self._seconds_left
        return budget.is_spent()

    def _enumerate_size(self, size: int, max_seconds: float) -> bool:
        """
        Enumerate all families of one size; return True if all of them were reached.

        The families kept stay if the size is not completed.

        max_seconds : the size is given up when its pace shows that the rest of it takes longer. Infinity means that it
            is never given up, so that a part of it is enumerated if the budget does not suffice for all
        """
        started, budget = self.job.budget.clock(), self.job.budget
        progress = self.progress or self._start_size(size, max_seconds)
        if budget.is_spent(self._reserve):
            return False
        self.progress = progress
        self.kept.by_size[size] = progress.kept
        pace = Pace(progress, max_seconds, budget)

        def visit(piece: Piece, sets: int, families: RankedFamilies) -> None:
            with self.lock:
                self.kept.add(size, piece, families)
                if self.resumable:
                    pace.going = pace.going and not self._is_full()
                pace.advance(sets, self._reserve)
                event = self._make_event(progress)
            budget.report(event)

        pieces = progress.list_pieces_left(self.sweep, in_part=self.resumable and max_seconds == inf)
        self._make_filter(progress).for_each_piece(pieces, visit, lambda: pace.going and not budget.is_spent())
        return self._end_size(progress, pace, started)

    def _end_size(self, progress: SizeProgress, pace: Pace, started: float) -> bool:
        """
        Complete a size if all its sets are done, and return True; update the expected times.

        started : time on the clock when this selection began or continued the size
        """
        progress.add_time(self.job.budget.clock() - started, pace.n_advanced)
        if progress.done < progress.total:
            self.seconds_for_next = pace.expected_seconds
            return False
        with self.lock:
            self.best_scores, self.values, self.depth = progress.best_scores, progress.values, progress.size - 1
            self.progress = None
        if progress.total > MANY_SETS and isfinite(progress.seconds_per_set):
            self.seconds_per_set = progress.seconds_per_set
        n_next = comb(len(self.empty_scores), progress.size + 1)
        self.seconds_for_next = SIZE_FACTOR * progress.seconds_per_set * n_next if n_next else 0.0
        return True

    def _start_size(self, size: int, max_seconds: float) -> SizeProgress:
        """
        Return the arrays for the enumeration of a size.

        If the next size cannot be enumerated (`SizeLimits.allow`), the arrays that only it needs are empty.
        """
        total = self.sweep.count_sets(size)
        is_last = not self._limits.allow(size + 1, self.seconds_per_set, max_seconds)
        parents = self.get_parent_values(size)
        values = np.empty((1, 0 if is_last else total))
        # Filled here, so that the first access to the memory is not part of the measured pace.
        n_best = 0 if is_last else self.sweep.count_sets(size - 1)
        best_scores = np.full((len(self.empty_scores), n_best), -np.inf)
        return SizeProgress(size, total, parents, values, best_scores)

    def get_parent_values(self, size: int) -> NDArray[np.float64]:
        """Return the values of all sets of `size - 1` variables as parent sets; this size must be complete."""
        return self.values if self.job.score.equivalent else self._compute_parent_values(size - 1)

    def _make_event(self, progress: SizeProgress) -> Event:
        """Return a report of the number of families of a size that were scored."""
        size = progress.size
        task = "single parents" if size == 2 else f"sets of {size - 1} parents"
        found = self.kept.number if self.job.constraints is None else None  # illegal sets are removed later
        return Event(task, size * progress.done, size * progress.total, "sets", found)

    def _make_filter(self, progress: SizeProgress) -> PieceFilter:
        """Return what finds the families of a size that score better than all subsets of their parents."""
        cell_sum = self.job.score.joint(self.job.data.n_rows)
        return PieceFilter(self.sweep, cell_sum, progress, self.group_of, self.best_scores, self._chunks)

    def table(self, *, only_best: bool = False) -> ParentSets:
        """Return the table of the families kept; with `only_best`, a large one is cut to each variable's best sets."""
        return self._assemble(self.kept.take_all(), only_best)

    def new_table(self, *, only_best: bool = False) -> ParentSets:
        """Return the table of the families kept since the last table."""
        return self._assemble(self.kept.take_new(), only_best)

    def _assemble(self, parts: list[tuple[int, RankedFamilies]], only_best: bool) -> ParentSets:
        order, binomial = self.sweep.order, self.sweep.binomial
        names, threads, constraints = self.job.data.names, self.job.budget.threads, self.job.constraints
        table = assemble(names, order, binomial, self.empty_scores, parts, threads, only_best=only_best)
        return table if constraints is None else take_legal_rows(table, constraints, self.job.children)
