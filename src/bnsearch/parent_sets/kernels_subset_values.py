"""
The values of sets in a walk over all subsets.

`functions` is a tuple of what is summed over the cells:
    kinds : int64[m]              the form of each f (see kernels_terms)
    parameters : float64[m]       its parameter a
    tables : float64[m, R, L]     f(n) for n < L; one row where f does not depend on the set's number of cells
    row_of : int32[indices]       the row of a set with this index; -1 where its number of cells is not tabulated
    constants : float64[indices]  the constant of a set with this index; not a number until it is first needed
    rule : (float64, bool, int64) the slope and whether there is a regret, of which constants are made; the rows
    series : float64[TERMS, n]    what log rising(n, a) is a power series of, for small a
    rows : float64[2, FEW]        scratch: f of small counts for one set
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.counting.kernels_terms import RISING_SPREAD, cell_term, log_rising, set_constant
from bnsearch.kernel import inner_kernel, kernel

FEW = 32  # weights of dropped cells that are tallied, and counts that have a row for each set
TERMS = 7
SMALL = 0.01  # up to this a the series has an error below a^7 / 7 < 2e-15


@kernel
def fill_series(series):
    """
    Fill the coefficients of log rising(n, a) = log a + series[0, n] + series[1, n] a + series[2, n] a^2 + ...

    log rising(n, a) = log a + sum over 0 < i < n of log(i + a), and log(i + a) = log i + a / i - a^2 / (2 i^2) + ...

    series : float64[TERMS, n]   written
    """
    for t in range(series.shape[0]):
        total = 0.0
        sign = 1.0 if t & 1 else -1.0
        for n in range(series.shape[1]):
            if n > 1:
                total += math.log(n - 1.0) if t == 0 else sign / (t * (n - 1.0) ** t)
            series[t, n] = total


@inner_kernel
def series_term(n, a, log_a, series):
    """Return log rising(n, a) for a small a."""
    if n >= series.shape[1]:
        return log_rising(n, a)
    total = series[TERMS - 1, n]
    for t in range(TERMS - 2, -1, -1):
        total = total * a + series[t, n]
    return log_a + total


@inner_kernel
def fill_row(a, log_a, series, row):
    """Write log rising(n, a) for every small n."""
    if a > SMALL:
        for n in range(1, row.size):
            row[n] = log_rising(n, a)
        return
    last = min(row.size, series.shape[1])
    for n in range(last):
        row[n] = series[TERMS - 1, n]
    for t in range(TERMS - 2, -1, -1):
        for n in range(last):
            row[n] = row[n] * a + series[t, n]
    for n in range(last):
        row[n] += log_a


@inner_kernel
def far_term(n, kind, a, log_a, series):
    """Return f(n) for a count that has no place in the row."""
    if kind == RISING_SPREAD and a <= SMALL:
        return series_term(n, a, log_a, series)
    return cell_term(n, kind, a)


@inner_kernel
def sum_dropped(tally, large, stacked, row, kind, a, log_a, series):
    """Return the sum of f over the dropped cells."""
    total = 0.0
    for w in range(min(row.size, tally.size)):
        total += tally[w] * row[w]
    for w in range(row.size, tally.size):
        if tally[w] > 0:
            total += tally[w] * far_term(w, kind, a, log_a, series)
    for i in range(stacked):
        n = large[i]
        total += row[n] if n < row.size else far_term(n, kind, a, log_a, series)
    return total


@inner_kernel
def sum_cells(entries, begin, cells, row, kind, a, log_a, series):
    """Return the sum of f over the cells of a leaf."""
    total = 0.0
    for c in range(cells):
        n = np.int64(0)
        for j in range(begin[c], begin[c + 1]):
            n += entries[j] & 0xFFFFFFFF
        total += row[n] if n < row.size else far_term(n, kind, a, log_a, series)
    return total


@inner_kernel
def sum_entries(entries, number, row, kind, a, log_a, series):
    """Return the sum of f over the entries of a leaf: the cells of its set and the last variable."""
    total = 0.0
    for j in range(number):
        n = entries[j] & 0xFFFFFFFF
        total += row[n] if n < row.size else far_term(n, kind, a, log_a, series)
    return total


@inner_kernel
def constant_of(index, product, constants, rule):
    """Return the constant of a set, which is computed once for each number of cells."""
    slope, regret, rows = rule
    if np.isnan(constants[index]):
        constants[index] = set_constant(product, slope, regret, rows)
    return constants[index]


@inner_kernel
def value_leaf(
    entries, begin, cells, tally, large, stacked, size, index, mask, product, table, limits, functions, values
):  # fmt: skip
    """
    Value the set of a leaf, and that set with the last variable.

    entries, begin, tally : those of the leaf
    The rest as in kernels_subsets.
    """
    kinds, parameters, tables, row_of, constants, rule, series, rows = functions
    _, arities, strides = table
    most_size, most_cells, most_occupied = limits
    last = arities.size - 1
    number = np.int64(begin[cells])
    occupied = number + stacked
    for w in range(tally.size):
        occupied += tally[w]
    both = size < most_size and product * arities[last] <= most_cells and occupied <= most_occupied
    for f in range(kinds.size):
        kind = kinds[f]
        for more in range(2 if both else 1):
            its_index = index + strides[last] * more
            its_product = product * arities[last] if more else product
            a, log_a = parameters[f], 0.0
            row = rows[more]
            if kind != RISING_SPREAD:
                row = tables[f, 0]
            else:
                a /= its_product
                log_a = math.log(a)
                if row_of[its_index] >= 0:
                    row = tables[f, row_of[its_index]]
                else:
                    fill_row(a, log_a, series, row)
            value = sum_dropped(tally, large, stacked, row, kind, a, log_a, series)
            if more:
                value += sum_entries(entries, number, row, kind, a, log_a, series)
            else:
                value += sum_cells(entries, begin, cells, row, kind, a, log_a, series)
            values[f, mask + more] = value + constant_of(its_index, its_product, constants, rule)
