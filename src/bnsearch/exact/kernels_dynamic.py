"""Kernels of dynamic programming over subsets. A block consists of all sets with the same high variables."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel

MIN_LOW_VARIABLES = 4  # variables whose subsets are treated together: their scores fit into a few registers
STEP = 1 << MIN_LOW_VARIABLES


@inner_kernel
def propagate_to_supersets(best):
    """Replace the value of each set by the maximum over its subsets; best : float64[2^k], k at least 3, changed."""
    size = best.size
    for base in range(0, size, 8):  # the first three variables at once
        for i in range(base, base + 8, 2):
            best[i + 1] = best[i] if best[i] > best[i + 1] else best[i + 1]
        for i in (base, base + 1, base + 4, base + 5):
            best[i + 2] = best[i] if best[i] > best[i + 2] else best[i + 2]
        for i in range(base, base + 4):
            best[i + 4] = best[i] if best[i] > best[i + 4] else best[i + 4]
    half = 8
    while half < size:
        for base in range(0, size, 2 * half):
            without = best[base : base + half]
            having = best[base + half : base + 2 * half]
            for i in range(half):
                having[i] = without[i] if without[i] > having[i] else having[i]
        half *= 2


@inner_kernel
def compute_best_scores(sets, start, stop, high, best):
    """
    Write a variable's best score with parents among the high variables `high` and each set of low variables.

    sets : as in solve_block; those of the variable are start:stop
    best : float64[2^low]   written
    """
    scores, lows, highs, skip = sets
    for low in range(best.size):
        best[low] = -np.inf
    row = start
    while row < stop:
        if highs[row] & ~high:
            row = skip[row]
        else:
            best[lows[row]] = max(best[lows[row]], scores[row])
            row += 1
    propagate_to_supersets(best)


@inner_kernel
def place_low_last(best, own):
    """
    Update the best scores of a block's sets by networks with a low variable last.

    best : float64[low + 1, 2^low]   best scores of each low variable
    own : float64[2^low]             best score of each set with a high variable last; changed: with any last variable
    """
    for base in range(0, own.size, STEP):
        for v in range(MIN_LOW_VARIABLES, best.shape[0] - 1):
            if base >> v & 1:
                rest = base ^ (1 << v)
                for i in range(STEP):
                    value = own[rest + i] + best[v, rest + i]
                    own[base + i] = value if value > own[base + i] else own[base + i]
        for low in range(base + 1, base + STEP):
            for v in range(MIN_LOW_VARIABLES):
                if low >> v & 1:
                    rest = low ^ (1 << v)
                    own[low] = max(own[low], own[rest] + best[v, rest])


@inner_kernel
def solve_block(begin, sets, high, totals, best):
    """
    Compute the scores of the best networks of all sets of variables whose high part is `high`.

    begin : int64[n + 1]      the parent sets of variable v are begin[v]:begin[v + 1], sorted by their high part
    sets : (float64[...], int64[...], int64[...], int64[...])   scores; masks of the low and of the high members; the
                              end of the parent sets with the same high members
    totals : float64[2^(n - low), 2^low]   best scores by high part and low part; row `high` is written, and the rows of
                              its subsets are read
    best : float64[low + 1, 2^low]         scratch; at least MIN_LOW_VARIABLES low variables
    """
    low_variables = best.shape[0] - 1
    own = totals[high]
    for low in range(own.size):
        own[low] = -np.inf
    if high == 0:
        own[0] = 0.0
    spare = best[low_variables]
    for v in range(low_variables, begin.size - 1):
        bit = 1 << (v - low_variables)
        if high & bit:
            compute_best_scores(sets, begin[v], begin[v + 1], high, spare)
            rest = totals[high ^ bit]
            for low in range(own.size):
                value = rest[low] + spare[low]
                own[low] = value if value > own[low] else own[low]
    for v in range(low_variables):
        compute_best_scores(sets, begin[v], begin[v + 1], high, best[v])
    place_low_last(best, own)


@kernel
def solve_blocks(begin, sets, highs, totals, best):
    """Call solve_block for several high parts, none a subset of another; highs : int64[...]."""
    for i in range(highs.size):
        solve_block(begin, sets, highs[i], totals, best)
