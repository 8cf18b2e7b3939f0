"""
Counting by histograms over rows: any arity, memory bounded by the number of rows.

Each row has the *label* of its cell in the joint table of some variables. Labels are numbers assigned in the order in
which cells appear, so there are never more labels than rows. One more variable is counted in one pass. If a histogram
of labels x arity is not much larger than the number of rows, it is used ("dense"). Otherwise the labels are counted one
after the other, each in a histogram over the new variable's states ("sparse").
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_terms import term
from bnsearch.kernels.compile import inner_kernel

CELLS_PER_ROW = 2  # largest number of cells of a dense histogram, for each row
FEW_CELLS = 4096  # number of cells up to which a histogram is dense in any case


@inner_kernel
def clear(array, stop):
    """Set array[:stop] to zero (a slice assignment takes seconds to compile)."""
    for i in range(stop):
        array[i] = 0


@inner_kernel
def max_dense_cells(rows):
    """Return the largest number of cells of a dense histogram over a number of rows."""
    return max(CELLS_PER_ROW * rows, FEW_CELLS)


@inner_kernel
def new_counts(rows, arities):
    """Return int32 scratch memory for a dense histogram, or for one over the states of any variable."""
    widest = max_dense_cells(rows)
    for i in range(arities.size):
        widest = max(widest, arities[i])
    return np.empty(widest, np.int32)


@inner_kernel
def sort_labels(label, number, order, begin):
    """
    Order the rows by label.

    label : int32[rows]       values 0..number - 1
    order : int32[rows]       written: the rows, label after label
    begin : int32[rows + 1]   written: index of each label's first row in `order`
    """
    clear(begin, number + 1)
    for row in range(label.size):
        begin[label[row] + 1] += 1
    for i in range(number):
        begin[i + 1] += begin[i]
    for row in range(label.size):
        i = label[row]
        order[begin[i]] = row
        begin[i] += 1
    for i in range(number, 0, -1):
        begin[i] = begin[i - 1]
    begin[0] = 0


@inner_kernel
def extend_dense(label, number, states, arity, seen, target):
    """
    Label the rows by label and state, with a table of all such cells; return the number of new labels.

    label : int32[rows]        values 0..number - 1
    states : uint8|uint16[rows]
    seen : int32[...]          scratch
    target : int32[rows]       written
    """
    clear(seen, number * arity)
    given = 0
    for row in range(label.size):
        cell = np.int64(label[row]) * arity + np.int64(states[row])
        if seen[cell] == 0:
            given += 1
            seen[cell] = given
        target[row] = seen[cell] - 1
    return given


@inner_kernel
def extend_sparse(order, begin, number, states, arity, seen, target):
    """Do the same as extend_dense with memory for the states only; order and begin from sort_labels."""
    clear(seen, arity)
    given = 0
    for i in range(number):
        before = given  # number of new labels for earlier labels
        for j in range(begin[i], begin[i + 1]):
            row = order[j]
            state = states[row]
            if seen[state] <= before:
                given += 1
                seen[state] = given
            target[row] = seen[state] - 1
    return given


@inner_kernel
def count_dense(label, number, states, arity, weights, unit, counts):
    """
    Count the rows by label and state, in a histogram of all such cells.

    weights : int32[rows]   weight of each row; all are 1 if `unit` is True
    counts : int32[...]     written: number * arity cells
    """
    clear(counts, number * arity)
    wide = np.uint32(arity)
    if unit:
        for row in range(label.size):
            counts[np.uint32(label[row]) * wide + np.uint32(states[row])] += 1
    else:
        for row in range(label.size):
            counts[np.uint32(label[row]) * wide + np.uint32(states[row])] += weights[row]


@inner_kernel
def sum_dense(label, number, states, arity, weights, unit, counts, table, function, a):
    """
    Return the sum of f over the cells of label and state, with a histogram of all of them.

    weights ... counts : as in count_dense
    table : float64[L]      f(n) for n < L; larger counts are computed in closed form
    """
    count_dense(label, number, states, arity, weights, unit, counts)
    total = 0.0
    for i in range(number * arity):
        n = np.int64(counts[i])
        total += term(n, table, function, a)
    return total


@inner_kernel
def sum_sparse(order, begin, number, states, arity, weights, counts, table, function, a):
    """Do the same as sum_dense with memory for the states only; order and begin from sort_labels."""
    clear(counts, arity)
    total = 0.0
    for i in range(number):
        for j in range(begin[i], begin[i + 1]):
            row = order[j]
            counts[states[row]] += weights[row]
        for j in range(begin[i], begin[i + 1]):
            state = states[order[j]]
            n = np.int64(counts[state])
            if n > 0:
                total += term(n, table, function, a)
                counts[state] = 0
    return total


@inner_kernel
def serves_bitmaps(arities, start, place):
    """Return True if a place has bitmaps."""
    return start[place + 1] - start[place] == arities[place] - 1
