"""Extensions of a family counted by histograms over its labelled rows (see kernels_histogram)."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_expand_bitmaps import is_counted_by_bitmaps
from bnsearch.counting.kernels_expand_scratch import BEGIN, COUNTS, FAMILY, LABEL, ORDER
from bnsearch.counting.kernels_histogram import clear, count_dense, max_dense_cells, sort_labels, sum_sparse
from bnsearch.counting.kernels_set import cells_of, label_rows
from bnsearch.counting.kernels_terms import FUNCTION, term, terms_of
from bnsearch.kernels.compile import inner_kernel


@inner_kernel
def with_child(parents, child, family):
    """Return the parents followed by the child; family : int64[...], written."""
    for i in range(parents.size):
        family[i] = parents[i]
    family[parents.size] = child
    return family[: parents.size + 1]


@inner_kernel
def score_counts(counts, number, states, arity, cells, joint, others):
    """
    Return the score of a child from its counts by parent cell, state of the child and state of the last parent.

    counts : int32[number * states * arity]
    cells : number of cells of the parents without the last one, which has `arity` states
    """
    value, table, a = terms_of(joint, cells * states * arity)
    parent_value, parent_table, parent_a = terms_of(others, cells * arity)
    for cell in range(number):
        begin = cell * states * arity
        for z in range(arity):
            together = np.int64(0)
            for i in range(begin + z, begin + states * arity, arity):
                n = np.int64(counts[i])
                if n > 0:
                    together += n
                    value += term(n, table, joint[FUNCTION], a)
            if together > 0:
                parent_value += term(together, parent_table, others[FUNCTION], parent_a)
    return value - parent_value


@inner_kernel
def value_labels(labels, number, weights, counts, cells, terms):
    """Return the value of the set whose cells are labelled; counts : int32[labels], scratch."""
    value, table, a = terms_of(terms, cells)
    clear(counts, number)
    for row in range(labels.size):
        counts[labels[row]] += weights[row]
    for i in range(number):
        value += term(np.int64(counts[i]), table, terms[FUNCTION], a)
    return value


@inner_kernel
def value_sparse(columns, places, candidates, terms, sign, least, scratch, scores):
    """
    Add sign * the value of some places with each candidate of at least `least` states, counted label by label.

    scores : float64[candidates]   changed
    """
    codes, weights, _, arities, _, _, _, _, _, _, dense = columns
    label, order, begin, counts = scratch[LABEL], scratch[ORDER], scratch[BEGIN], scratch[COUNTS]
    number = label_rows(codes, arities, dense, places, label, order, begin, counts)
    sort_labels(label[places.size & 1], number, order, begin)
    cells = cells_of(arities, places)
    for i in range(candidates.size):
        y = candidates[i]
        if arities[y] >= least:
            value, table, a = terms_of(terms, cells * arities[y])
            value += sum_sparse(order, begin, number, codes[y], arities[y], weights, counts, table, terms[FUNCTION], a)
            scores[i] += sign * value


@inner_kernel
def extend_by_histograms(columns, child, parents, candidates, served, max_cells, joint, others, scratch, scores):
    """
    Score a child with its parents and each candidate not counted by bitmaps; return the score without candidates.

    Rows are counted by parent cell, child and candidate in one pass if that histogram is not much larger than the
    number of rows. Candidates of more states are counted label by label, for the family and for its parents.

    served, max_cells : as in is_counted_by_bitmaps
    """
    codes, weights, total, arities, start, _, _, _, _, _, dense = columns
    label, order, begin, counts = scratch[LABEL], scratch[ORDER], scratch[BEGIN], scratch[COUNTS]
    unit = weights.size == total
    number = label_rows(codes, arities, dense, parents, label, order, begin, counts)
    labels, both = label[parents.size & 1], label[1 - (parents.size & 1)]
    states = arities[child]
    cells = cells_of(arities, parents)
    least = np.int64(0)  # smallest number of states of a candidate that is counted label by label
    if number * states <= max_dense_cells(weights.size):
        if dense:
            least = max_dense_cells(weights.size) // (number * states) + 1
        for row in range(labels.size):
            both[row] = labels[row] * np.int32(states) + np.int32(codes[child, row])
        count_dense(labels, number, codes[child], states, weights, unit, counts)
        own = score_counts(counts, number, states, np.int64(1), cells, joint, others)
    else:
        own = -value_labels(labels, number, weights, counts, cells, others)
        family = with_child(parents, child, scratch[FAMILY])
        number = label_rows(codes, arities, dense, family, label, order, begin, counts)
        own += value_labels(label[family.size & 1], number, weights, counts, cells * states, joint)
    any_sparse = False
    for i in range(candidates.size):
        y = candidates[i]
        if is_counted_by_bitmaps(arities, start, max_cells, served, cells * states, y):
            continue
        if arities[y] >= least:
            any_sparse = True
            continue
        count_dense(both, number * states, codes[y], arities[y], weights, unit, counts)
        scores[i] = score_counts(counts, number, states, arities[y], cells, joint, others)
    if any_sparse:
        for i in range(candidates.size):
            if arities[candidates[i]] >= least:
                scores[i] = 0.0
        family = with_child(parents, child, scratch[FAMILY])
        value_sparse(columns, family, candidates, joint, 1.0, least, scratch, scores)
        value_sparse(columns, parents, candidates, others, -1.0, least, scratch, scores)
    return own
