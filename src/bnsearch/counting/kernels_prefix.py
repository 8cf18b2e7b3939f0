"""Prefixes of sets counted by bitmaps: combinations of their digits, and the bitmaps of these (see kernels_lattice)."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_bitmaps import plan_projection, project
from bnsearch.kernels.compile import inner_kernel

# Columns of `combination`: number of digits that are not 0, number of rows with those items, and from RANK on sums of
# binomials: RANK + 1 is the rank of the items, RANK + 2 their rank when a smaller item is added.
TAKEN, COUNT, RANK = 0, 1, 1
# Columns of `full`, the combinations without a 0: index, digit of the top less 1, index of the bitmap's first word.
INDEX, STATE, BITMAP = 0, 1, 2


@inner_kernel
def first_rank(size, bottom, lowest, binomial):
    """Return the rank of the first set of a piece; `bottom` is its smallest top, `lowest` its smallest second place."""
    rank = binomial[bottom, size]
    if size > 2:
        rank += binomial[lowest, size - 1]
    return rank


@inner_kernel
def project_on_top(words, sizes, first, stop, below, segment):
    """
    Project the bitmaps of all items before `below` on the rows of each item of the top place, first:stop.

    words : uint64[items, W]
    sizes : int64[items]                   numbers of ones
    below : end of the items to project, no larger than `first`
    segment : int64[stop - first + 1]      written: the words of the top's s-th item are segment[s]:segment[s + 1]

    Returns uint64[below, words].
    """
    segment[0] = 0
    for s in range(stop - first):
        segment[s + 1] = segment[s] + (sizes[first + s] + 63) // 64
    projected = np.zeros((below, segment[stop - first]), np.uint64)
    moves = np.empty((6, words.shape[1]), np.uint64)
    scratch = np.empty(words.shape[1], np.uint64)
    for s in range(stop - first):
        mask = words[first + s]
        plan_projection(mask, moves)
        for item in range(below):
            project(words[item], mask, moves, scratch, projected[item, segment[s] : segment[s + 1]])
    return projected


@inner_kernel
def extend_combinations(combination, size, depth, d, first, stop, binomial, ones, at):
    """
    Make the combinations of a depth from those of the depth before; the digit of the new place is the slowest.

    combination : int64[d + 1, capacity, d + 5]   written at [depth]
    size : int64[d + 1]                           number of combinations at each depth; written at [depth]
    first, stop : the items of the new place
    binomial : int64[..., ...]                    binomial coefficients
    ones, at : int32[...], int64[...]             counts of sets of items, and the index of each size's first one
    """
    before = depth - 1
    width = size[before]
    ranks = d - depth + 3
    for c in range(width):
        for i in range(RANK + ranks):
            combination[depth, c, i] = combination[before, c, i]
    to = width
    for item in range(first, stop):
        for c in range(width):
            taken = combination[before, c, TAKEN] + 1
            combination[depth, to, TAKEN] = taken
            for u in range(1, ranks):
                combination[depth, to, RANK + u] = combination[before, c, RANK + u + 1] + binomial[item, u]
            combination[depth, to, COUNT] = ones[at[taken] + combination[depth, to, RANK + 1]]
            to += 1
    size[depth] = to


@inner_kernel
def and_item(source, begin_source, column, begin, end, out):
    """Write column[begin:end] AND a bitmap into `out`; a negative `begin_source` means a bitmap of all rows."""
    if begin_source < 0:
        for w in range(end - begin):
            out[w] = column[begin + w]
    else:
        for w in range(end - begin):
            out[w] = source[begin_source + w] & column[begin + w]


@inner_kernel
def extend_bitmaps(full, fulls, stack, size, depth, first, stop, segment, projected):
    """
    Make the bitmaps of the full combinations of a depth from those of the depth before.

    full : int64[d + 1, capacity, 3]    written at [depth]
    fulls : int64[d + 1]                number of full combinations at each depth; written at [depth]
    stack : uint64[d + 1, ...]          the bitmaps, one after the other; written at [depth]
    first, stop : the items of the new place
    segment, projected : from project_on_top
    """
    before = depth - 1
    to = 0
    g = 0
    for f in range(fulls[before]):
        state = full[before, f, STATE]
        begin, end = segment[state], segment[state + 1]
        for item in range(first, stop):
            and_item(stack[before], full[before, f, BITMAP], projected[item], begin, end, stack[depth, to:])
            full[depth, g, INDEX] = full[before, f, INDEX] + (item - first + 1) * size[before]
            full[depth, g, STATE] = state
            full[depth, g, BITMAP] = to
            to += end - begin
            g += 1
    fulls[depth] = g
