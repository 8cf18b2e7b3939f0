"""Scores of the extensions of one family, summed over the cells of its parents, all candidates at a time."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.columns import ARITIES, START, TOTAL
from bnsearch.counting.kernels_histogram import serves_bitmaps
from bnsearch.counting.kernels_terms import FUNCTION, PRODUCTS, find_product, table_of, term, terms_of
from bnsearch.kernels.compile import inner_kernel


@inner_kernel
def start_scores(columns, candidates, cells, wide, singles, joint, others, runs, scores):
    """
    Write the constants of each candidate's score, and what skipped cells of one row contribute.

    Returns how many runs of candidates that have bitmaps there are; runs : int64[4, places], written.
    """
    arities, start = columns[ARITIES], columns[START]
    one = np.int64(1)
    number = 0
    stop = 0
    while stop < candidates.size:
        begin = stop
        arity = arities[candidates[begin]]
        while stop < candidates.size and arities[candidates[stop]] == arity:
            stop += 1
        if not serves_bitmaps(arities, start, candidates[begin]):  # nor does any other of so many states
            continue
        value, table, a = terms_of(joint, cells * arity * wide)
        parent_value, parent_table, parent_a = terms_of(others, cells * arity)
        value += singles * (term(one, table, joint[FUNCTION], a) - term(one, parent_table, others[FUNCTION], parent_a))
        for i in range(begin, stop):
            scores[i] = value - parent_value
        runs[0, number] = begin
        runs[1, number] = stop
        runs[2, number] = find_product(joint[PRODUCTS], cells * arity * wide)
        runs[3, number] = find_product(others[PRODUCTS], cells * arity)
        number += 1
    return number


@inner_kernel
def add_binary(start, candidates, here, items, table, parent_table, scores):
    """
    Do as add_any where the child and the candidates have two states, and f of every count is tabulated.

    It does not matter which of the two states of a candidate has the bitmap.
    """
    zeros, ones = np.uint32(here[0]), np.uint32(here[1])
    rows = np.uint32(zeros + ones)
    for i in range(candidates.size):
        item = start[candidates[i]]
        zero, one = np.uint32(items[0, item]), np.uint32(items[1, item])
        both = np.uint32(zero + one)
        value = table[zero] + table[one] - parent_table[both]
        value += table[np.uint32(zeros - zero)] + table[np.uint32(ones - one)] - parent_table[np.uint32(rows - both)]
        scores[i] += value


@inner_kernel
def add_any(start, candidates, here, items, joint, table, a, others, parent_table, parent_a, scores):
    """Do as add_cell for candidates of one number of states; joint ... parent_a : which f, and as of table_of."""
    for i in range(candidates.size):
        begin, stop = start[candidates[i]], start[candidates[i] + 1]
        value = 0.0
        rest = np.int64(0)
        for s in range(here.size):
            rest += here[s]
        for item in range(begin, stop):
            together = np.int64(0)
            for s in range(here.size):
                together += items[s, item]
                value += term(np.int64(items[s, item]), table, joint, a)
            rest -= together
            value -= term(together, parent_table, others, parent_a)
        for s in range(here.size):  # the candidate's state without a bitmap
            n = np.int64(here[s])
            for item in range(begin, stop):
                n -= items[s, item]
            value += term(n, table, joint, a)
        scores[i] += value - term(rest, parent_table, others, parent_a)


@inner_kernel
def add_cell(columns, candidates, cells, here, items, joint, others, runs, number, scores):
    """
    Add what one cell of the parents contributes to the score with each candidate that has bitmaps.

    cells : how many the parents have in all
    here : int32[states]             rows of the cell by state of the child
    items : int32[states, width]     of these, those with each item
    runs, number : of start_scores
    scores : float64[candidates]     added to
    """
    total, arities, start = columns[TOTAL], columns[ARITIES], columns[START]
    for i in range(number):
        begin, stop = runs[0, i], runs[1, i]
        run, added = candidates[begin:stop], scores[begin:stop]
        arity = arities[run[0]]
        table, a = table_of(joint, runs[2, i], cells * arity * here.size)
        parent_table, parent_a = table_of(others, runs[3, i], cells * arity)
        if arity == 2 and here.size == 2 and min(table.size, parent_table.size) > total:
            add_binary(start, run, here, items, table, parent_table, added)
        else:
            add_any(start, run, here, items, joint[FUNCTION], table, a, others[FUNCTION], parent_table, parent_a, added)
