"""Groups of pieces of an enumeration, as tasks of workers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.counting.pieces import Piece
from bnsearch.distributed.array_file import ArrayFile
from bnsearch.distributed.pools import Parts
from bnsearch.parent_sets.assembly import RankedFamilies
from bnsearch.scores.bounds import bound_of
from bnsearch.selection.builder import Job
from bnsearch.selection.size_progress import SizeProgress
from bnsearch.selection.walk import Walk

MIN_FAMILIES_OF_FILE = 1 << 12  # fewer families travel with the report, because a file takes about 0.1 ms


@dataclass(frozen=True)
class PieceTask:
    """
    A group of pieces of one size.

    Attributes
    ----------
    key : key of the problem, under which a worker keeps the enumeration of smaller sizes
    size : number of variables of the sets, children included
    pieces : the pieces
    max_parents : size of the largest parent set that can improve a local score
    memory : bytes for the enumeration
    smaller : results of the smaller sizes; None if the worker must enumerate these itself
    """

    key: str
    size: int
    pieces: tuple[Piece, ...]
    max_parents: int
    memory: int
    smaller: ArrayFile | None = None


class PieceWalk(Walk):
    """
    An enumeration on a worker: all sizes but the last, then some pieces of the last size.

    Attributes
    ----------
    shared_folder : the folder of the driver with the results of the smaller sizes; None if the worker did not find them
    """

    shared_folder: Path | None = None

    def enumerate_pieces(self, size: int, pieces: Sequence[Piece], smaller: ArrayFile | None) -> list[RankedFamilies]:
        """Return the families of each piece that no subset of their parents matches or beats."""
        progress = self.progress = self.progress or self._prepare_size(size, smaller)
        return self._make_filter(progress).for_each_piece(pieces, lambda piece, sets, families: families)

    def _prepare_size(self, size: int, smaller: ArrayFile | None) -> SizeProgress:
        """Return the arrays for the enumeration of a size, with the results of the driver if they are at hand."""
        arrays = None if smaller is None else smaller.map()
        if arrays is None or not self.sweep.adopt_counts(arrays[0], size):
            self.run(max_size=size - 1)
            return self._start_size(size, inf)
        _, self.best_scores, parents = arrays
        self.shared_folder = None if smaller is None else Path(smaller.path).parent
        return SizeProgress(
            size, self.sweep.count_sets(size), parents, np.empty((1, 0)), np.empty((len(self.empty_scores), 0))
        )


@dataclass(frozen=True, eq=False)
class PieceReport:
    """
    The families of a group of pieces, in few arrays, because each array takes time to travel.

    Attributes
    ----------
    counts : int64[pieces], number of families of each piece
    families : the families of the first piece, then those of the second, and so on; a file with them if the worker
        shares the files of the driver
    """

    counts: NDArray[np.int64]
    families: RankedFamilies | ArrayFile

    @classmethod
    def join(cls, found: Sequence[RankedFamilies], folder: Path | None = None) -> PieceReport:
        """
        Return the report of the families of each piece.

        folder : folder for a file with the families; None if they travel with the report
        """
        counts = np.array([len(own.places) for own in found], dtype=np.int64)
        nothing = RankedFamilies(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0))
        arrays = list(zip(nothing, *found, strict=True))
        if folder is not None and counts.sum() >= MIN_FAMILIES_OF_FILE:
            with suppress(OSError):
                return cls(counts, ArrayFile.write_joined(folder, arrays))
        return cls(counts, RankedFamilies._make(np.concatenate(parts) for parts in arrays))

    def split(self) -> list[RankedFamilies] | None:
        """
        Return the families of each piece; None if this process does not find the file with them. The file is deleted.

        The arrays can be written: kernels would be compiled again for others.
        """
        arrays: Sequence[NDArray[Any]] | None
        if isinstance(self.families, ArrayFile):
            arrays = self.families.map()
            self.families.remove()
            if arrays is None:
                return None
        else:
            arrays = [np.require(array, requirements="W") for array in self.families]
        bounds = pairwise([0, *np.cumsum(self.counts).tolist()])
        return [RankedFamilies._make(array[first:stop] for array in arrays) for first, stop in bounds]


def select_pieces(task: PieceTask, parts: Parts) -> PieceReport:
    """Return the families of a group of pieces; this function runs on a worker."""
    key = task.key, task.size, task.memory
    walk = _idle_walks.pop(key) or _make_walk(task, parts)
    found = walk.enumerate_pieces(task.size, task.pieces, task.smaller) if task.pieces else []
    report = PieceReport.join(found, None if task.smaller is None else walk.shared_folder)
    _idle_walks.put(key, walk)
    return report


def _make_walk(task: PieceTask, parts: Parts) -> PieceWalk:
    data, score, _ = parts
    job = Job(
        data=data,
        score=score,
        children=np.arange(data.n_variables),
        max_parents=task.max_parents,
        bound=bound_of(data, score),
        constraints=None,
        budget=Budget(threads=1),
    )
    return PieceWalk(job, task.size - 1, task.memory)


class _IdleWalks:
    """Enumerations that a worker can continue, of one problem and size."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: object = None
        self._walks: list[PieceWalk] = []

    def pop(self, key: object) -> PieceWalk | None:
        """Return an idle enumeration; None if there is none."""
        with self._lock:
            return self._walks.pop() if self._key == key and self._walks else None

    def put(self, key: object, walk: PieceWalk) -> None:
        """Keep an enumeration that is idle now, and forget those of other problems and sizes."""
        with self._lock:
            if self._key != key:
                self._key, self._walks = key, []
            self._walks.append(walk)


_idle_walks = _IdleWalks()
