"""All extensions of one family by one more parent, scored at once."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.columns import Columns
from bnsearch.counting.kernels_bits import count_and, count_ones
from bnsearch.counting.kernels_histogram import (
    CELLS_PER_ROW,
    FEW_CELLS,
    clear,
    most_dense_cells,
    serves_bitmaps,
    sort_labels,
    sum_sparse,
)
from bnsearch.counting.kernels_set import cells_of, label_rows, split_off
from bnsearch.counting.kernels_terms import cell_term, terms_of
from bnsearch.kernel import inner_kernel, kernel

BITMAP_CELLS = 512  # of the parents and the child, the most that are counted by bitmaps
HISTOGRAM_COST = 1.5  # of scoring a family by a histogram, in passes over the rows: its cells are summed, too

# Memory that scoring one family after another uses again: a plain tuple of
#   first, second  uint64[cells, W]   bitmaps of cells
#   tally          int64[2, cells]    counts of cells
#   family         int64[places]      the places of a family
#   label          int32[2, rows]     labels of the rows, two in turn
#   order, begin   int32[rows], int32[rows + 1]   rows by label, and where each label's rows begin
#   counts         int32[...]         a histogram
FIRST, SECOND, TALLY, FAMILY, LABEL, ORDER, BEGIN, COUNTS = range(8)
Scratch = tuple[NDArray[Any], ...]


def new_scratch(columns: Columns) -> Scratch:
    """Return scratch memory for `score_extensions`."""
    rows, places = len(columns.weights), len(columns.arities)
    bitmaps = (BITMAP_CELLS, columns.words.shape[1])
    return (
        np.empty(bitmaps, dtype=np.uint64),
        np.empty(bitmaps, dtype=np.uint64),
        np.empty((2, BITMAP_CELLS), dtype=np.int64),
        np.empty(places, dtype=np.int64),
        np.empty((2, rows), dtype=np.int32),
        np.empty(rows, dtype=np.int32),
        np.empty(rows + 1, dtype=np.int32),
        np.empty(max(CELLS_PER_ROW * rows, FEW_CELLS, int(columns.arities.max())), dtype=np.int32),
    )


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
def term(n, table, function, a):
    """Return f(n), looked up where tabulated."""
    return table[n] if n < table.size else cell_term(n, function, a)


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


@inner_kernel
def count_dense(label, number, states, arity, weights, unit, counts):
    """Count the rows by label and state; counts : int32[...], written: number * arity cells."""
    clear(counts, number * arity)
    wide = np.uint32(arity)
    if unit:
        for row in range(label.size):
            counts[np.uint32(label[row]) * wide + np.uint32(states[row])] += 1
    else:
        for row in range(label.size):
            counts[np.uint32(label[row]) * wide + np.uint32(states[row])] += weights[row]


@inner_kernel
def score_counts(counts, number, states, arity, cells, joint, others):
    """
    Return the score of a child of some states, from its counts by parent cell, own state and last parent's state.

    counts : int32[number * states * arity]
    cells : how many the parents have in all, the last one of `arity` states apart
    """
    value, table, a = terms_of(joint, cells * states * arity)
    parent_value, parent_table, parent_a = terms_of(others, cells * arity)
    for cell in range(number):
        begin = cell * states * arity
        for z in range(arity):
            together = np.int64(0)
            for i in range(begin + z, begin + states * arity, arity):
                n = np.int64(counts[i])
                if n > 0:
                    together += n
                    value += term(n, table, joint[0], a)
            if together > 0:
                parent_value += term(together, parent_table, others[0], parent_a)
    return value - parent_value


@inner_kernel
def value_sparse(columns, places, candidates, terms, sign, least, scratch, scores):
    """
    Add sign * the value of some places with each candidate that has at least some states, counted label by label.

    Returns nothing. scores : float64[candidates], added to.
    """
    codes, weights, _, arities, _, _, _, _, _, _, dense = columns
    label, order, begin, counts = scratch[LABEL], scratch[ORDER], scratch[BEGIN], scratch[COUNTS]
    number = label_rows(codes, arities, dense, places, label, order, begin, counts)
    sort_labels(label[places.size & 1], number, order, begin)
    cells = cells_of(arities, places)
    for i in range(candidates.size):
        y = candidates[i]
        if arities[y] >= least:
            value, table, a = terms_of(terms, cells * arities[y])
            value += sum_sparse(order, begin, number, codes[y], arities[y], weights, counts, table, terms[0], a)
            scores[i] += sign * value


@inner_kernel
def extend_by_histograms(columns, child, parents, candidates, served, joint, others, scratch, scores):
    """
    Score a child with its parents and each candidate that bitmaps do not serve; return the score without candidates.

    Rows are counted by parent cell, child and candidate in one pass while that histogram is not much larger than the
    number of rows; candidates of more states are counted label by label, for the family and for its parents.
    """
    codes, weights, total, arities, start, _, _, _, _, most_cells, dense = columns
    label, order, begin, counts = scratch[LABEL], scratch[ORDER], scratch[BEGIN], scratch[COUNTS]
    unit = weights.size == total
    number = label_rows(codes, arities, dense, parents, label, order, begin, counts)
    labels, both = label[parents.size & 1], label[1 - (parents.size & 1)]
    states = arities[child]
    cells = cells_of(arities, parents)
    least = np.int64(0)  # states of a candidate that is counted label by label
    if number * states <= most_dense_cells(weights.size):
        if dense:
            least = most_dense_cells(weights.size) // (number * states) + 1
        for row in range(labels.size):
            both[row] = labels[row] * np.int32(states) + np.int32(codes[child, row])
        count_dense(labels, number, codes[child], states, weights, unit, counts)
        own = score_counts(counts, number, states, np.int64(1), cells, joint, others)
    else:
        own = -value_labels(labels, number, weights, counts, cells, others)
        family = with_child(parents, child, scratch[FAMILY])
        number = label_rows(codes, arities, dense, family, label, order, begin, counts)
        own += value_labels(label[family.size & 1], number, weights, counts, cells * states, joint)
    any_sparse = False
    for i in range(candidates.size):
        y = candidates[i]
        if is_counted_by_bitmaps(arities, start, most_cells, served, cells * states, y):
            continue
        if arities[y] >= least:
            any_sparse = True
            continue
        count_dense(both, number * states, codes[y], arities[y], weights, unit, counts)
        scores[i] = score_counts(counts, number, states, arities[y], cells, joint, others)
    if any_sparse:
        for i in range(candidates.size):
            if arities[candidates[i]] >= least:
                scores[i] = 0.0
        family = with_child(parents, child, scratch[FAMILY])
        value_sparse(columns, family, candidates, joint, 1.0, least, scratch, scores)
        value_sparse(columns, parents, candidates, others, -1.0, least, scratch, scores)
    return own


@inner_kernel
def value_labels(labels, number, weights, counts, cells, terms):
    """Return the value of the set whose cells are labelled; counts : int32[...] scratch, one for each label."""
    value, table, a = terms_of(terms, cells)
    clear(counts, number)
    for row in range(labels.size):
        counts[labels[row]] += weights[row]
    for i in range(number):
        value += term(np.int64(counts[i]), table, terms[0], a)
    return value


@inner_kernel
def served_by_bitmaps(arities, start, child, parents, cells):
    """Tell whether a family can be counted by bitmaps, given scratch for this many cells."""
    served = cells_of(arities, parents) * arities[child] <= cells and serves_bitmaps(arities, start, child)
    for i in range(parents.size):
        served = served and serves_bitmaps(arities, start, parents[i])
    return served


@inner_kernel
def with_child(parents, child, family):
    """Return the parents and, last, the child; family : int64[...], written."""
    for i in range(parents.size):
        family[i] = parents[i]
    family[parents.size] = child
    return family[: parents.size + 1]


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
    scratch : of `new_scratch`
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
