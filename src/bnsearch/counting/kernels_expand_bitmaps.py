"""Extensions of one family counted by bitmaps: the rows of each cell are found once, and ANDed with each candidate."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_bits import count_and, count_ones
from bnsearch.counting.kernels_expand_scratch import FIRST, SECOND, TALLY
from bnsearch.counting.kernels_histogram import serves_bitmaps
from bnsearch.counting.kernels_set import cells_of, split_off
from bnsearch.counting.kernels_terms import term, terms_of
from bnsearch.kernel import inner_kernel

HISTOGRAM_COST = 1.5  # of scoring a family by a histogram, in passes over the rows: its cells are summed, too


@inner_kernel
def split_cells(start, words, place, source, number, target):
    """
    Split every bitmap of source[:number] by the states of a place; return how many parts are not empty.

    source, target : uint64[cells, W]   source is destroyed, target written
    """
    found = 0
    for cell in range(number):
        for item in range(start[place], start[place + 1]):
            found += split_off(source[cell], words[item], target[found]) > 0
        if count_ones(source[cell]) > 0:
            for w in range(source.shape[1]):
                target[found, w] = source[cell, w]
            found += 1
    return found


@inner_kernel
def cells_of_parents(start, words, total, parents, first, second):
    """Leave the bitmaps of the parents' cells that occur in `first`; return their number. second is scratch."""
    for w in range(first.shape[1]):
        first[0, w] = ~np.uint64(0)
    if total & 63:
        first[0, first.shape[1] - 1] = (np.uint64(1) << np.uint64(total & 63)) - np.uint64(1)
    number = np.int64(1)
    for i in range(parents.size):
        number = split_cells(start, words, parents[i], first, number, second)
        for cell in range(number):
            for w in range(first.shape[1]):
                first[cell, w] = second[cell, w]
    return number


@inner_kernel
def served_by_bitmaps(arities, start, child, parents, cells):
    """Tell whether a family can be counted by bitmaps, given scratch for this many cells."""
    served = cells_of(arities, parents) * arities[child] <= cells and serves_bitmaps(arities, start, child)
    for i in range(parents.size):
        served = served and serves_bitmaps(arities, start, parents[i])
    return served


@inner_kernel
def is_counted_by_bitmaps(arities, start, most_cells, served, cells, candidate):
    """
    Tell whether a candidate is counted by bitmaps, its family's other variables being `served` by them.

    most_cells : of Columns, the sweeps over all rows that cost as much as one histogram pass
    cells : of the parents and the child; for each of them and each item of the candidate one sweep is due
    """
    cheap = cells * (arities[candidate] - 1) <= HISTOGRAM_COST * most_cells
    return served and cheap and serves_bitmaps(arities, start, candidate)


@inner_kernel
def extend_by_bitmaps(columns, child, parents, candidates, joint, others, scratch, scores):
    """
    Score a child with its parents and each candidate that bitmaps serve; return its score with the parents alone.

    parents, candidates : int64[...]           places
    joint, others : terms of a family's whole set and of its parents
    scores : float64[candidates]               written
    """
    _, _, total, arities, start, words, _, _, _, most_cells, _ = columns
    first, second, part, left = scratch[FIRST], scratch[SECOND], scratch[TALLY][0], scratch[TALLY][1]
    number = cells_of_parents(start, words, total, parents, first, second)
    states = arities[child] - 1
    wide = states + 1
    cells = cells_of(arities, parents)
    own, table, a = terms_of(joint, cells * arities[child])
    parent_value, parent_table, parent_a = terms_of(others, cells)
    for cell in range(number):
        here = count_ones(first[cell])
        parent_value += term(here, parent_table, others[0], parent_a)
        part[cell * wide + states] = here  # after the rows of the cell that have each item of the child, all of them
        for s in range(states):
            item = words[start[child] + s]
            for w in range(first.shape[1]):
                second[cell * states + s, w] = first[cell, w] & item[w]
            n = count_ones(second[cell * states + s])
            part[cell * wide + s] = n
            here -= n
            own += term(n, table, joint[0], a)
        own += term(here, table, joint[0], a)
    own -= parent_value
    for i in range(candidates.size):
        y = candidates[i]
        if not is_counted_by_bitmaps(arities, start, most_cells, True, cells * arities[child], y):
            continue
        value, table, a = terms_of(joint, cells * arities[y] * arities[child])
        parent_value, parent_table, parent_a = terms_of(others, cells * arities[y])
        for j in range(number * wide):
            left[j] = part[j]
        for item in range(start[y], start[y + 1]):
            for cell in range(number):
                here = count_and(first[cell], words[item])
                left[cell * wide + states] -= here
                parent_value += term(here, parent_table, others[0], parent_a)
                for s in range(states):
                    n = count_and(second[cell * states + s], words[item]) if here > 0 else 0
                    left[cell * wide + s] -= n
                    here -= n
                    value += term(n, table, joint[0], a)
                value += term(here, table, joint[0], a)
        for cell in range(number):  # the candidate's state without a bitmap
            here = left[cell * wide + states]
            parent_value += term(here, parent_table, others[0], parent_a)
            for s in range(states):
                here -= left[cell * wide + s]
                value += term(left[cell * wide + s], table, joint[0], a)
            value += term(here, table, joint[0], a)
        scores[i] = value - parent_value
    return own
