"""Memory for scoring the extensions of one family after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.columns import Layout
from bnsearch.counting.kernels_histogram import CELLS_PER_ROW, FEW_CELLS

BITMAP_CELLS = 512  # of the parents and the child, the most that are counted by bitmaps
PAIR_BYTES = 1 << 24  # the most for the counts of pairs of items

# A plain tuple of
#   first, second  uint64[cells, W]   bitmaps of the parents' cells, and of these with each item of the child
#   cells          int64[2, cells]    the rows of each of the parents' cells, and its mixed-radix number
#   split          int64[1]           how many cells there are in `first`; 0 where the family is not split by bitmaps
#   tally          int64[2, cells]    counts of cells
#   family         int64[places]      the places of a family
#   label          int32[2, rows]     labels of the rows, two in turn
#   order, begin   int32[rows], int32[rows + 1]   rows by label, and where each label's rows begin
#   counts         int32[...]         a histogram
#   bytes          uint8[rows, width] of Layout.item_bytes
#   groups         int32[2, cells]    of each cell and state of the child the rows, and where they begin in `order`
#   sums           uint8[width]       the items of up to 255 rows, summed
#   items          int32[2, states, width]   items by state of the child: in one cell, and in a cell that is left over
#   pairs          int32[items, width]       in how many rows two items are together; no rows where that is too much
#   known          bool[items]        which rows of `pairs` are known
#   runs           int64[4, places]   candidates of one number of states: first, end; where both terms are tabulated
(
    FIRST, SECOND, CELLS, SPLIT, TALLY, FAMILY, LABEL, ORDER, BEGIN, COUNTS, BYTES, GROUPS, SUMS, ITEMS, PAIRS, KNOWN,
    RUNS,
) = range(17)  # fmt: skip
Scratch = tuple[NDArray[Any], ...]


def new_scratch(layout: Layout) -> Scratch:
    """Return scratch memory for the kernels that extend families."""
    columns, table = layout.columns, layout.item_bytes
    rows, places, items = len(columns.weights), len(columns.arities), len(columns.words)
    bitmaps = (BITMAP_CELLS + 1, columns.words.shape[1])  # the last is scratch
    width = table.shape[1]
    paired = 4 * items * width <= PAIR_BYTES
    return (
        np.empty(bitmaps, dtype=np.uint64),
        np.empty(bitmaps, dtype=np.uint64),
        np.empty((2, BITMAP_CELLS), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.empty((2, BITMAP_CELLS), dtype=np.int64),
        np.empty(places, dtype=np.int64),
        np.empty((2, rows), dtype=np.int32),
        np.empty(rows, dtype=np.int32),
        np.empty(rows + 1, dtype=np.int32),
        np.empty(max(CELLS_PER_ROW * rows, FEW_CELLS, int(columns.arities.max())), dtype=np.int32),
        table,
        np.empty((2, BITMAP_CELLS), dtype=np.int32),
        np.empty(width, dtype=np.uint8),
        np.empty((2, int(columns.arities.max()) if width else 0, width), dtype=np.int32),
        np.empty((items if paired else 0, width), dtype=np.int32),
        np.zeros(items, dtype=np.bool_),
        np.empty((4, places), dtype=np.int64),
    )
