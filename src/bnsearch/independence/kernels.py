"""Conditional dependence of pairs, from one joint table each."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_set import count_set
from bnsearch.counting.kernels_terms import term
from bnsearch.kernels.compile import inner_kernel, kernel

ROWS, ARITIES = 2, 3  # fields of counting.Columns
FOUND_CELLS, FOUND_COUNTS = 5, 6  # of the scratch arrays of count_set: the cells that occur, and their counts
FUNCTION, PARAMETER, TABLE = 0, 1, 7  # fields of the terms of a cell sum


@inner_kernel
def full_degrees(arities, x, y, given):
    """Return the degrees of freedom of a test in which every state occurs under every condition."""
    degrees = (arities[x] - 1.0) * (arities[y] - 1.0)
    for i in range(given.size):
        degrees *= arities[given[i]]
    return degrees


@inner_kernel
def tabulate(columns, scratch, x, y, given, table):
    """Write the joint table of the condition, x and y, with y varying fastest; return the number of conditions."""
    arities = columns[ARITIES]
    places = np.empty(given.size + 2, np.int64)
    strata = np.int64(1)
    for i in range(given.size):
        places[i] = given[i]
        strata *= arities[given[i]]
    places[given.size] = x
    places[given.size + 1] = y
    for cell in range(strata * arities[x] * arities[y]):
        table[cell] = 0
    found = count_set(columns, scratch, places)
    for i in range(found):
        table[scratch[FOUND_CELLS][i]] = scratch[FOUND_COUNTS][i]
    return strata


@inner_kernel
def dependence_of(table, strata, rows, columns, terms):
    """
    Return N times the conditional mutual information, and the degrees of freedom, of a joint table.

    With J the sum of n log n over the cells, the former is J(xyz) - J(xz) - J(yz) + J(z). The degrees of freedom count,
    under each condition, only the states of x and y that occur there.

    table : int64[strata * rows * columns]   counts of z, x, y
    rows, columns : numbers of states of x and y
    """
    values = terms[TABLE][0]
    across = np.empty(columns, np.int64)
    total = 0.0
    degrees = 0
    for z in range(strata):
        for y in range(columns):
            across[y] = 0
        whole = np.int64(0)
        seen_x = 0
        for x in range(rows):
            along = np.int64(0)
            for y in range(columns):
                n = table[(z * rows + x) * columns + y]
                total += term(n, values, terms[FUNCTION], terms[PARAMETER])
                along += n
                across[y] += n
            total -= term(along, values, terms[FUNCTION], terms[PARAMETER])
            whole += along
            seen_x += along > 0
        seen_y = 0
        for y in range(columns):
            total -= term(across[y], values, terms[FUNCTION], terms[PARAMETER])
            seen_y += across[y] > 0
        total += term(whole, values, terms[FUNCTION], terms[PARAMETER])
        if whole > 0:
            degrees += (seen_x - 1) * (seen_y - 1)
    return max(total, 0.0), degrees


@kernel
def measure_pairs(columns, scratch, terms, table, min_rows, pairs, begin, members, dependence, degrees):
    """
    Measure the dependence of many pairs, each under a condition of its own.

    columns : the fields of Columns, a plain tuple
    table : int64[...]          scratch for the largest table that has enough rows
    min_rows : minimum number of rows for each degree of freedom
    pairs : int64[m, 2]         places
    begin, members : int64[m + 1], int64[...]   the condition of each pair, places
    dependence : float64[m]     written: N times the mutual information; NaN if there are too few rows
    degrees : int64[m]          written
    """
    arities = columns[ARITIES]
    for i in range(pairs.shape[0]):
        x, y = pairs[i, 0], pairs[i, 1]
        given = members[begin[i] : begin[i + 1]]
        full = full_degrees(arities, x, y, given)
        dependence[i] = 0.0
        degrees[i] = 0
        if full * min_rows > columns[ROWS]:
            dependence[i] = np.nan
        elif full > 0:
            strata = tabulate(columns, scratch, x, y, given, table)
            dependence[i], degrees[i] = dependence_of(table, strata, arities[x], arities[y], terms)
