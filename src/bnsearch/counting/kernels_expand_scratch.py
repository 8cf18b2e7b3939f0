"""Memory for scoring the extensions of one family after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.columns import Columns
from bnsearch.counting.kernels_histogram import CELLS_PER_ROW, FEW_CELLS

BITMAP_CELLS = 512  # of the parents and the child, the most that are counted by bitmaps

# A plain tuple of
#   first, second  uint64[cells, W]   bitmaps of cells
#   tally          int64[2, cells]    counts of cells
#   family         int64[places]      the places of a family
#   label          int32[2, rows]     labels of the rows, two in turn
#   order, begin   int32[rows], int32[rows + 1]   rows by label, and where each label's rows begin
#   counts         int32[...]         a histogram
FIRST, SECOND, TALLY, FAMILY, LABEL, ORDER, BEGIN, COUNTS = range(8)
Scratch = tuple[NDArray[Any], ...]


def new_scratch(columns: Columns) -> Scratch:
    """Return scratch memory for the kernels that extend families."""
    rows, places = len(columns.weights), len(columns.arities)
    bitmaps = (BITMAP_CELLS, columns.words.shape[1])
    return (
        np.empty(bitmaps, dtype=np.uint64),
        np.empty(bitmaps, dtype=np.uint64),
        np.empty((2, BITMAP_CELLS), dtype=np.int64),
        np.empty(places, dtype=np.int64),
        np.empty((2, rows), dtype=np.int32),
        np.empty(rows, dtype=np.int32),
        np.empty(rows + 1, dtype=np.int32),
        np.empty(max(CELLS_PER_ROW * rows, FEW_CELLS, int(columns.arities.max())), dtype=np.int32),
    )
