"""All extensions of one family by one more parent, scored at once."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.counting.kernels_expand_bitmaps import (
    cells_of_parents,
    extend_by_bitmaps,
    is_counted_by_bitmaps,
    served_by_bitmaps,
    split_cells,
)
from bnsearch.counting.kernels_expand_histograms import extend_by_histograms, with_child
from bnsearch.counting.kernels_expand_scratch import BEGIN, COUNTS, FAMILY, FIRST, LABEL, ORDER, SECOND
from bnsearch.counting.kernels_set import cells_of, label_rows
from bnsearch.kernel import kernel


@kernel
def occupied_cells(columns, child, parents, scratch):
    """Return how many cells of a family occur; arrays as in score_extensions."""
    codes, _, total, arities, start, words, _, _, _, _, dense = columns
    first, second = scratch[FIRST], scratch[SECOND]
    if served_by_bitmaps(arities, start, child, parents, first.shape[0]):
        number = cells_of_parents(start, words, total, parents, first, second)
        return split_cells(start, words, child, first, number, second)
    family = with_child(parents, child, scratch[FAMILY])
    return label_rows(codes, arities, dense, family, scratch[LABEL], scratch[ORDER], scratch[BEGIN], scratch[COUNTS])


@kernel
def score_extensions(columns, child, parents, candidates, joint, others, scratch, scores):
    """
    Score a child with its parents and each of the candidates; return its score with the parents alone.

    Each candidate is counted by bitmaps or by a histogram, whichever is cheaper.

    columns : the fields of Columns, a plain tuple
    child, parents, candidates : place, int64[...], int64[...]
    joint, others : terms of a family's whole set and of its parents
    scratch : as in kernels_expand_scratch
    scores : float64[candidates]       written
    """
    arities, start, most_cells = columns[3], columns[4], columns[9]
    served = served_by_bitmaps(arities, start, child, parents, scratch[FIRST].shape[0])
    cells = cells_of(arities, parents) * arities[child]
    by_bitmaps = 0
    for i in range(candidates.size):
        by_bitmaps += is_counted_by_bitmaps(arities, start, most_cells, served, cells, candidates[i])
    if by_bitmaps < candidates.size or (not served):
        own = extend_by_histograms(columns, child, parents, candidates, served, joint, others, scratch, scores)
        if by_bitmaps == 0:
            return own
    return extend_by_bitmaps(columns, child, parents, candidates, joint, others, scratch, scores)
