"""
Extensions of a family counted by sums of rows: all candidates at once, whatever their number.

A row of the table of bytes has a one for each of its items. The sum of the rows of one cell and one state of the child
gives the number of these rows with each item; one addition serves 64 items. Fewer rows are summed in one of two ways:

- the counts of the largest cell of the parents follow by subtraction from the counts of pairs of items; or
- cells are skipped that contribute the same for all candidates: those of one row and, if both terms of a score are
  n log n, those whose rows have one state of the child, which contribute nothing.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES, CODES, TOTAL
from bnsearch.counting.kernels_expand_bitmaps import HISTOGRAM_COST
from bnsearch.counting.kernels_expand_cells import add_cell, start_scores
from bnsearch.counting.kernels_expand_scratch import (
    BYTES,
    CELL_CODE,
    CELL_ROWS,
    CELLS,
    FIRST,
    GROUP_AT,
    GROUP_ROWS,
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

# Measured costs, in words of an AND-popcount sweep: ordering a row, summing 64 of its items, extending the number of a
# row's cell by one variable, and adding the sums of one item.
ORDER_COST, LANE_COST, NUMBER_COST, ITEM_COST = 10.0, 8.0, 0.3, 0.5
NONE = -1  # no cell is left over; a group is not summed


@inner_kernel
def is_skipped(rows, wide, part, cell, same):
    """Return True if a cell contributes the same to the scores of all candidates; part : as in score_by_bitmaps."""
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
    Choose the rows to sum: all except those of the largest cell, or all except those of skipped cells.

    Returns the largest cell, or NONE, and the number of rows to sum.
    """
    wide, size, part = columns[ARITIES][child], scratch[CELLS][CELL_ROWS], scratch[TALLY][0]
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
    """Return True if sums of rows cost less than bitmaps or histograms for each candidate."""
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
    Write the number of rows of each cell and state of the child, and the index of their first row in `order`.

    A cell whose rows are not summed has the index NONE at its first state.

    mask : uint64[W]   written: the rows to sum

    Returns the number of skipped cells of one row.
    """
    _, _, _, arities, start, _, _, states, modes, _, _ = columns
    first, groups, size, part = scratch[FIRST], scratch[GROUPS], scratch[CELLS][CELL_ROWS], scratch[TALLY][0]
    wide = arities[child]
    for w in range(mask.size):
        mask[w] = 0
    at = 0
    singles = 0
    for cell in range(scratch[SPLIT][0]):
        base = scratch[CELLS][CELL_CODE, cell] * wide
        rest = size[cell]
        for s in range(wide - 1):
            groups[GROUP_ROWS, base + states[start[child] + s]] = part[cell * wide + s]
            rest -= part[cell * wide + s]
        groups[GROUP_ROWS, base + modes[child]] = rest
        if cell == left_over if left_over != NONE else is_skipped(size[cell], wide, part, cell, same):
            singles += size[cell] == 1 and left_over == NONE
            groups[GROUP_AT, base] = NONE
            continue
        for s in range(wide):
            groups[GROUP_AT, base + s] = at
            at += groups[GROUP_ROWS, base + s]
        for w in range(mask.size):
            mask[w] |= first[cell, w]
    return singles


@inner_kernel
def order_rows(mask, code, at, order):
    """
    Order the rows of a mask, uint64[W], by their codes.

    code, order : int32[rows], int32[rows]   order is written
    at : int32[codes]                        index of each code's first row in `order`; changed to that after its last
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
    """Write the number of rows with each item and each state of the child; keep the counts of pairs of items."""
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

    left_over : result of choose_left_over
    same : True if both terms of the score are n log n
    scores : float64[candidates]   written
    """
    groups, here, left = scratch[GROUPS], scratch[ITEMS][0], scratch[ITEMS][1]
    wide, cells = columns[ARITIES][child], cells_of(columns[ARITIES], parents)
    mask, code = scratch[FIRST][scratch[SPLIT][0]], scratch[LABEL][0]
    singles = plan_groups(columns, child, left_over, same, scratch, mask)
    number_cells(columns[CODES], columns[ARITIES], parents, child, code)
    order_rows(mask, code, groups[GROUP_AT], scratch[ORDER])
    runs = scratch[RUNS]
    number = start_scores(columns, candidates, cells, wide, singles, joint, others, runs, scores)
    if left_over != NONE:
        count_pairs(columns, child, scratch)
    for cell in range(scratch[SPLIT][0]):
        base = scratch[CELLS][CELL_CODE, cell] * wide
        if groups[GROUP_AT, base] == NONE:
            continue
        for s in range(wide):
            stop = np.int64(groups[GROUP_AT, base + s])
            sum_rows(scratch[BYTES], scratch[ORDER], stop - groups[GROUP_ROWS, base + s], stop, scratch[SUMS], here[s])
            if left_over != NONE:
                for z in range(left.shape[1]):
                    left[s, z] -= here[s, z]
        rows = groups[GROUP_ROWS, base : base + wide]
        add_cell(columns, candidates, cells, rows, here, joint, others, runs, number, scores)
    if left_over != NONE:
        base = scratch[CELLS][CELL_CODE, left_over] * wide
        rows = groups[GROUP_ROWS, base : base + wide]
        add_cell(columns, candidates, cells, rows, left, joint, others, runs, number, scores)


@inner_kernel
def try_sums(columns, child, parents, candidates, joint, others, scratch, scores):
    """Score the candidates that have bitmaps by sums of rows if that is cheapest; return False otherwise."""
    same = joint[FUNCTION] == XLOGX and others[FUNCTION] == XLOGX
    left_over, kept = choose_left_over(columns, child, same, scratch)
    if not sums_are_cheaper(columns, child, parents, candidates, kept, scratch):
        return False
    extend_by_sums(columns, child, parents, candidates, left_over, same, joint, others, scratch, scores)
    return True
