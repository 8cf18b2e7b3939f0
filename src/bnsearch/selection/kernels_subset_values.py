"""
The values of sets at the bottom of a walk over all subsets.

The last few variables are the *bottom*: all of their subsets are valued together, at the node that has decided all
other variables. Small cells are not examined for each of these sets. A cell of two entries stays whole in a set that
holds none of the variables in which the entries differ; in all other sets it is two cells. So, in a count of cells by
weight, it adds its two weights for all sets, and a correction for the sets without those variables. Three entries need
a correction for each pair and one for all three. Sums of the corrections over subsets then serve all sets at once.

`functions` is a tuple that describes the functions f that are summed over the cells:
    kinds : int64[m]              form of each f (see kernels_terms)
    parameters : float64[m]       its parameter a
    tables : float64[m, R, L]     f(n) for n < L; one row if f does not depend on the set's number of cells
    row_of : int32[indices]       row of a set with this index; -1 if its number of cells is not tabulated
    constants : float64[indices]  constant of a set with this index; nan until it is first needed
    rule : (float64, bool, int64) slope, regret and number of rows, which determine the constants
    series : float64[counts, TERMS]   coefficients of log rising(n, a) as a power series, for small a

`bottom` is a tuple that describes the last q variables, whose subsets have masks of q bits:
    code_of : int64[suffixes]     joint state of each suffix
    kind_of : int64[suffixes]     the same, or 0 if there is one variable with many states
    differ : int64[kinds, kinds]  mask of the variables in which two joint states differ
    first : int64[2^q + 1]        begin of the marginal cells of each subset; those of all q variables come first, so
                                  subsets are numbered by complement
    source, stride, terms : int64[...]   each marginal cell is the sum of `terms` others, from `source` on by `stride`
    sizes, shifts, factors : int64[2^q], int64[2^q], float64[2^q]   variables, index and cells of each subset

`room` is the scratch memory of one thread:
    corrections : int32[2^q, FEW]      corrections of the numbers of cells with each weight
    counts : int64[...]                marginal counts of one cell
    rows : float64[m, 2^q, FEW]        f of small counts for each set
    sums : float64[m, 2^q]
    places, weights : int64[m, 2^q], float64[m, 2^q, 2]   row of the table for each set, or -1; its a, and log a
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.counting.kernels_terms import RISING_SPREAD, cell_term, log_rising, set_constant
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, kernel

BOTTOM_FIRST = 3  # index of `first` in `bottom`
FEW = 32  # counts and weights below this number are tallied, and f of them is tabulated for each set
TERMS = 8  # number of coefficients of the power series
SMALL = 0.01  # largest a for which the series is used: its error is below a^8 / 8 < 2e-17
WEIGHT = (1 << 32) - 1  # mask of the weight in an entry


@kernel
def fill_series(series):
    """
    Fill the coefficients of log rising(n, a) = log a + series[n, 0] + series[n, 1] a + series[n, 2] a^2 + ...

    log rising(n, a) = log a + sum over 0 < i < n of log(i + a), and log(i + a) = log i + a / i - a^2 / (2 i^2) + ...

    series : float64[counts, TERMS]   written
    """
    for t in range(TERMS):
        total = 0.0
        sign = 1.0 if t & 1 else -1.0
        for n in range(series.shape[0]):
            if n > 1:
                total += math.log(n - 1.0) if t == 0 else sign / (t * (n - 1.0) ** t)
            series[n, t] = total


@borrowing_kernel
def fill_row(product, f, t, index, functions, room):
    """Write f of small counts for a set with a number of cells, and the parameters for larger counts."""
    kinds, parameters, tables, row_of, _, _, series = functions
    _, _, rows, _, places, weights = room
    spread = kinds[f] == RISING_SPREAD
    places[f, t] = row_of[index] if spread else 0
    a = parameters[f] / product if spread else parameters[f]
    weights[f, t, 0] = a
    weights[f, t, 1] = math.log(a) if spread else 0.0
    last = min(FEW, tables.shape[2])
    if places[f, t] >= 0:
        for n in range(last):
            rows[f, t, n] = tables[f, places[f, t], n]
    elif a > SMALL:
        for n in range(1, last):
            rows[f, t, n] = log_rising(n, a)
    else:
        for n in range(last):
            total = series[n, TERMS - 1]
            for k in range(TERMS - 2, -1, -1):
                total = total * a + series[n, k]
            rows[f, t, n] = total + weights[f, t, 1]
    rows[f, t, 0] = 0.0


@inlined_kernel
def large_term(n, f, t, kind, tables, series, places, weights):
    """Return f(n) for a count of a set that is not in its row."""
    if places[f, t] >= 0 and n < tables.shape[2]:
        return tables[f, places[f, t], n]
    a = weights[f, t, 0]
    if kind != RISING_SPREAD or a > SMALL or n >= series.shape[0]:
        return cell_term(n, kind, a)
    total = series[n, TERMS - 1]
    for k in range(TERMS - 2, -1, -1):
        total = total * a + series[n, k]
    return weights[f, t, 1] + total


@inlined_kernel
def correct_pair(a, b, differ, corrections):
    """Record that two cells are one in all sets without the variables in which they differ."""
    row = np.uint64(differ)
    corrections[row, np.uint64(a + b)] += 1
    corrections[row, np.uint64(a)] -= 1
    corrections[row, np.uint64(b)] -= 1


@inlined_kernel
def correct_small_cell(entries, low, size, kind_of, differ, tally, corrections):
    """Record a cell of two or three entries with small weights."""
    a, b = entries[low], entries[low + 1]
    i, j = kind_of[np.uint64(a >> 32)], kind_of[np.uint64(b >> 32)]
    a &= WEIGHT
    b &= WEIGHT
    tally[np.uint64(a)] += 1
    tally[np.uint64(b)] += 1
    ab = differ[np.uint64(i), np.uint64(j)]
    correct_pair(a, b, ab, corrections)
    if size == 3:
        c = entries[low + 2]
        k = kind_of[np.uint64(c >> 32)]
        c &= WEIGHT
        tally[np.uint64(c)] += 1
        ac, bc = differ[np.uint64(i), np.uint64(k)], differ[np.uint64(j), np.uint64(k)]
        correct_pair(a, c, ac, corrections)
        correct_pair(b, c, bc, corrections)
        every = np.uint64(ab | ac)
        corrections[every, np.uint64(a + b + c)] += 1
        corrections[every, np.uint64(a + b)] -= 1
        corrections[every, np.uint64(a + c)] -= 1
        corrections[every, np.uint64(b + c)] -= 1
        corrections[every, np.uint64(a)] += 1
        corrections[every, np.uint64(b)] += 1
        corrections[every, np.uint64(c)] += 1


@inlined_kernel
def count_margins(entries, low, high, code_of, states, source, stride, terms, counts):
    """Count the marginal cells of one cell for every subset of the bottom; return its weight."""
    for i in range(states):
        counts[i] = 0
    total = np.int64(0)
    for j in range(low, high):
        weight = entries[j] & WEIGHT
        counts[np.uint64(code_of[np.uint64(entries[j] >> 32)])] += weight
        total += weight
    for i in range(states, source.size):
        at, step = source[i], stride[i]
        count = counts[np.uint64(at)] if terms[i] < 2 else counts[np.uint64(at)] + counts[np.uint64(at + step)]
        for k in range(2, terms[i]):
            count += counts[np.uint64(at + k * step)]
        counts[i] = count
    return total


@inlined_kernel
def sum_small_counts(counts, first, rows, sums):
    """Add f of a cell's small counts to the sums of all sets."""
    for f in range(sums.shape[0]):
        for t in range(first.size - 1):
            total = 0.0
            for i in range(first[t], first[t + 1]):
                total += rows[f, t, np.uint64(counts[i])]
            sums[f, t] += total


@borrowing_kernel
def sum_counts_of_any_size(first, functions, room):
    """Do the same as sum_small_counts if some counts are large."""
    kinds, _, tables, _, _, _, series = functions
    _, counts, rows, sums, places, weights = room
    for f in range(sums.shape[0]):
        for t in range(first.size - 1):
            total = 0.0
            for i in range(first[t], first[t + 1]):
                n = counts[i]
                if n < FEW:
                    total += rows[f, t, np.uint64(n)]
                else:
                    total += large_term(n, f, t, kinds[f], tables, series, places, weights)
            sums[f, t] += total


@borrowing_kernel
def add_over_subsets(corrections):
    """Replace the corrections of each mask of variables by the sum over all of its subsets."""
    bit = 1
    while bit < corrections.shape[0]:
        for mask in range(corrections.shape[0]):
            if mask & bit:
                for w in range(FEW):
                    corrections[mask, w] += corrections[mask ^ bit, w]
        bit <<= 1


@borrowing_kernel
def value_bottom(
    entries, begin, cells, tally, large, stacked, size, index, mask, product, limits, bottom, functions, room, values
):  # fmt: skip
    """
    Value the set of a node together with every subset of the bottom.

    entries, begin, tally : arrays of the node; the tally is changed
    All other arguments are as in kernels_subsets and above. Subset t of the bottom is the complement of t.
    """
    code_of, kind_of, differ, first, source, stride, terms, sizes, shifts, factors = bottom
    corrections, counts, rows, sums, places, weights = room
    kinds, _, tables, _, _, _, series = functions
    subsets = sizes.size
    for f in range(sums.shape[0]):
        for t in range(subsets):
            fill_row(product * factors[t], f, t, index + shifts[t], functions, room)
            sums[f, t] = 0.0
    for t in range(subsets):
        for w in range(FEW):
            corrections[t, w] = 0
    for c in range(cells):
        low, high = np.int64(begin[c]), np.int64(begin[c + 1])
        if high - low <= 3:
            weight = (entries[low] & WEIGHT) + (entries[low + 1] & WEIGHT) + (entries[high - 1] & WEIGHT)
            if weight < FEW:  # the second of two entries counts twice here, which is on the safe side
                correct_small_cell(entries, low, high - low, kind_of, differ, tally, corrections)
                continue
        total = count_margins(entries, low, high, code_of, first[1], source, stride, terms, counts)
        if total < FEW:
            sum_small_counts(counts, first, rows, sums)
        else:
            sum_counts_of_any_size(first, functions, room)
    add_over_subsets(corrections)
    max_size, max_cells, _ = limits
    for t in range(subsets):
        cells_of_set = product * factors[t]
        if size + sizes[t] > max_size or cells_of_set > max_cells:
            continue
        constant = constant_of(index + shifts[t], cells_of_set, functions)
        for f in range(sums.shape[0]):
            value = sums[f, t] + constant
            for w in range(FEW):
                value += (tally[w] + corrections[t, w]) * rows[f, t, w]
            for i in range(stacked):
                value += large_term(large[i], f, t, kinds[f], tables, series, places, weights)
            values[f, mask | (subsets - 1 - t)] = value


@borrowing_kernel
def constant_of(index, product, functions):
    """Return the constant of a set; it is computed once for each number of cells."""
    _, _, _, _, constants, rule, _ = functions
    slope, regret, rows = rule
    if np.isnan(constants[index]):
        constants[index] = set_constant(product, slope, regret, rows)
    return constants[index]
