"""
Values of all sets of one size by bitmaps.

Sets are visited as a prefix p1 > p2 > ... > pd of places and every smaller place x, so a set's colexicographic rank
(the sum of binomial(place_i, i) over its places in ascending order) increases with x by one. An *item* is a state that
has a bitmap. `ones` holds the number of rows with all items of every smaller set of items, at its colexicographic rank.

The joint table of the prefix with x is a *block*: a row for each combination of the prefix's digits, a lane for each
item of x. Digit s > 0 is the variable's s-th item, and digit 0 first means "any state". Counts of combinations with a 0
are read from `ones`; only combinations without a 0 are counted over the rows. Then the other digits are subtracted from
digit 0, variable by variable, so that it means "the state without a bitmap" (inclusion-exclusion).
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_prefix import (
    BITMAP,
    COUNT,
    INDEX,
    RANK,
    STATE,
    TAKEN,
    and_item,
    extend_bitmaps,
    extend_combinations,
    first_rank,
    project_on_top,
)
from bnsearch.counting.kernels_sweeps import sweep_rows
from bnsearch.counting.kernels_terms import RISING_SPREAD, cell_term, find_product
from bnsearch.counting.kernels_triples import project_on_item, sweep_triples
from bnsearch.kernels.compile import inner_kernel, kernel

LANES = 128  # number of lanes of a block


@inner_kernel
def subtract_known(block, size, place, arities, lanes):
    """
    Change digit 0 from "any state" to "the state without a bitmap", variable by variable.

    block : int32[combinations, lanes]
    size : int64[d + 1]    number of combinations of the first 0, 1, ... d places of the prefix
    place : int64[d]       the prefix
    """
    d = place.size
    for t in range(1, d + 1):
        stride = size[t - 1]
        arity = arities[place[t - 1]]
        for high in range(0, size[d], stride * arity):
            for c in range(high, high + stride):
                for s in range(1, arity):
                    for lane in range(lanes):
                        block[c, lane] -= block[c + s * stride, lane]


@inner_kernel
def read_smaller(block, combination, width, d, ones, at, item, lanes):
    """Fill the combinations with a 0 from the counts of smaller sets of items."""
    for c in range(width):
        taken = combination[c, TAKEN]
        if taken < d:
            source = at[taken + 1] + combination[c, RANK + 2] + item
            for lane in range(lanes):
                block[c, lane] = ones[source + lane]


@inner_kernel
def sum_pairs(block, cells, width, places, table, sums):
    """Sum f over the cells of the prefix with each of several binary places; f of every count is tabulated."""
    for i in range(places):
        sums[i] = 0.0
    for c in range(width):
        whole = cells[c, 0]
        for i in range(places):
            n = block[c, i]
            sums[i] += table[n] + table[whole - n]


@inner_kernel
def sum_block(block, cells, width, arity, places, table, function, a, sums):
    """
    Sum f over the cells of the prefix with each of several places of one arity.

    block : int32[combinations, lanes]   counts of the prefix's cells with each item of the places
    cells : int32[combinations, 1]       counts of the prefix's cells
    table : float64[L]                   f(n) for n < L
    sums : float64[places]               written
    """
    length = table.size
    for i in range(places):
        sums[i] = 0.0
    for c in range(width):
        whole = np.int64(cells[c, 0])
        if whole == 0:
            continue
        lane = 0
        for i in range(places):
            rest = whole
            total = 0.0
            for _ in range(arity - 1):
                n = np.int64(block[c, lane])
                lane += 1
                rest -= n
                total += table[n] if n < length else cell_term(n, function, a)
            sums[i] += total + (table[rest] if rest < length else cell_term(rest, function, a))


@inner_kernel
def finish_prefix(
    place, width, combination, full, fulls, stack, segment, projected, block, cells, leaf,
    arities, start, words, max_cells, ones, at, products, constants, table, function, a, store, values,
):  # fmt: skip
    """
    Value every set of a complete prefix and a smaller place that is counted by bitmaps.

    combination : combinations of the complete prefix
    full, fulls, stack : the full combinations of the prefix without its last place, and their bitmaps
    values : float64[last place of the prefix]   written
    """
    d = place.size
    last = place[d - 1]
    number = width[d]
    for c in range(number):
        cells[c, 0] = combination[c, COUNT]
    subtract_known(cells, width, place, arities, cells.shape[1])
    x = 0
    while x < last and number * arities[x] <= max_cells:
        arity = arities[x]
        limit = max(block.shape[1] // max(arity - 1, 1), 1)
        stop = x
        while stop < last and arities[stop] == arity and stop - x < limit:
            stop += 1
        item = start[x]
        lanes = start[stop] - item
        read_smaller(block, combination, number, d, ones, at, item, lanes)
        for f in range(fulls):
            for s in range(start[last + 1] - start[last] if d > 1 else 1):
                state = full[f, STATE]
                if d > 1:
                    c = full[f, INDEX] + (s + 1) * width[d - 1]
                    begin, end = segment[state], segment[state + 1]
                    column = projected[start[last] + s]
                else:  # pairs: the bitmap of the top, without projection
                    c = full[f, INDEX]
                    begin, end = segment[0], leaf.size
                    column = words[start[last] + f]
                and_item(stack, full[f, BITMAP], column, begin, end, leaf)
                sweep_rows(block[c], leaf, begin, end, projected, item, lanes)
                if store:
                    to = at[d + 1] + combination[c, RANK + 2] + item
                    for lane in range(lanes):
                        ones[to + lane] = block[c, lane]
        subtract_known(block, width, place, arities, lanes)
        product = find_product(products, float(number) * arity)  # Sweep has tabulated it
        row, spread = (product, a / (number * arity)) if function == RISING_SPREAD else (0, a)
        if arity == 2 and table.shape[1] > combination[0, COUNT]:
            sum_pairs(block, cells, number, stop - x, table[row], values[x:])
        else:
            sum_block(block, cells, number, arity, stop - x, table[row], function, spread, values[x:])
        for i in range(x, stop):
            values[i] += constants[product]
        x = stop


@inner_kernel
def new_prefix(arities, start, total, top, d, capacity, binomial, ones, at):
    """
    Return a prefix with room for d places that consists of the top: its places, and the combinations of its digits.

    The arrays are the first arguments of finish_prefix; `full` and `fulls` have a row for each length.
    """
    place = np.empty(d, np.int64)
    width = np.empty(d + 1, np.int64)
    combination = np.zeros((d + 1, capacity, d + 5), np.int64)
    full = np.empty((d + 1, capacity, 3), np.int64)
    fulls = np.empty(d + 1, np.int64)
    place[0] = top
    width[0] = 1
    combination[0, 0, COUNT] = total
    extend_combinations(combination, width, np.int64(1), d, start[top], start[top + 1], binomial, ones, at)
    fulls[1] = arities[top] - 1
    for s in range(fulls[1]):
        full[1, s, INDEX] = s + 1
        full[1, s, STATE] = s
        full[1, s, BITMAP] = -1
    return place, width, combination, full, fulls


@inner_kernel
def sweep_top(
    arities, start, words, sizes, total, max_cells, binomial, ones, at, terms,
    size, top, lowest, highest, capacity, store, offset, values,
):  # fmt: skip
    """
    Value all sets of one size whose largest place is `top` and whose second is in lowest:highest.

    offset : index in `values` less the rank of a set among those of this top

    All other arguments are as in sweep_piece.
    """
    d = size - 1
    states = arities[top] - 1
    if start[top + 1] - start[top] != states or arities[top] > max_cells:
        return
    function, a, _, _, _, products, constants, table = terms
    if d == 2 and arities[top] == 2 and max_cells >= 8 and table.shape[1] > total:
        n_constant = np.int64(0)
        while arities[n_constant] == 1:
            n_constant += 1
        if start[top] == top - n_constant and highest > n_constant:  # all binary places have bitmaps
            projected, by_word = project_on_item(words, sizes, start[top], highest - n_constant)
            sweep_triples(
                projected, by_word, total, binomial, ones, at, terms, n_constant, top, max(lowest, n_constant), highest,
                store, offset, np.empty(total + 4), values,
            )  # fmt: skip
            highest = min(highest, n_constant)
    if highest <= lowest and d > 1:
        return
    segment = np.zeros(states + 1, np.int64)
    projected = words
    if d > 1:
        projected = project_on_top(words, sizes, start[top], start[top + 1], start[highest], segment)
    place, width, combination, full, fulls = new_prefix(arities, start, total, top, d, capacity, binomial, ones, at)
    stack = np.empty((d + 1, max(1, capacity // arities[top]) * max(segment[states], 1)), np.uint64)
    block = np.empty((capacity, max(min(LANES, (1 << 21) // capacity), arities[top])), np.int32)
    cells = np.empty((capacity, 1), np.int32)
    leaf = np.empty(words.shape[1], np.uint64)
    depth = np.int64(1)
    if d > 1:
        depth = 2
        place[1] = lowest - 1
    while True:
        if d > 1:
            p = place[depth - 1] + 1
            place[depth - 1] = p
            if p >= (place[depth - 2] if depth > 2 else highest) or width[depth - 1] * arities[p] > max_cells:
                depth -= 1
                if depth == 1:
                    return
                continue
            extend_combinations(combination, width, depth, d, start[p], start[p + 1], binomial, ones, at)
            if depth < d:
                extend_bitmaps(full, fulls, stack, width, depth, start[p], start[p + 1], segment, projected)
                depth += 1
                place[depth - 1] = -1
                continue
        rank = offset
        for t in range(1, d):
            rank += binomial[place[t], size - t]
        finish_prefix(
            place, width, combination[d], full[max(d - 1, 1)], fulls[max(d - 1, 1)], stack[max(d - 1, 1)],
            segment, projected, block, cells, leaf, arities, start, words, max_cells, ones, at,
            products, constants, table, function, a, store, values[rank:],
        )  # fmt: skip
        if d == 1:
            return


@kernel
def sweep_piece(
    arities, start, words, sizes, total, max_cells, binomial, ones, at, terms,
    size, bottom, top, lowest, highest, capacity, store, values,
):  # fmt: skip
    """
    Value all sets of one size whose largest place, t, is in bottom:top + 1 and whose second is in lowest:highest.

    Only those are visited that bitmaps serve (max_cells); the rest of `values` is left alone.

    arities ... max_cells : fields of Columns
    binomial : int64[items + 1, size + 2]   binomial coefficients
    ones : int32[...]      number of rows with all the items of a set, by size and rank
    at : int64[size + 1]   where the sets of each size begin in `ones`
    terms : see kernels_terms
    capacity : the most combinations that a prefix of size - 1 places may have
    store : True if the items' counts are written to `ones` for the next size
    values : float64[...]  written, at the set's rank less that of the piece's first set
    """
    first = first_rank(size, bottom, lowest, binomial)
    for t in range(bottom, top + 1):
        sweep_top(
            arities, start, words, sizes, total, max_cells, binomial, ones, at, terms,
            size, t, lowest, min(highest, t), capacity, store, binomial[t, size] - first, values,
        )  # fmt: skip
