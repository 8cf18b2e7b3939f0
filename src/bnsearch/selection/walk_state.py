"""The state of an enumeration of parent sets that another process can continue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.pieces import Piece
from bnsearch.parent_sets.assembly import RankedFamilies
from bnsearch.selection.size_progress import SizeProgress
from bnsearch.selection.walk import Walk

WHOLE_SIZE = Piece(0, 0, 0, 0)  # stands for all pieces of a complete size


@dataclass(frozen=True, eq=False)
class OpenSize:
    """
    A size that is not complete.

    Attributes
    ----------
    size : number of variables of the sets
    kept : the families kept, by piece
    values, best_scores : as in `SizeProgress`
    """

    size: int
    kept: dict[Piece, RankedFamilies]
    values: NDArray[np.float64]
    best_scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WalkState:
    """
    The state of a `Walk`, except for counts, which follow from the data.

    Attributes
    ----------
    depth, seconds_per_set, seconds_for_next, values, best_scores : as in `Walk`
    kept : the families kept of each complete size, in one or several parts
    opened : the size that is not complete; None if there is none
    """

    depth: int
    seconds_per_set: float
    seconds_for_next: float
    values: NDArray[np.float64]
    best_scores: NDArray[np.float64]
    kept: dict[int, list[RankedFamilies]]
    opened: OpenSize | None


def take_state(walk: Walk) -> WalkState:
    """
    Return the state of an enumeration, from any thread.

    The arrays are those of the walk. Those of an open size may change later, but only by pieces that are not among its
    pieces now, and enumerating such a piece again writes the same values.
    """
    with walk.lock:
        progress, depth = walk.progress, walk.depth
        sizes = [size for size in sorted(walk.kept.by_size) if size <= depth + 1]
        kept = {size: [walk.kept.by_size[size][piece] for piece in sorted(walk.kept.by_size[size])] for size in sizes}
        opened = None
        if progress is not None and progress.kept:
            opened = OpenSize(progress.size, dict(progress.kept), progress.values, progress.best_scores)
        return WalkState(
            depth, walk.seconds_per_set, walk.seconds_for_next, walk.values, walk.best_scores, kept, opened
        )


def restore_sizes(walk: Walk, saved: WalkState) -> None:
    """Continue a new enumeration after the complete sizes of an earlier one."""
    walk.depth, walk.seconds_per_set = saved.depth, saved.seconds_per_set
    walk.seconds_for_next = saved.seconds_for_next
    walk.values, walk.best_scores = np.array(saved.values), np.array(saved.best_scores)
    for size, families in saved.kept.items():
        own = RankedFamilies(*(np.concatenate(arrays) for arrays in zip(*families, strict=True)))
        walk.kept.add_earlier(size, {WHOLE_SIZE: own})


def restore_open_size(walk: Walk, opened: OpenSize) -> None:
    """
    Continue with a size that is not complete, after `restore_sizes` and `Walk.resume`.

    The pieces of a size depend on the number of threads. Pieces that this walk does not have are enumerated again.
    """
    sweep, size = walk.sweep, opened.size
    known = set(sweep.pieces(size))
    kept = {piece: RankedFamilies(*map(np.array, own)) for piece, own in opened.kept.items() if piece in known}
    ranks = [sweep.ranks(size, piece) for piece in kept]
    walk.progress = SizeProgress(
        size,
        sweep.count_sets(size),
        walk.get_parent_values(size),
        np.array(opened.values),
        np.array(opened.best_scores),
        kept,
        sum(stop - first for first, stop in ranks),
    )
    walk.kept.add_earlier(size, kept)
