"""The scores of a family's extensions, summed over the cells of its parents, for all candidates together."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES, START, TOTAL
from bnsearch.counting.kernels_expand_scratch import RUN_BEGIN, RUN_END, RUN_PARENT_PRODUCT, RUN_PRODUCT
from bnsearch.counting.kernels_histogram import serves_bitmaps
from bnsearch.counting.kernels_terms import FUNCTION, PRODUCTS, find_product, table_of, term, terms_of
from bnsearch.kernels.compile import inner_kernel


@inner_kernel
def start_scores(columns, candidates, cells, wide, singles, joint, others, runs, scores):
    """
    Write the constants of each candidate's score, and the contributions of skipped cells of one row.

    Returns the number of runs of candidates that have bitmaps; runs : int64[4, places], written.
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
        if not serves_bitmaps(arities, start, candidates[begin]):  # no candidate with this number of states has bitmaps
            continue
        value, table, a = terms_of(joint, cells * arity * wide)
        parent_value, parent_table, parent_a = terms_of(others, cells * arity)
        value += singles * (term(one, table, joint[FUNCTION], a) - term(one, parent_table, others[FUNCTION], parent_a))
        for i in range(begin, stop):
            scores[i] = value - parent_value
        runs[RUN_BEGIN, number] = begin
        runs[RUN_END, number] = stop
        runs[RUN_PRODUCT, number] = find_product(joint[PRODUCTS], cells * arity * wide)
        runs[RUN_PARENT_PRODUCT, number] = find_product(others[PRODUCTS], cells * arity)
        number += 1
    return number


@inner_kernel
def add_binary(start, candidates, here, items, table, parent_table, scores):
    """
    Do the same as add_any if the child and the candidates have two states and f of every count is tabulated.

    The result does not depend on which of a candidate's two states has the bitmap.
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
    """Do the same as add_cell for candidates of one number of states; joint, others : form of f of both terms."""
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
    Add the contribution of one cell of the parents to the score with each candidate that has bitmaps.

    cells : number of cells of the parents
    here : int32[states]             number of rows of the cell with each state of the child
    items : int32[states, width]     the same for rows with each item
    runs, number : results of start_scores
    scores : float64[candidates]     changed
    """
    total, arities, start = columns[TOTAL], columns[ARITIES], columns[START]
    for i in range(number):
        begin, stop = runs[RUN_BEGIN, i], runs[RUN_END, i]
        run, added = candidates[begin:stop], scores[begin:stop]
        arity = arities[run[0]]
        table, a = table_of(joint, runs[RUN_PRODUCT, i], cells * arity * here.size)
        parent_table, parent_a = table_of(others, runs[RUN_PARENT_PRODUCT, i], cells * arity)
        if arity == 2 and here.size == 2 and min(table.size, parent_table.size) > total:
            add_binary(start, run, here, items, table, parent_table, added)
        else:
            add_any(start, run, here, items, joint[FUNCTION], table, a, others[FUNCTION], parent_table, parent_a, added)
