"""All extensions of one family by one more parent, scored at once."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_bits import count_and, count_ones
from bnsearch.counting.kernels_histogram import (
    most_dense_cells,
    new_counts,
    serves_bitmaps,
    sort_labels,
    sum_dense,
    sum_sparse,
)
from bnsearch.counting.kernels_set import cells_of, label_rows, split_off
from bnsearch.counting.kernels_terms import cell_term, terms_of
from bnsearch.kernel import inner_kernel, kernel


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
def extend_by_bitmaps(arities, start, words, total, child, parents, candidates, joint, others, first, second, scores):
    """
    Score a child with its parents and each candidate, counting by bitmaps.

    parents, candidates : int64[...]           places
    joint, others : terms of a family's whole set and of its parents
    first, second : uint64[cells, W]           scratch, for as many cells as the parents and the child have
    scores : float64[candidates]               written
    """
    number = cells_of_parents(start, words, total, parents, first, second)
    states = arities[child] - 1
    size = np.empty(number, np.int64)
    part = np.empty((number, states + 1), np.int64)  # rows of each cell that have each item of the child
    left = np.empty((number, states + 1), np.int64)  # and not the candidate's items so far; the last column: all rows
    for cell in range(number):
        size[cell] = count_ones(first[cell])
        for s in range(states):
            item = words[start[child] + s]
            for w in range(first.shape[1]):
                second[cell * states + s, w] = first[cell, w] & item[w]
            part[cell, s] = count_ones(second[cell * states + s])
        part[cell, states] = size[cell]
    cells = cells_of(arities, parents)
    for i in range(candidates.size):
        y = candidates[i]
        value, table, a = terms_of(joint, cells * arities[y] * arities[child])
        parent_value, parent_table, parent_a = terms_of(others, cells * arities[y])
        for cell in range(number):
            for s in range(states + 1):
                left[cell, s] = part[cell, s]
        for item in range(start[y], start[y + 1]):
            for cell in range(number):
                here = count_and(first[cell], words[item])
                left[cell, states] -= here
                parent_value += term(here, parent_table, others[0], parent_a)
                for s in range(states):
                    n = count_and(second[cell * states + s], words[item]) if here > 0 else 0
                    left[cell, s] -= n
                    here -= n
                    value += term(n, table, joint[0], a)
                value += term(here, table, joint[0], a)
        for cell in range(number):  # the candidate's state without a bitmap
            here = left[cell, states]
            parent_value += term(here, parent_table, others[0], parent_a)
            for s in range(states):
                here -= left[cell, s]
                value += term(left[cell, s], table, joint[0], a)
            value += term(here, table, joint[0], a)
        scores[i] = value - parent_value


@inner_kernel
def value_extensions(codes, weights, unit, arities, dense, places, candidates, terms, sign, scores):
    """Add sign * the value of some places with each candidate to the scores, counting by histograms."""
    rows = weights.size
    label = np.empty((2, rows), np.int32)
    order = np.empty(rows, np.int32)
    begin = np.empty(rows + 1, np.int32)
    counts = new_counts(rows, arities)
    number = label_rows(codes, arities, dense, places, label, order, begin, counts)
    labels = label[places.size & 1]
    in_order = False
    cells = cells_of(arities, places)
    for i in range(candidates.size):
        y = candidates[i]
        value, table, a = terms_of(terms, cells * arities[y])
        if dense and number * arities[y] <= most_dense_cells(rows):
            value += sum_dense(labels, number, codes[y], arities[y], weights, unit, counts, table, terms[0], a)
        else:
            if not in_order:
                sort_labels(labels, number, order, begin)
                in_order = True
            value += sum_sparse(order, begin, number, codes[y], arities[y], weights, counts, table, terms[0], a)
        scores[i] += sign * value


@inner_kernel
def served_by_bitmaps(arities, start, child, parents, cells):
    """Tell whether a family is counted by bitmaps, given scratch for this many cells."""
    served = cells_of(arities, parents) * arities[child] <= cells and serves_bitmaps(arities, start, child)
    for i in range(parents.size):
        served = served and serves_bitmaps(arities, start, parents[i])
    return served


@inner_kernel
def with_child(parents, child):
    """Return the parents and, last, the child."""
    family = np.empty(parents.size + 1, np.int64)
    for i in range(parents.size):
        family[i] = parents[i]
    family[parents.size] = child
    return family


@kernel
def occupied_cells(columns, child, parents, first, second):
    """Return how many cells of a family occur; arrays as in score_extensions."""
    codes, weights, total, arities, start, words, _, _, _, _, dense = columns
    if served_by_bitmaps(arities, start, child, parents, first.shape[0]):
        number = cells_of_parents(start, words, total, parents, first, second)
        return split_cells(start, words, child, first, number, second)
    label = np.empty((2, weights.size), np.int32)
    order = np.empty(weights.size, np.int32)
    begin = np.empty(weights.size + 1, np.int32)
    counts = new_counts(weights.size, arities)
    return label_rows(codes, arities, dense, with_child(parents, child), label, order, begin, counts)


@kernel
def score_extensions(columns, child, parents, candidates, joint, others, first, second, scores):
    """
    Score a child with its parents and each of the candidates.

    columns : the fields of Columns, a plain tuple
    child, parents, candidates : place, int64[...], int64[...]
    joint, others : terms of a family's whole set and of its parents
    first, second : uint64[cells, W]   scratch; sets of more cells are counted by histograms
    scores : float64[candidates]       written
    """
    codes, weights, total, arities, start, words, _, _, _, _, dense = columns
    bitmapped = served_by_bitmaps(arities, start, child, parents, first.shape[0])
    for i in range(candidates.size):
        bitmapped = bitmapped and serves_bitmaps(arities, start, candidates[i])
    if bitmapped:
        extend_by_bitmaps(
            arities, start, words, total, child, parents, candidates, joint, others, first, second, scores
        )
        return
    for i in range(candidates.size):
        scores[i] = 0.0
    unit = weights.size == total
    value_extensions(codes, weights, unit, arities, dense, with_child(parents, child), candidates, joint, 1.0, scores)
    value_extensions(codes, weights, unit, arities, dense, parents, candidates, others, -1.0, scores)
