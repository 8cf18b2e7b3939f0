"""Kernels that evaluate cuts: coefficients of parent sets, rows and columns of the linear program, reduced scores."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import popcount
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, kernel

# In all kernels:
# pool : (uint64[m, words], int16[m, n], int64[m], int64[m], int64[m], float64[...])   the arrays of a CutPool: member
#     masks, places, orders, sizes, starts, weights
# table : (int64[n + 1], int64[rows + 1], int32[...], uint64[rows, words])   begin, first, members and masks of the
#     parent sets of a component
# child : int32[rows]   the variable of each row


@inlined_kernel
def compute_coefficient(pool, cut, table, variable, row):
    """Return the coefficient of a row of a variable that is a member of the cut."""
    clusters, places, orders, sizes, starts, weights = pool
    _, first, members, masks = table
    inside = np.uint64(0)
    for w in range(masks.shape[1]):
        inside += popcount(masks[row, w] & clusters[cut, w])
    if orders[cut] > 0:
        return 1.0 if np.int64(inside) >= orders[cut] else 0.0
    if inside == np.uint64(0):
        return 0.0
    subset = np.int64(0)
    for i in range(first[row], first[row + 1]):
        place = np.int64(places[cut, members[i]])
        if place > 0:
            subset |= np.int64(1) << (place - 1)
    return weights[starts[cut] + ((np.int64(places[cut, variable]) - 1) << sizes[cut]) + subset]


@borrowing_kernel
def subtract_penalties(pool, cuts, multipliers, table, alive, reduced):
    """
    Subtract the multipliers of cuts, times their coefficients, from the scores of all rows that are alive.

    cuts : int64[k]            cuts of the pool
    multipliers : float64[k]
    alive : bool[rows]
    reduced : float64[rows]    changed
    """
    places = pool[1]
    begin = table[0]
    for i in range(cuts.size):
        cut = cuts[i]
        if multipliers[i] == 0.0:
            continue
        for v in range(begin.size - 1):
            if places[cut, v] > 0:
                for row in range(begin[v], begin[v + 1]):
                    if alive[row]:
                        reduced[row] -= multipliers[i] * compute_coefficient(pool, cut, table, v, row)


@borrowing_kernel
def find_best_reduced(begin, alive, reduced, best):
    """
    Write the best reduced score of each variable among the rows that are alive, and return False if there is none.

    best : float64[n]   written
    """
    for v in range(begin.size - 1):
        best[v] = -np.inf
        for row in range(begin[v], begin[v + 1]):
            if alive[row] and reduced[row] > best[v]:
                best[v] = reduced[row]
        if best[v] == -np.inf:
            return False
    return True


@kernel
def make_lp_rows(pool, cuts, table, child, columns, start, index, value, flipped):
    """
    Write cuts as rows of the linear program, and return the number of nonzeros.

    A cluster inequality of order k bounds the number of members with at least k parents inside the cluster from above
    or, equivalently, the number of the others from below. The form with fewer nonzeros is written.

    columns : int64[c]          rows of the table that are columns of the program
    start : int32[k]            written: first nonzero of each cut
    index, value : int32[k * c], float64[k * c]   written: columns and coefficients
    flipped : bool[k]           written: True if the second form is used
    """
    places, orders = pool[1], pool[2]
    filled = 0
    for i in range(cuts.size):
        cut = cuts[i]
        start[i] = filled
        inside = 0
        for c in range(columns.size):
            variable = child[columns[c]]
            if places[cut, variable] > 0:
                inside += 1
                coefficient = compute_coefficient(pool, cut, table, variable, columns[c])
                if coefficient > 0.0:
                    index[filled] = c
                    value[filled] = coefficient
                    filled += 1
        flipped[i] = orders[cut] > 0 and 2 * (filled - start[i]) > inside
        if flipped[i]:
            filled = np.int64(start[i])
            for c in range(columns.size):
                variable = child[columns[c]]
                if places[cut, variable] > 0 and compute_coefficient(pool, cut, table, variable, columns[c]) == 0.0:
                    index[filled] = c
                    value[filled] = 1.0
                    filled += 1
    return filled


@kernel
def make_lp_columns(pool, cuts, flipped, table, child, rows, start, index, value):
    """
    Write rows of the table as columns of the linear program, and return the number of nonzeros.

    cuts, flipped : int64[k], bool[k]   the cuts of the program, which follow one equation for each variable
    rows : int64[c]                     rows of the table
    start : int32[c]                    written
    index, value : int32[c * (k + 1)], float64[c * (k + 1)]   written
    """
    n = table[0].size - 1
    filled = 0
    for c in range(rows.size):
        start[c] = filled
        variable = child[rows[c]]
        index[filled] = variable
        value[filled] = 1.0
        filled += 1
        for i in range(cuts.size):
            if pool[1][cuts[i], variable] > 0:
                coefficient = compute_coefficient(pool, cuts[i], table, variable, rows[c])
                if flipped[i]:
                    coefficient = 1.0 - coefficient
                if coefficient > 0.0:
                    index[filled] = n + i
                    value[filled] = coefficient
                    filled += 1
    return filled
