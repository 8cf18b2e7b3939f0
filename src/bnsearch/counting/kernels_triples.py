"""
Values of all sets of three variables with two states (or one).

This is a special case of kernels_lattice for wide tables: with 1,000 variables, all pairs of parents are 500 million
families. A set has a top place, a second place, and a smaller place x. The counts of its eight cells follow from one
count over the rows and from those of smaller sets. All steps are loops over x that read memory in order.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_prefix import project_on_top
from bnsearch.counting.kernels_sweeps import MAX_WORDS, PADDING, order_by_word, pad, sweep_rows, sweep_words
from bnsearch.counting.kernels_terms import RISING_SPREAD, find_product
from bnsearch.kernels.compile import inner_kernel

LANES = 512  # number of places x that are counted together: their counts and sums fit into the first cache
ROWS_PER_PLACE = 8  # sums of two terms are tabulated if there are fewer rows than this number times the places x


@inner_kernel
def tabulate_pairs(cells, table, begin, paired):
    """
    Tabulate f(n) + f(m - n) for the count m of each cell, and n from 0 to m.

    cells : int64[4]
    begin : int64[4]                 written: where the values of each cell begin
    paired : float64[rows + 4]       written
    """
    to = 0
    for c in range(cells.size):
        whole = np.uint64(cells[c])
        begin[c] = to
        values = paired[to:]
        for n in range(whole + np.uint64(1)):
            values[n] = table[n] + table[whole - n]
        to += cells[c] + 1


@inner_kernel
def sum_tabulated(counts, alone, with_top, with_second, begin, paired, constant, values):
    """
    Write the values of the sets of a top place, a second place and each of several smaller places x.

    counts : int32[x]             number of rows in which all three are 1
    alone, with_top, with_second : int32[x]   number of rows in which x is 1; x and the top; x and the second place
    begin, paired : from tabulate_pairs, for the cells of top and second place: 00, 10, 01, 11
    values : float64[x]           written
    """
    none, top, second, both = paired[begin[0] :], paired[begin[1] :], paired[begin[2] :], paired[begin[3] :]
    for x in range(counts.size):
        n, p, q = counts[x], with_top[x], with_second[x]
        total = none[np.uint32(alone[x] - p - q + n)] + top[np.uint32(p - n)]
        values[x] = total + second[np.uint32(q - n)] + both[np.uint32(n)] + constant


@inner_kernel
def sum_terms(counts, alone, with_top, with_second, cells, table, constant, values):
    """Do the same as sum_tabulated without tabulated sums; cells : int64[4], their counts."""
    none, top, second, both = np.int32(cells[0]), np.int32(cells[1]), np.int32(cells[2]), np.int32(cells[3])
    for x in range(counts.size):
        n, p, q = counts[x], with_top[x], with_second[x]
        r = alone[x] - p - q + n
        total = (table[np.uint32(r)] + table[np.uint32(none - r)]) + (
            table[np.uint32(p - n)] + table[np.uint32(top - p + n)]
        )
        total += table[np.uint32(q - n)] + table[np.uint32(second - q + n)]
        values[x] = total + (table[np.uint32(n)] + table[np.uint32(both - n)]) + constant


@inner_kernel
def count_places(counts, leaf, projected, by_word, x, lanes):
    """Count the rows that the bitmap `leaf` has in common with the places from x on; write int32[lanes]."""
    if by_word.size > 0:
        sweep_words(counts, leaf, by_word, x, min(pad(lanes), counts.size))
    else:
        sweep_rows(counts, leaf, 0, leaf.size, projected, x, lanes)


@inner_kernel
def sum_cells(cells, terms):
    """Return the value of the set of the top and the second place; cells : int64[4], their counts."""
    function, _, _, _, _, products, constants, table = terms
    product = find_product(products, 4.0)
    row = table[product if function == RISING_SPREAD else 0]
    return row[cells[0]] + row[cells[1]] + row[cells[2]] + row[cells[3]] + constants[product]


@inner_kernel
def project_on_item(words, sizes, item, below):
    """
    Project the bitmaps of all items before `below` on the rows of an item: return them by item, and by word if short.

    Returns uint64[below, words] and uint64[words, below + PADDING]; the second one is empty if bitmaps are long.
    """
    segment = np.zeros(2, np.int64)
    projected = project_on_top(words, sizes, item, item + 1, below, segment)
    by_word = np.empty((segment[1] if segment[1] <= MAX_WORDS else 0, projected.shape[0] + PADDING), np.uint64)
    order_by_word(projected, by_word)
    return projected, by_word


@inner_kernel
def sweep_triples(
    projected, by_word, total, binomial, ones, at, terms, n_constant, top, lowest, highest, store, offset,
    paired, values,
):  # fmt: skip
    """
    Value all sets of three places whose largest is `top` and whose second is in lowest:highest.

    The first `n_constant` places have one state. All others up to the top must be binary and have bitmaps, and f of
    every count must be tabulated. Only x may be a constant. The item of a binary place is its index less `n_constant`.

    projected, by_word : from project_on_item, for the item of the top and all items below `highest`
    paired : float64[rows + 4]   scratch for tabulate_pairs

    All other arguments are those of sweep_top (kernels_lattice).
    """
    function, _, _, _, _, products, constants, table = terms
    product = find_product(products, 8.0)
    row = table[product if function == RISING_SPREAD else 0]
    first = top - n_constant
    counts = np.empty(LANES, np.int32)
    cells, begin = np.empty(4, np.int64), np.empty(4, np.int64)
    of_first = at[2] + binomial[first, 2]
    for second in range(lowest - n_constant, highest - n_constant):
        of_second = at[2] + binomial[second, 2]
        cells[3] = ones[of_first + second]
        cells[1], cells[2] = ones[first] - cells[3], ones[second] - cells[3]
        cells[0] = total - cells[1] - cells[2] - cells[3]
        out = values[offset + binomial[second + n_constant, 2] :]
        if n_constant > 0:
            value = sum_cells(cells, terms)
            for x in range(n_constant):
                out[x] = value
        is_tabulated = total < ROWS_PER_PLACE * second
        if is_tabulated:
            tabulate_pairs(cells, row, begin, paired)
        for x in range(0, second, LANES):
            stop = min(x + LANES, second)
            number = counts[: stop - x]
            if cells[3] > 0:
                count_places(counts, projected[second], projected, by_word, x, stop - x)
            else:
                for i in range(number.size):
                    number[i] = 0
            if store:
                to = ones[at[3] + binomial[first, 3] + binomial[second, 2] + x :]
                for i in range(number.size):
                    to[i] = number[i]
            alone, with_top = ones[x:stop], ones[of_first + x : of_first + stop]
            with_second = ones[of_second + x : of_second + stop]
            if is_tabulated:
                sum_tabulated(
                    number, alone, with_top, with_second, begin, paired, constants[product], out[n_constant + x :]
                )
            else:
                sum_terms(number, alone, with_top, with_second, cells, row, constants[product], out[n_constant + x :])
