"""
Extensions of one family counted by sums of rows: all candidates at once, whatever their number.

A row of the table of bytes has a one for each item that it has. The sum of the rows of one cell and one state of the
child tells how many of these have each item, in one addition for 64 items. Rows are summed only where that is needed:

- the largest cell of the parents follows by subtraction from the counts of pairs of items; or, instead,
- a cell of one row contributes the same whatever the candidate, and, where both terms of a score are n log n, a cell
  whose rows have one state of the child contributes nothing.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.columns import ARITIES, CODES, TOTAL
from bnsearch.counting.kernels_expand_bitmaps import HISTOGRAM_COST
from bnsearch.counting.kernels_expand_cells import add_cell, start_scores
from bnsearch.counting.kernels_expand_scratch import (
    BYTES,
    CELLS,
    FIRST,
    GROUPS,
    ITEMS,
    KNOWN,
    LABEL,
    ORDER,
    PAIRS,
    RUNS,
    SPLIT,
    SUMS,
    TALLY,
)
from bnsearch.counting.kernels_histogram import serves_bitmaps
from bnsearch.counting.kernels_lanes import LANES, sum_rows
from bnsearch.counting.kernels_set import cells_of
from bnsearch.counting.kernels_terms import FUNCTION, XLOGX
from bnsearch.kernels.bits import count_and, popcount
from bnsearch.kernels.compile import inner_kernel

# Measured, in words of an AND-popcount sweep: to put a row in order, to sum 64 of its items, to number the cell of a
# row by one more variable, and to add the sums of one item.
ORDER_COST, LANE_COST, NUMBER_COST, ITEM_COST = 10.0, 8.0, 0.3, 0.5
NONE = -1


@inner_kernel
def is_skipped(rows, wide, part, cell, same):
    """Tell whether a cell contributes the same to the scores of all candidates; part : as of score_by_bitmaps."""
    if rows == 1 or not same:
        return rows == 1
    here = rows
    for s in range(wide - 1):
        if part[cell * wide + s] == rows:
            return True
        here -= part[cell * wide + s]
    return here == rows


@inner_kernel
def choose_left_over(columns, child, same, scratch):
    """
    Choose which rows to sum: all but those of the largest cell, or all but those of cells that are skipped.

    Returns the largest cell, or NONE, and how many rows are summed.
    """
    wide, size, part = columns[ARITIES][child], scratch[CELLS][0], scratch[TALLY][0]
    largest = np.int64(0)
    kept = np.int64(0)
    for cell in range(scratch[SPLIT][0]):
        if size[cell] > size[largest]:
            largest = np.int64(cell)
        if not is_skipped(size[cell], wide, part, cell, same):
            kept += size[cell]
    without = columns[TOTAL] - size[largest]
    if scratch[PAIRS].shape[0] > 0 and without < kept:
        return largest, without
    return np.int64(NONE), kept


@inner_kernel
def sums_are_cheaper(columns, child, parents, candidates, kept, scratch):
    """Tell whether sums of rows cost less than bitmaps, or histograms, candidate by candidate."""
    _, weights, _, arities, start, words, _, _, _, max_cells, _ = columns
    width, groups = scratch[BYTES].shape[1], scratch[SPLIT][0] * arities[child]
    if width == 0:
        return False
    cost = kept * (ORDER_COST + LANE_COST * (width // LANES)) + ITEM_COST * groups * width
    cost += weights.size * NUMBER_COST * (parents.size + 1)
    for i in range(candidates.size):
        y = candidates[i]
        if serves_bitmaps(arities, start, y):
            cost -= min(groups * (arities[y] - 1), HISTOGRAM_COST * max_cells) * words.shape[1]
    return cost < 0.0


@inner_kernel
def number_cells(codes, arities, parents, child, code):
    """Write the mixed-radix number of each row's cell, the child fastest; code : int32[rows]."""
    for row in range(code.size):
        code[row] = 0
    for i in range(parents.size + 1):
        place = parents[i] if i < parents.size else child
        wide, states = np.uint32(arities[place]), codes[place]
        for row in range(code.size):
            code[row] = np.uint32(np.uint32(code[row]) * wide) + np.uint32(states[row])


@inner_kernel
def plan_groups(columns, child, left_over, same, scratch, mask):
    """
    Write how many rows each cell and state of the child has, groups[0], and where they begin in order, groups[1].

    A cell whose rows are not summed has NONE in groups[1], at its first state.

    mask : uint64[W]   written: the rows that are summed

    Returns how many cells of one row are skipped.
    """
    _, _, _, arities, start, _, _, states, modes, _, _ = columns
    first, groups, size, part = scratch[FIRST], scratch[GROUPS], scratch[CELLS][0], scratch[TALLY][0]
    wide = arities[child]
    for w in range(mask.size):
        mask[w] = 0
    at = 0
    singles = 0
    for cell in range(scratch[SPLIT][0]):
        base = scratch[CELLS][1, cell] * wide
        rest = size[cell]
        for s in range(wide - 1):
            groups[0, base + states[start[child] + s]] = part[cell * wide + s]
            rest -= part[cell * wide + s]
        groups[0, base + modes[child]] = rest
        if cell == left_over if left_over != NONE else is_skipped(size[cell], wide, part, cell, same):
            singles += size[cell] == 1 and left_over == NONE
            groups[1, base] = NONE
            continue
        for s in range(wide):
            groups[1, base + s] = at
            at += groups[0, base + s]
        for w in range(mask.size):
            mask[w] |= first[cell, w]
    return singles


@inner_kernel
def order_rows(mask, code, at, order):
    """
    Order the rows of a mask, uint64[W], by their codes.

    code, order : int32[rows], int32[rows]   order is written
    at : int32[codes]                        where the rows of each code begin in `order`; changed to where they end
    """
    for w in range(mask.size):
        word = mask[w]
        while word:
            row = 64 * w + np.int64(popcount(~word & (word - np.uint64(1))))
            word &= word - np.uint64(1)
            group = np.uint32(code[row])
            order[np.uint32(at[group])] = row
            at[group] += 1


@inner_kernel
def count_pairs(columns, child, scratch):
    """Write how many rows have each item and each state of the child; the counts of pairs of items are kept."""
    _, _, _, _, start, words, sizes, states, modes, _, _ = columns
    pairs, known, left = scratch[PAIRS], scratch[KNOWN], scratch[ITEMS][1]
    mode = modes[child]
    for z in range(words.shape[0]):
        left[mode, z] = sizes[z]
    for item in range(start[child], start[child + 1]):
        if not known[item]:
            for z in range(words.shape[0]):
                pairs[item, z] = count_and(words[item], words[z])
            known[item] = True
        for z in range(words.shape[0]):
            left[states[item], z] = pairs[item, z]
            left[mode, z] -= pairs[item, z]


@inner_kernel
def extend_by_sums(columns, child, parents, candidates, left_over, same, joint, others, scratch, scores):
    """
    Score a child with its parents and each candidate that has bitmaps, after score_by_bitmaps.

    left_over : of choose_left_over
    same : whether both terms are n log n
    scores : float64[candidates]   written
    """
    groups, here, left = scratch[GROUPS], scratch[ITEMS][0], scratch[ITEMS][1]
    wide, cells = columns[ARITIES][child], cells_of(columns[ARITIES], parents)
    mask, code = scratch[FIRST][scratch[SPLIT][0]], scratch[LABEL][0]
    singles = plan_groups(columns, child, left_over, same, scratch, mask)
    number_cells(columns[CODES], columns[ARITIES], parents, child, code)
    order_rows(mask, code, groups[1], scratch[ORDER])
    runs = scratch[RUNS]
    number = start_scores(columns, candidates, cells, wide, singles, joint, others, runs, scores)
    if left_over != NONE:
        count_pairs(columns, child, scratch)
    for cell in range(scratch[SPLIT][0]):
        base = scratch[CELLS][1, cell] * wide
        if groups[1, base] == NONE:
            continue
        for s in range(wide):
            stop = np.int64(groups[1, base + s])
            sum_rows(scratch[BYTES], scratch[ORDER], stop - groups[0, base + s], stop, scratch[SUMS], here[s])
            if left_over != NONE:
                for z in range(left.shape[1]):
                    left[s, z] -= here[s, z]
        rows = groups[0, base : base + wide]
        add_cell(columns, candidates, cells, rows, here, joint, others, runs, number, scores)
    if left_over != NONE:
        base = scratch[CELLS][1, left_over] * wide
        rows = groups[0, base : base + wide]
        add_cell(columns, candidates, cells, rows, left, joint, others, runs, number, scores)


@inner_kernel
def try_sums(columns, child, parents, candidates, joint, others, scratch, scores):
    """Score the candidates that have bitmaps by sums of rows if that is cheapest; return whether it was."""
    same = joint[FUNCTION] == XLOGX and others[FUNCTION] == XLOGX
    left_over, kept = choose_left_over(columns, child, same, scratch)
    if not sums_are_cheaper(columns, child, parents, candidates, kept, scratch):
        return False
    extend_by_sums(columns, child, parents, candidates, left_over, same, joint, others, scratch, scores)
    return True
