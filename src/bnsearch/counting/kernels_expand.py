"""The scores of all extensions of a family by one more parent."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES, MAX_CELLS, START
from bnsearch.counting.kernels_expand_bitmaps import (
    extend_by_bitmaps,
    is_counted_by_bitmaps,
    score_by_bitmaps,
    served_by_bitmaps,
    split_cells,
    split_rows,
)
from bnsearch.counting.kernels_expand_histograms import extend_by_histograms, with_child
from bnsearch.counting.kernels_expand_scratch import BEGIN, CELLS, COUNTS, FAMILY, FIRST, LABEL, ORDER, SPLIT
from bnsearch.counting.kernels_expand_sums import try_sums
from bnsearch.counting.kernels_set import cells_of, label_rows
from bnsearch.kernels.compile import inner_kernel, kernel


@kernel
def occupied_cells(columns, child, parents, scratch):
    """Return the number of cells of a family that occur; arrays are as in score_extensions."""
    codes, _, _, arities, start, _, _, _, _, _, dense = columns
    if served_by_bitmaps(arities, start, child, parents):
        number = split_rows(columns, parents, scratch[FIRST], scratch[CELLS])
        return split_cells(columns, child, number, scratch[FIRST], scratch[CELLS])
    family = with_child(parents, child, scratch[FAMILY])
    return label_rows(codes, arities, dense, family, scratch[LABEL], scratch[ORDER], scratch[BEGIN], scratch[COUNTS])


@inner_kernel
def score_family(columns, child, parents, joint, others, scratch, scores):
    """Return the score of a family, and prepare its extensions; arrays are as in score_extensions."""
    if served_by_bitmaps(columns[ARITIES], columns[START], child, parents):
        return score_by_bitmaps(columns, child, parents, joint, others, scratch)
    scratch[SPLIT][0] = 0
    return extend_by_histograms(
        columns, child, parents, parents[:0], False, columns[MAX_CELLS], joint, others, scratch, scores[:0]
    )


@inner_kernel
def extend_family(columns, child, parents, candidates, joint, others, scratch, scores):
    """
    Score the extensions of a family by each candidate, after score_family; arrays are as in score_extensions.

    All candidates are counted together by sums of rows, or each of them by bitmaps or by a histogram, whichever is
    cheapest.
    """
    arities, start = columns[ARITIES], columns[START]
    split = scratch[SPLIT][0] > 0
    summed = split and try_sums(columns, child, parents, candidates, joint, others, scratch, scores)
    max_cells = np.inf if summed else columns[MAX_CELLS]  # sums count all candidates that have bitmaps
    cells = cells_of(arities, parents) * arities[child]
    served = 0
    for i in range(candidates.size):
        served += is_counted_by_bitmaps(arities, start, max_cells, split, cells, candidates[i])
    if served > 0 and not summed:
        extend_by_bitmaps(columns, child, parents, candidates, joint, others, scratch, scores)
    if served < candidates.size:
        extend_by_histograms(columns, child, parents, candidates, split, max_cells, joint, others, scratch, scores)


@kernel
def score_extensions(columns, child, parents, candidates, joint, others, scratch, scores):
    """
    Score a child with its parents and each of the candidates; return its score with just the parents.

    columns : the fields of Columns, a plain tuple
    child, parents, candidates : place, int64[...], int64[...]
    joint, others : terms of a family's whole set and of its parents
    scratch : as in kernels_expand_scratch
    scores : float64[candidates]       written
    """
    own = score_family(columns, child, parents, joint, others, scratch, scores)
    if candidates.size > 0:
        extend_family(columns, child, parents, candidates, joint, others, scratch, scores)
    return own
