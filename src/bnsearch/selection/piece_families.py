"""The families of the pieces of one size that no subset of their parents matches or beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellSum
from bnsearch.counting.pieces import Piece
from bnsearch.counting.sweep import Sweep
from bnsearch.parent_sets.assembly import RankedFamilies
from bnsearch.scores.score import TOLERANCE
from bnsearch.selection.family_chunks import FamilyChunks
from bnsearch.selection.size_progress import SizeProgress

MAX_KEPT = 1 << 19  # maximum number of families of a piece for which there is room at first; more is added if necessary

R = TypeVar("R")
Visit = Callable[[Piece, int, RankedFamilies], R]


@dataclass(frozen=True)
class PieceFilter:
    """
    Values the sets of pieces of one size, and keeps the families that score better than all subsets of their parents.

    Attributes
    ----------
    sweep, cell_sum : the sets, and their value
    progress : the enumeration of the size
    group_of : int64[places], group of each child (`Walk`)
    best_scores : float64[places, sets], each child's best score over all subsets of the parent sets of the last size
    chunks : memory for the families kept
    """

    sweep: Sweep
    cell_sum: CellSum
    progress: SizeProgress
    group_of: NDArray[np.int64]
    best_scores: NDArray[np.float64]
    chunks: FamilyChunks

    def for_each_piece(
        self, pieces: Sequence[Piece], visit: Visit[R], going: Callable[[], bool] = lambda: True
    ) -> list[R]:
        """
        Return the values of `visit`, called in threads with each piece, its number of sets, and its families kept.

        No piece is started after `going` has returned False.
        """
        sweep, progress = self.sweep, self.progress
        ends = [sweep.ranks(progress.size, piece) for piece in pieces]
        most = max((stop - first for first, stop in ends), default=0)
        self.chunks.reserve(min(sweep.threads, len(pieces)), min(progress.size * most, MAX_KEPT))
        is_last = not progress.values.size
        arrays = sweep.list_triple_arrays(self.cell_sum, going) if is_last and progress.size == 3 else None
        if arrays is not None:

            def keep_triples(piece: Piece) -> R:
                first, stop = sweep.ranks(3, piece)
                return visit(piece, stop - first, self._keep_triples(arrays, piece, stop - first))

            return sweep.map_pieces(keep_triples, pieces, going)
        return sweep.for_each_piece(
            progress.size,
            self.cell_sum,
            lambda piece, block: visit(piece, len(block), self._keep_of_block(piece, block)),
            going,
            into=None if is_last else progress.values[0],
            pieces=pieces,
        )

    def _keep_of_block(self, piece: Piece, block: NDArray[np.float64]) -> RankedFamilies:
        """Return the families of a piece; block : the values of its sets."""
        from bnsearch.selection.kernels_walk import keep_families

        progress = self.progress

        def keep(chunk: RankedFamilies) -> int:
            number: int = keep_families(
                progress.size, *piece, self.sweep.binomial, block, progress.parents, self.group_of,
                self.best_scores, progress.best_scores, TOLERANCE, *chunk,
            )  # fmt: skip
            return number

        return self._keep(progress.size * len(block), keep)

    def _keep_triples(self, arrays: tuple[Any, ...], piece: Piece, sets: int) -> RankedFamilies:
        """Return the families of a piece; arrays : from `Sweep.list_triple_arrays`, sets : number of sets."""
        from bnsearch.selection.kernels_last_triples import keep_triples

        def keep(chunk: RankedFamilies) -> int:
            number: int = keep_triples(
                *arrays, *piece, self.progress.parents, self.group_of, self.best_scores, TOLERANCE, *chunk
            )
            return number

        return self._keep(3 * sets, keep)

    def _keep(self, max_families: int, keep: Callable[[RankedFamilies], int]) -> RankedFamilies:
        """Return the families that `keep` writes to a chunk of memory, which is made larger if that is necessary."""
        room = min(max_families, MAX_KEPT)
        while True:
            chunk = self.chunks.take(room)
            number = keep(chunk)
            if number <= len(chunk.places):
                return self.chunks.keep(chunk, number)
            room = number
