"""
Values of all sets of one size by groups of rows: any arity, memory bounded by the number of rows.

Sets are visited as a prefix of places and every smaller place x, in the order of kernels_lattice. The rows that agree
on the prefix are counted by their states of x (see kernels_row_groups).
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_histogram import (
    clear,
    max_dense_cells,
    new_counts,
    serves_bitmaps,
    sort_labels,
    sum_dense,
    sum_sparse,
)
from bnsearch.counting.kernels_prefix import first_rank
from bnsearch.counting.kernels_row_groups import split_prefix, sum_groups, sum_sorted_groups
from bnsearch.counting.kernels_terms import FUNCTION, term, terms_of
from bnsearch.kernels.compile import inner_kernel, kernel


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
    # For each length of the prefix: the groups of all rows, or of the listed rows if there is a list.
    label = np.zeros((d + 1, n), np.int32)
    rows = np.empty((d + 1, n), np.int32)  # the list
    listed = np.full(d + 1, -1, np.int64)  # its length, or -1 if there is no list
    number = np.ones(d + 1, np.int64)  # number of groups
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
