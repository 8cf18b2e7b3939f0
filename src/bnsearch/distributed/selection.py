"""
Candidate selection on workers.

Enumeration counts each set of variables once for all families in it, so a division by children would count sets several
times. Workers get groups of pieces of the largest size instead: a piece is a range of sets (`counting/pieces.py`). The
driver enumerates all smaller sizes, which take little time. Workers on its machine map the results into memory, so that
all of them share one copy; other workers enumerate the smaller sizes themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb

import numpy as np

from bnsearch.counting.pieces import Piece
from bnsearch.data import Dataset
from bnsearch.distributed.array_file import ArrayFile
from bnsearch.distributed.growth import WorkerStage
from bnsearch.distributed.piece_tasks import PieceTask, select_pieces
from bnsearch.distributed.pools import Pool
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.assembly import RankedFamilies
from bnsearch.parent_sets.table import ParentSets
from bnsearch.selection.auto import EXHAUSTIVE_SHARE, Auto
from bnsearch.selection.builder import Job
from bnsearch.selection.growth_stage import GrowthPlan, GrowthStage
from bnsearch.selection.report import Selection
from bnsearch.selection.sequential import Sequential
from bnsearch.selection.size_progress import Pace, SizeProgress
from bnsearch.selection.walk import Walk

MIN_SETS = 1_000_000  # smallest number of sets of a size that is divided among workers: about 0.1 s of work
PREPARED_DEPTH = 2  # with this number of parents, workers prepare their data while the driver enumerates
MAX_SHARED = 1 << 28  # largest file with the results of smaller sizes; otherwise each worker enumerates these itself
MIN_TASKS_PER_WORKER = 8  # minimum number of groups of pieces for each worker, which bounds the time of a group
# The smallest groups have as many sets as if each worker got this number of groups: each one takes time of the driver.
MAX_TASKS_PER_WORKER, MAX_SETS_OF_SMALL_GROUP = 32, 1 << 20
SHARES = 3  # a group has at most 1 / SHARES of a worker's share of the remaining sets, so that all workers end together


class SharedWalk(Walk):
    """
    An enumeration whose largest size is divided among workers.

    Parameters
    ----------
    job, max_parents, memory : as in `Walk`
    pool : the workers
    """

    def __init__(self, job: Job, max_parents: int, memory: int, pool: Pool) -> None:
        self._pool = pool
        self.job, self.memory = job, memory
        if max_parents == PREPARED_DEPTH and comb(job.n, max_parents + 1) >= MIN_SETS:
            for _ in range(pool.queue.workers.number):
                self._submit(max_parents + 1, (), None)
        super().__init__(job, max_parents, memory)

    def run(self, *, evaluations: int | None = None, share: float | None = None, max_size: int | None = None) -> str:
        """Enumerate as `Walk.run` does; no task is left on the workers at the end."""
        try:
            return super().run(evaluations=evaluations, share=share, max_size=max_size)
        finally:
            self._pool.queue.cancel()

    def _submit(self, size: int, pieces: tuple[Piece, ...], smaller: ArrayFile | None) -> None:
        """Submit the enumeration of some pieces; without pieces, the worker only prepares its data."""
        task = PieceTask(self._pool.problem.key, size, pieces, self.job.max_parents, self.memory, smaller)
        self._pool.queue.submit(select_pieces, task, [self._pool.problem])

    def _share_smaller(self, progress: SizeProgress) -> ArrayFile | None:
        """Return a file with the results of the smaller sizes; None if it would be too large or cannot be written."""
        arrays = self.sweep.get_counts(progress.size), self.best_scores, progress.parents
        if sum(array.nbytes for array in arrays) > MAX_SHARED:
            return None
        try:
            return ArrayFile.write(self._pool.folder.path, arrays)
        except OSError:
            return None

    def _enumerate_size(self, size: int, max_seconds: float) -> bool:
        """Enumerate all families of one size; a large size that is the last one is divided among the workers."""
        if self.sweep.count_sets(size) < MIN_SETS:
            return super()._enumerate_size(size, max_seconds)
        started, budget = self.job.budget.clock(), self.job.budget
        progress = self.progress = self._start_size(size, max_seconds)
        if progress.values.size:  # the next size needs the values of this one
            return super()._enumerate_size(size, max_seconds)
        self.kept.by_size[size] = progress.kept
        pace = Pace(progress, max_seconds, budget)
        for pieces, families in self._enumerate_on_workers(progress, pace):
            sets = 0
            for piece, own in zip(pieces, families, strict=True):
                self.kept.add(size, piece, own)
                first, stop = self.sweep.ranks(size, piece)
                sets += stop - first
            pace.advance(sets, self._reserve)
            budget.report(self._make_event(progress))
        return self._end_size(progress, pace, started)

    def _enumerate_on_workers(
        self, progress: SizeProgress, pace: Pace
    ) -> Iterator[tuple[tuple[Piece, ...], list[RankedFamilies]]]:
        """Yield groups of pieces with their families, until all are done or the time is used up."""
        queue, smaller = self._pool.queue, self._share_smaller(progress)
        try:
            for group in self._group_pieces(progress.size, queue.workers.number):
                self._submit(progress.size, group, smaller)
            for ticket in queue.take_all(lambda: pace.going and not self.job.budget.is_spent()):
                pieces, families = ticket.call.task.pieces, ticket.value.split()
                if families is not None:
                    yield pieces, families
                elif pieces:  # the file with the families was lost
                    self._submit(progress.size, pieces, None)
        finally:
            if smaller is not None:
                smaller.remove()

    def _group_pieces(self, size: int, workers: int) -> Iterator[tuple[Piece, ...]]:
        """
        Yield groups of pieces.

        The first group of each worker is small, so that the pace is known soon. Further groups have twice as many sets,
        up to the number with which each worker gets MIN_TASKS_PER_WORKER groups. The last groups are small again.
        """
        group: list[Piece] = []
        remaining, sets, n_groups = self.sweep.count_sets(size), 0, 0
        max_sets = remaining / (MIN_TASKS_PER_WORKER * workers)
        min_sets = min(MAX_SETS_OF_SMALL_GROUP, remaining / (MAX_TASKS_PER_WORKER * workers))
        for piece in self.sweep.pieces(size):
            first, stop = self.sweep.ranks(size, piece)
            group.append(piece)
            sets += stop - first
            wanted = min(max_sets, min_sets * 2.0 ** (n_groups // workers), remaining / (SHARES * workers))
            if sets >= max(min_sets, wanted):
                yield tuple(group)
                group, sets, n_groups, remaining = [], 0, n_groups + 1, remaining - sets
        if group:
            yield tuple(group)


@dataclass(frozen=True, kw_only=True)
class WorkerAuto(Auto):
    """
    `Auto` with the largest enumerated size and the growth of parent sets on workers.

    Parameters
    ----------
    pool : the workers
    grows : bool, default True
        Whether parent sets grow after the enumeration.
    """

    pool: Pool = field(repr=False, compare=False)
    grows: bool = True

    def make_walk(self, job: Job, max_parents: int) -> Walk:
        """Return the enumeration of all sets of up to `max_parents` parents."""
        return SharedWalk(job, max_parents, job.budget.memory, self.pool)

    def make_stage(self, job: Job, table: ParentSets, plan: GrowthPlan) -> GrowthStage:
        """Return the growth of the sets of a table on workers; the parameters are those of `GrowthStage`."""
        return WorkerStage(job, table, plan, self.pool)

    def build(self, job: Job) -> Selection:
        """Enumerate, then grow if that is wanted, then make the table."""
        if self.grows:
            return super().build(job)
        budget, walk = job.budget, self.make_walk(job, self._deepest(job))
        stop = walk.run(evaluations=budget.evaluations, share=EXHAUSTIVE_SHARE)
        table = walk.table(only_best=budget.stop_reason is not None)
        seconds = np.full(job.n, budget.elapsed / job.n)
        return Selection(table, walk.scored_of, seconds, walk.depth, stop, walk.depth >= job.max_parents)

    def load_kernels(self, data: Dataset, threads: int, constraints: Constraints | None) -> None:
        """Compile or load all kernels of a selection: the same as those of `Auto`."""
        Auto().load_kernels(data, threads, constraints)


@dataclass(frozen=True, kw_only=True)
class WorkerSequential(Sequential):
    """
    `Sequential` with the largest size on workers.

    Parameters
    ----------
    pool : the workers
    """

    pool: Pool = field(repr=False, compare=False)

    def make_walk(self, job: Job, max_parents: int) -> Walk:
        """Return the enumeration of all sets of up to `max_parents` parents."""
        return SharedWalk(job, max_parents, job.budget.memory, self.pool)

    def load_kernels(self, data: Dataset, threads: int, constraints: Constraints | None) -> None:
        """Compile or load all kernels of a selection: the same as those of `Sequential`."""
        Sequential().load_kernels(data, threads, constraints)
