"""The test whether a family is left that a larger one can beat."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_prefix import first_rank
from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.scores.kernels_bounds import ceiling
from bnsearch.selection.kernels_prefix_order import first_prefix, next_prefix, rank_without


@inner_kernel
def any_open_of_top(
    size, top, lowest, highest, offset, binomial, arities, block, best, slope, level, smallest, rows, tolerance
):  # fmt: skip
    """Do the same as any_open for the sets of one top; offset : rank of the first set of the block."""
    d = size - 1
    place = np.empty(d, np.int64)
    if not first_prefix(place, top, lowest, highest):
        return False
    while True:
        whole = rank_without(place, binomial, d, d, np.int64(1)) - offset
        cells = 1.0
        for i in range(d):
            cells *= arities[place[i]]
        for i in range(d + 1):  # the child is the i-th of the prefix, or x
            rank = rank_without(place, binomial, i, d, np.int64(i < d))
            for x in range(place[d - 1]):
                child = place[i] if i < d else x
                joint = cells * arities[x]
                occupied = block[whole + x] if block.size > 0 else min(joint, float(rows))
                bound = ceiling(slope, level, arities[child], joint / arities[child] * smallest, occupied)
                if improves_on(bound, best[child, rank + (x if i < d else 0)], tolerance):
                    return True
        if not next_prefix(place, highest):
            return False


@kernel
def any_open(
    size, bottom, top, lowest, highest, binomial, arities, block, best, slope, level, smallest, rows, tolerance
):  # fmt: skip
    """
    Return True if, by the bound, some family over a set of one piece can be beaten by one with more parents.

    bottom, top, lowest, highest : the largest place, t, is in bottom:top + 1; the second in lowest:highest, below t
    block : float64[...]     number of cells of each set that occur, at its rank less that of the piece's first set; if
        it is empty, an upper bound is used
    best : float64[places, sets of size - 1]   each child's best score over all subsets of a parent set
    smallest : smallest number of states of a further parent
    rows : number of rows
    """
    first = first_rank(size, bottom, lowest, binomial)
    for t in range(bottom, top + 1):
        if any_open_of_top(
            size, t, lowest, min(highest, t), first, binomial, arities, block, best, slope, level, smallest, rows,
            tolerance,
        ):  # fmt: skip
            return True
    return False
