"""
Values of all sets of one size by groups of rows: any arity, memory bounded by the number of rows.

Sets are visited as a prefix of places and every smaller place x, in the order of kernels_lattice. The rows that agree
on all places of the prefix form a *group*, and each row has the label of its group. One more place splits the groups in
one pass over the rows (see kernels_histogram).

A row that is alone in its group stays alone: it adds f(1) to the value of each set with the prefix. If many rows are
alone, they are dropped, and a list of the other rows is kept. So the longer the prefix, the fewer rows are left. There
is no list while few rows are alone, because reading rows through a list takes longer.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_histogram import (
    clear,
    extend_dense,
    extend_sparse,
    max_dense_cells,
    new_counts,
    serves_bitmaps,
    sort_labels,
    sum_dense,
    sum_sparse,
)
from bnsearch.counting.kernels_prefix import first_rank
from bnsearch.counting.kernels_terms import FUNCTION, term, terms_of
from bnsearch.kernels.compile import inner_kernel, kernel

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
    rows ... zeros : as in count_top
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


@inner_kernel
def any_beyond_bitmaps(arities, start, max_cells, bitmapped, cells, below, more):
    """Return True if some set of a prefix and `more` places below `below` is not counted by bitmaps."""
    if below < more:
        return False
    for i in range(more):
        cells *= arities[below - 1 - i]
        bitmapped = bitmapped and serves_bitmaps(arities, start, below - 1 - i)
    return not bitmapped or cells > max_cells


@inner_kernel
def count_top(
    codes, weights, total, arities, start, max_cells, dense, binomial, terms,
    size, top, lowest, highest, offset, values,
):  # fmt: skip
    """
    Value all sets of one size with largest place `top` and second in lowest:highest that bitmaps do not count.

    offset : index in `values` less the rank of a set among those of this top

    All other arguments are as in count_piece.
    """
    function = terms[FUNCTION]
    unit = weights.size == total
    d = size - 1
    place = np.empty(d + 1, np.int64)
    cells = np.ones(d + 1, np.float64)
    bitmapped = np.ones(d + 1, np.bool_)
    if not any_beyond_bitmaps(arities, start, max_cells, bitmapped[0], cells[0], top + 1, size):
        return
    n = weights.size
    widest = max_dense_cells(n)
    label = np.zeros(
        (d + 1, n), np.int32
    )  # for each length of the prefix: the groups of all rows or of the listed ones,
    rows = np.empty((d + 1, n), np.int32)  # the list,
    listed = np.full(d + 1, -1, np.int64)  # its length, or -1 if there is none,
    number = np.ones(d + 1, np.int64)  # and the number of groups
    order = np.empty(n, np.int32)
    begin = np.empty(n + 1, np.int32)
    counts = new_counts(n, arities)
    zeros = new_counts(n, arities)
    clear(zeros, zeros.size)
    place[0] = top - 1
    depth = 1  # the prefix is place[:depth], and place[0] is always the top
    while depth > 0:
        p = place[depth - 1] + 1
        place[depth - 1] = p
        if p >= (top + 1 if depth == 1 else highest if depth == 2 else place[depth - 2]):
            depth -= 1
            continue
        cells[depth] = cells[depth - 1] * arities[p]
        bitmapped[depth] = bitmapped[depth - 1] and serves_bitmaps(arities, start, p)
        if not any_beyond_bitmaps(arities, start, max_cells, bitmapped[depth], cells[depth], p, size - depth):
            continue
        split_prefix(
            codes[p], arities[p], weights, dense and number[depth - 1] * arities[p] <= widest, depth,
            rows, label, listed, number, order, begin, counts, zeros,
        )  # fmt: skip
        if depth < d:
            depth += 1
            place[depth - 1] = lowest - 1 if depth == 2 else -1
            continue
        rank = offset
        for t in range(1, d):
            rank += binomial[place[t], size - t]
        left = listed[d]
        alone = n - left if left >= 0 else 0
        in_order = False
        for x in range(p - 1, -1, -1):
            product = cells[d] * arities[x]
            if bitmapped[d] and product <= max_cells and serves_bitmaps(arities, start, x):
                break  # all smaller places are counted by bitmaps, too
            constant, table, a = terms_of(terms, product)
            if not (dense and number[d] * arities[x] <= widest):
                if not in_order:
                    sort_labels(label[d, : left if left >= 0 else n], number[d], order, begin)
                    in_order = True
                if left >= 0:
                    value = sum_sorted_groups(
                        rows[d], order, begin, number[d], codes[x], weights, zeros, table, function, a
                    )
                else:
                    value = sum_sparse(
                        order, begin, number[d], codes[x], arities[x], weights, counts, table, function, a
                    )
            elif left >= 0:
                value = sum_groups(
                    rows[d, :left], label[d, :left], number[d], codes[x], arities[x], weights, unit, zeros, table,
                    function, a,
                )  # fmt: skip
            else:
                value = sum_dense(label[d], number[d], codes[x], arities[x], weights, unit, counts, table, function, a)
            values[rank + x] = value + alone * term(np.int64(1), table, function, a) + constant


@kernel
def count_piece(
    codes, weights, total, arities, start, max_cells, dense, binomial, terms,
    size, bottom, top, lowest, highest, values,
):  # fmt: skip
    """
    Value the sets of one size with largest place in bottom:top + 1, second in lowest:highest, not counted by bitmaps.

    codes ... dense : fields of Columns
    binomial : int64[places + 1, size + 1]
    terms : see kernels_terms
    values : float64[...]   written at the set's rank less that of the piece's first set
    """
    first = first_rank(size, bottom, lowest, binomial)
    for t in range(bottom, top + 1):
        count_top(
            codes, weights, total, arities, start, max_cells, dense, binomial, terms,
            size, t, lowest, min(highest, t), binomial[t, size] - first, values,
        )  # fmt: skip
