"""The families that an enumeration keeps for the candidate table."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.pieces import Piece, count_sets_with_each
from bnsearch.counting.sweep import Sweep
from bnsearch.parent_sets.assembly import RankedFamilies


class KeptFamilies:
    """
    The families kept, by size and piece, and those among them that are not part of a table yet.

    Parameters
    ----------
    n_empty : number of empty sets, which are part of every table

    Attributes
    ----------
    by_size : the families of each piece of each size
    number : number of families, including the empty sets
    n_new : number of families since the last table
    """

    def __init__(self, n_empty: int) -> None:
        self.by_size: dict[int, dict[Piece, RankedFamilies]] = {}
        self.number = n_empty
        self.n_new = 0
        self._new: list[tuple[int, RankedFamilies]] = []  # numbers of parents, and families since the last table

    def add(self, size: int, piece: Piece, families: RankedFamilies) -> None:
        """Add the families of a piece."""
        self.by_size[size][piece] = families
        self.number += len(families.places)
        self.n_new += len(families.places)
        self._new.append((size - 1, families))

    def add_earlier(self, size: int, pieces: dict[Piece, RankedFamilies]) -> None:
        """Add the families of an earlier enumeration of a size, which are not part of a table yet."""
        self.by_size[size] = {}
        for piece, families in pieces.items():
            self.add(size, piece, families)

    def count_scored(self, sweep: Sweep, depth: int) -> NDArray[np.int64]:
        """
        Return the number of families of each variable that were scored for these pieces, and their empty sets.

        depth : number of parents up to which all families were scored
        """
        n = len(sweep.order)
        counts = np.ones(n, dtype=np.int64)
        for size, pieces in self.by_size.items():
            if size <= depth + 1:
                counts += comb(n - 1, size - 1)
            else:
                for piece in list(pieces):
                    counts[sweep.order] += count_sets_with_each(n, size, piece, sweep.binomial)
        return counts

    def take_all(self) -> list[tuple[int, RankedFamilies]]:
        """Return the families of all sizes with their numbers of parents, for a new table."""
        self._new, self.n_new = [], 0
        return [
            (size - 1, families) for size in sorted(self.by_size) for _, families in sorted(self.by_size[size].items())
        ]

    def take_new(self) -> list[tuple[int, RankedFamilies]]:
        """Return the families since the last table with their numbers of parents, in ascending order of these."""
        parts, self._new, self.n_new = sorted(self._new, key=lambda part: part[0]), [], 0
        return parts
