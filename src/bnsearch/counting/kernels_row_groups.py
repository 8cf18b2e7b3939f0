"""
Groups of rows that agree on all places of a prefix, and sums over their cells.

Each row has the label of its group. One more place splits the groups in one pass over the rows (see kernels_histogram).

A row that is alone in its group stays alone: it adds f(1) to the value of each set with the prefix. If many rows are
alone, they are dropped, and a list of the other rows is kept. So the longer the prefix, the fewer rows are left. There
is no list while few rows are alone, because reading rows through a list takes longer.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_histogram import clear, extend_dense, extend_sparse, sort_labels
from bnsearch.counting.kernels_terms import term
from bnsearch.kernels.compile import inner_kernel

MANY_GROUPS = 0.25  # number of groups for each row from which on rows that are alone are counted
MAX_LISTED = 0.7  # maximum share of the rows that are not alone for which a list of these is kept


@inner_kernel
def drop_alone(label, number, weights, counts, new_rows, new_label):
    """
    List the rows that are not alone in their groups; return their number, and that of their groups.

    label : int32[all rows]     groups 0..number - 1 of all rows
    counts : int32[...]         scratch

    All other arguments are as in split_groups.
    """
    clear(counts, number)
    for row in range(label.size):
        counts[label[row]] += 1
    kept = 0
    groups = 0
    for row in range(label.size):
        mark = counts[label[row]]  # number of rows, or minus the new number of the group
        if mark == 1 and weights[row] == 1:
            continue
        if mark > 0:
            groups += 1
            mark = -groups
            counts[label[row]] = mark
        new_rows[kept] = row
        new_label[kept] = -mark - 1
        kept += 1
    return kept, groups


@inner_kernel
def split_groups(rows, label, states, arity, weights, counts, new_rows, new_label):
    """
    Split groups of listed rows by the states of one more place; return how many rows and groups are left.

    rows, label : int32[...]           the listed rows, and their groups
    states : uint8|uint16[all rows]
    weights : int32[all rows]          a row of a weight above 1 is never dropped
    counts : int32[cells]              scratch, all zero
    new_rows, new_label : int32[...]   written
    """
    for i in range(rows.size):
        counts[np.int64(label[i]) * arity + np.int64(states[rows[i]])] += 1
    kept = 0
    groups = 0
    for i in range(rows.size):
        row = rows[i]
        cell = np.int64(label[i]) * arity + np.int64(states[row])
        mark = counts[cell]  # number of rows, or minus the number of the new group
        if mark == 1 and weights[row] == 1:
            continue
        if mark > 0:
            groups += 1
            mark = -groups
            counts[cell] = mark
        new_rows[kept] = row
        new_label[kept] = -mark - 1
        kept += 1
    for i in range(rows.size):
        counts[np.int64(label[i]) * arity + np.int64(states[rows[i]])] = 0
    return kept, groups


@inner_kernel
def split_sorted_groups(rows, order, begin, number, states, weights, counts, new_rows, new_label):
    """
    Do the same as split_groups, group by group.

    order, begin : from sort_labels, for the labels 0..number - 1 of `rows`
    counts : int32[states]   scratch, all zero
    """
    kept = 0
    groups = 0
    for group in range(number):
        for j in range(begin[group], begin[group + 1]):
            counts[states[rows[order[j]]]] += 1
        for j in range(begin[group], begin[group + 1]):
            row = rows[order[j]]
            mark = counts[states[row]]
            if mark == 1 and weights[row] == 1:
                continue
            if mark > 0:
                groups += 1
                mark = -groups
                counts[states[row]] = mark
            new_rows[kept] = row
            new_label[kept] = -mark - 1
            kept += 1
        for j in range(begin[group], begin[group + 1]):
            counts[states[rows[order[j]]]] = 0
    return kept, groups


@inner_kernel
def sum_groups(rows, label, number, states, arity, weights, unit, counts, table, function, a):
    """
    Return the sum of f over the cells of group and state.

    number : number of groups
    weights : int32[all rows]   all are 1 if `unit` is True
    table : float64[L]          f(n) for n < L; larger counts are computed in closed form

    All other arguments are as in split_groups.
    """
    wide = np.uint32(arity)
    if unit:
        for i in range(rows.size):
            counts[np.uint32(label[i]) * wide + np.uint32(states[rows[i]])] += 1
    else:
        for i in range(rows.size):
            counts[np.uint32(label[i]) * wide + np.uint32(states[rows[i]])] += weights[rows[i]]
    total = 0.0
    if number * arity <= 2 * rows.size:  # read all cells, or only those of the rows
        for i in range(number * arity):
            total += term(np.int64(counts[i]), table, function, a)
            counts[i] = 0
    else:
        for i in range(rows.size):
            cell = np.uint32(label[i]) * wide + np.uint32(states[rows[i]])
            total += term(np.int64(counts[cell]), table, function, a)
            counts[cell] = 0
    return total


@inner_kernel
def sum_sorted_groups(rows, order, begin, number, states, weights, counts, table, function, a):
    """Do the same as sum_groups, group by group; arguments as in split_sorted_groups."""
    total = 0.0
    for group in range(number):
        for j in range(begin[group], begin[group + 1]):
            row = rows[order[j]]
            counts[states[row]] += weights[row]
        for j in range(begin[group], begin[group + 1]):
            state = states[rows[order[j]]]
            total += term(np.int64(counts[state]), table, function, a)
            counts[state] = 0
    return total


@inner_kernel
def split_prefix(states, arity, weights, dense, depth, rows, label, listed, number, order, begin, counts, zeros):
    """
    Split the groups of a prefix of depth - 1 places by one more place, and drop rows that are alone if these are many.

    dense : True if a table of all cells may be used
    rows ... zeros : as in count_top of kernels_row_sets
    """
    if listed[depth - 1] >= 0:
        own, labels = rows[depth - 1, : listed[depth - 1]], label[depth - 1, : listed[depth - 1]]
        if dense:
            listed[depth], number[depth] = split_groups(
                own, labels, states, arity, weights, zeros, rows[depth], label[depth]
            )
        else:
            sort_labels(labels, number[depth - 1], order, begin)
            listed[depth], number[depth] = split_sorted_groups(
                own, order, begin, number[depth - 1], states, weights, zeros, rows[depth], label[depth]
            )
        return
    if dense:
        number[depth] = extend_dense(label[depth - 1], number[depth - 1], states, arity, counts, label[depth])
    else:
        sort_labels(label[depth - 1], number[depth - 1], order, begin)
        number[depth] = extend_sparse(order, begin, number[depth - 1], states, arity, counts, label[depth])
    listed[depth] = -1
    if number[depth] > MANY_GROUPS * weights.size:
        left, groups = drop_alone(label[depth], number[depth], weights, counts, rows[depth], order)
        if left <= MAX_LISTED * weights.size:
            listed[depth], number[depth] = left, groups
            for i in range(left):
                label[depth, i] = order[i]
