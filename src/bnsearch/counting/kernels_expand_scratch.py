"""Scratch memory for scoring the extensions of families one after the other."""

from __future__ import annotations

import numpy as np

from bnsearch.counting.columns import Layout
from bnsearch.counting.kernels_histogram import CELLS_PER_ROW, FEW_CELLS
from bnsearch.kernels.tuples import KernelTuple

BITMAP_CELLS = 512  # largest number of cells of a family that is counted by bitmaps
MAX_PAIR_BYTES = 1 << 24  # largest size of the counts of pairs of items

# A kernel tuple of
#   first, second  uint64[cells, W]   bitmaps of the parents' cells, and of these with each item of the child
#   cells          int64[2, cells]    CELL_ROWS: number of rows of each of the parents' cells; CELL_CODE: its
#                                     mixed-radix number
#   split          int64[1]           number of cells in `first`; 0 if the family is not split by bitmaps
#   tally          int64[2, cells]    counts of cells
#   family         int64[places]      places of a family
#   label          int32[2, rows]     labels of the rows, for the variables so far and with the next one
#   order, begin   int32[rows], int32[rows + 1]   rows by label, and the index of each label's first row
#   counts         int32[...]         a histogram
#   bytes          uint8[rows, width] Layout.item_bytes
#   groups         int32[2, cells]    for each cell and state of the child, GROUP_ROWS: number of rows; GROUP_AT: index
#                                     of the first row in `order`
#   sums           uint8[width]       sums of the items of up to 255 rows
#   items          int32[2, states, width]   counts of items by state of the child, in one cell and in the one left over
#   pairs          int32[items, width]       number of rows with two items; no rows if that takes too much memory
#   known          bool[items]        True for the rows of `pairs` that are computed
#   runs           int64[4, places]   runs of candidates with the same number of states, RUN_BEGIN and RUN_END: indices
#                                     of the first candidate and after the last; RUN_PRODUCT and RUN_PARENT_PRODUCT:
#                                     indices of the numbers of cells among the tabulated ones
(
    FIRST, SECOND, CELLS, SPLIT, TALLY, FAMILY, LABEL, ORDER, BEGIN, COUNTS, BYTES, GROUPS, SUMS, ITEMS, PAIRS, KNOWN,
    RUNS,
) = range(17)  # fmt: skip
CELL_ROWS, CELL_CODE = 0, 1
GROUP_ROWS, GROUP_AT = 0, 1
RUN_BEGIN, RUN_END, RUN_PRODUCT, RUN_PARENT_PRODUCT = range(4)
Scratch = KernelTuple


def new_scratch(layout: Layout) -> Scratch:
    """Return scratch memory for the kernels that extend families."""
    columns, table = layout.columns, layout.item_bytes
    rows, places, items = len(columns.weights), len(columns.arities), len(columns.words)
    bitmaps = (BITMAP_CELLS + 1, columns.words.shape[1])  # the last bitmap is scratch
    width = table.shape[1]
    paired = 4 * items * width <= MAX_PAIR_BYTES
    return KernelTuple(
        (
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
    )
