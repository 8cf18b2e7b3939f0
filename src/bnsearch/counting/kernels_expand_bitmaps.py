"""Extensions of a family counted by bitmaps: the rows of each cell are found once, and ANDed with each candidate."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES, START, TOTAL, WORDS
from bnsearch.counting.kernels_expand_scratch import (
    BITMAP_CELLS,
    CELL_CODE,
    CELL_ROWS,
    CELLS,
    FIRST,
    SECOND,
    SPLIT,
    TALLY,
)
from bnsearch.counting.kernels_histogram import serves_bitmaps
from bnsearch.counting.kernels_set import cells_of
from bnsearch.counting.kernels_terms import FUNCTION, term, terms_of
from bnsearch.kernels.bits import count_and, popcount
from bnsearch.kernels.compile import inner_kernel

HISTOGRAM_COST = 1.5  # cost of scoring a family by a histogram, in passes over the rows; it includes summing the cells


@inner_kernel
def intersect(left, right, both):
    """Write the intersection of two bitmaps, uint64[W]; return its number of rows."""
    total = np.uint64(0)
    for w in range(left.size):
        word = left[w] & right[w]
        both[w] = word
        total += popcount(word)
    return np.int64(total)


@inner_kernel
def split_cells(columns, place, number, bitmaps, cells):
    """
    Split every bitmap of bitmaps[:number] by the states of a place; return the new number of bitmaps.

    bitmaps : uint64[cells, W]   changed
    cells : int64[2, cells]      changed: rows of each cell, and its mixed-radix number with this place as the fastest
    """
    _, _, _, arities, start, words, _, states, modes, _, _ = columns
    found = number
    for cell in range(number):
        base = cells[CELL_CODE, cell] * arities[place]
        cells[CELL_CODE, cell] = base + modes[place]
        for item in range(start[place], start[place + 1]):
            n = intersect(bitmaps[cell], words[item], bitmaps[found])
            if n == cells[CELL_ROWS, cell]:  # all rows have this state
                cells[CELL_CODE, cell] = base + states[item]
                break
            if n > 0:
                for w in range(bitmaps.shape[1]):
                    bitmaps[cell, w] ^= bitmaps[found, w]
                cells[CELL_ROWS, cell] -= n
                cells[CELL_ROWS, found] = n
                cells[CELL_CODE, found] = base + states[item]
                found += 1
    return found


@inner_kernel
def split_rows(columns, parents, bitmaps, cells):
    """Write the bitmaps, rows and codes of the parents' cells that occur, as split_cells; return their number."""
    total = columns[TOTAL]
    for w in range(bitmaps.shape[1]):
        bitmaps[0, w] = ~np.uint64(0)
    if total & 63:
        bitmaps[0, bitmaps.shape[1] - 1] = (np.uint64(1) << np.uint64(total & 63)) - np.uint64(1)
    cells[CELL_ROWS, 0] = total
    cells[CELL_CODE, 0] = 0
    number = np.int64(1)
    for i in range(parents.size):
        number = split_cells(columns, parents[i], number, bitmaps, cells)
    return number


@inner_kernel
def served_by_bitmaps(arities, start, child, parents):
    """Return True if a family can be counted by bitmaps."""
    served = cells_of(arities, parents) * arities[child] <= BITMAP_CELLS and serves_bitmaps(arities, start, child)
    for i in range(parents.size):
        served = served and serves_bitmaps(arities, start, parents[i])
    return served


@inner_kernel
def is_counted_by_bitmaps(arities, start, max_cells, served, cells, candidate):
    """
    Return True if a candidate is counted by bitmaps.

    max_cells : the field of Columns, the number of sweeps over all rows that cost as much as one histogram pass
    served : True if the other variables of the family have bitmaps
    cells : number of cells of the parents and the child; each of them takes one sweep for each item of the candidate
    """
    cheap = cells * (arities[candidate] - 1) <= HISTOGRAM_COST * max_cells
    return served and cheap and serves_bitmaps(arities, start, candidate)


@inner_kernel
def score_by_bitmaps(columns, child, parents, joint, others, scratch):
    """Split the rows by the parents' cells and the child's items; return the child's score with the parents."""
    arities, start, words = columns[ARITIES], columns[START], columns[WORDS]
    first, second, part = scratch[FIRST], scratch[SECOND], scratch[TALLY][0]
    number = split_rows(columns, parents, first, scratch[CELLS])
    scratch[SPLIT][0] = number
    states = arities[child] - 1
    wide = states + 1
    cells = cells_of(arities, parents)
    own, table, a = terms_of(joint, cells * arities[child])
    parent_value, parent_table, parent_a = terms_of(others, cells)
    for cell in range(number):
        here = scratch[CELLS][CELL_ROWS, cell]
        parent_value += term(here, parent_table, others[FUNCTION], parent_a)
        part[cell * wide + states] = here  # all rows of the cell, after those with each item of the child
        for s in range(states):
            n = intersect(first[cell], words[start[child] + s], second[cell * states + s])
            part[cell * wide + s] = n
            here -= n
            own += term(n, table, joint[FUNCTION], a)
        own += term(here, table, joint[FUNCTION], a)
    return own - parent_value


@inner_kernel
def extend_by_bitmaps(columns, child, parents, candidates, joint, others, scratch, scores):
    """
    Score a child with its parents and each candidate that is counted by bitmaps, after score_by_bitmaps.

    parents, candidates : int64[...]           places
    joint, others : terms of a family's whole set and of its parents
    scores : float64[candidates]               written
    """
    _, _, _, arities, start, words, _, _, _, max_cells, _ = columns
    first, second, part, left = scratch[FIRST], scratch[SECOND], scratch[TALLY][0], scratch[TALLY][1]
    number = scratch[SPLIT][0]
    states = arities[child] - 1
    wide = states + 1
    cells = cells_of(arities, parents)
    for i in range(candidates.size):
        y = candidates[i]
        if not is_counted_by_bitmaps(arities, start, max_cells, True, cells * arities[child], y):
            continue
        value, table, a = terms_of(joint, cells * arities[y] * arities[child])
        parent_value, parent_table, parent_a = terms_of(others, cells * arities[y])
        for j in range(number * wide):
            left[j] = part[j]
        for item in range(start[y], start[y + 1]):
            for cell in range(number):
                here = count_and(first[cell], words[item])
                left[cell * wide + states] -= here
                parent_value += term(here, parent_table, others[FUNCTION], parent_a)
                for s in range(states):
                    n = count_and(second[cell * states + s], words[item]) if here > 0 else 0
                    left[cell * wide + s] -= n
                    here -= n
                    value += term(n, table, joint[FUNCTION], a)
                value += term(here, table, joint[FUNCTION], a)
        for cell in range(number):  # the candidate's state without a bitmap
            here = left[cell * wide + states]
            parent_value += term(here, parent_table, others[FUNCTION], parent_a)
            for s in range(states):
                here -= left[cell * wide + s]
                value += term(left[cell * wide + s], table, joint[FUNCTION], a)
            value += term(here, table, joint[FUNCTION], a)
        scores[i] = value - parent_value
