"""The parent sets of a candidate table as bits, for tests against clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.table import ParentSets

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]


@dataclass(frozen=True, eq=False)
class RowMasks:
    """
    The parent sets of a candidate table as bits.

    Attributes
    ----------
    rows : (int64[n + 1], int64[n + 1], uint64[...]), the rows of each variable, the start of its planes, and the words
    offsets : int64[n + 1]
    parents : int32[...]; bit i of variable v is the candidate parent `parents[offsets[v] + i]`
    """

    rows: Rows
    offsets: NDArray[np.int64]
    parents: NDArray[np.int32]

    @classmethod
    def of_table(cls, table: ParentSets) -> RowMasks:
        """Return the masks of a candidate table."""
        from bnsearch.exact.kernels_row_masks import list_candidate_parents, write_row_masks

        offsets = np.empty(table.n_variables + 1, dtype=np.int64)
        sets = table.begin, table.first, table.members
        list_candidate_parents(*sets, offsets, np.empty(0, dtype=np.int32))
        parents = np.empty(offsets[-1], dtype=np.int32)
        list_candidate_parents(*sets, offsets, parents)
        base = np.concatenate(([0], np.cumsum((np.diff(offsets) + 63) // 64 * np.diff(table.begin))))
        words = np.zeros(base[-1], dtype=np.uint64)
        write_row_masks(*sets, offsets, parents, base, words)
        return cls((table.begin, base, words), offsets, parents)

    def take_below(self, costs: NDArray[np.float64], limit: float) -> tuple[Rows, NDArray[np.int64]]:
        """Return the masks and the numbers of the rows whose reduced cost is at most `limit`."""
        from bnsearch.exact.kernels_row_masks import take_rows_below

        begin, base, words = self.rows
        rows = np.empty_like(begin), np.empty_like(base), np.empty_like(words)
        chosen = np.empty(len(costs), dtype=np.int64)
        take_rows_below(self.rows, self.offsets, costs, limit, rows, chosen)
        return rows, chosen[: rows[0][-1]]
