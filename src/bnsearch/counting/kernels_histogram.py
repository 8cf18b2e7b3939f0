"""
Counting by histograms over rows: any arity, memory bounded by the number of rows.

The rows carry the *label* of their cell in the joint table of some variables; labels are dense, given out in the order
in which cells appear, so there are never more labels than rows. One more variable is counted in one pass: in a
histogram of labels x arity while that is not much larger than the number of rows ("dense"), otherwise label by label, in
one histogram over the new variable's states that is used again for each label ("sparse").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.kernels_terms import cell_term, constant_of, row_of
from bnsearch.kernel import kernel

CELLS_PER_ROW = 2  # a dense histogram has at most this many cells a row, and a few thousand in any case
FEW_CELLS = 4096


class Labels(NamedTuple):
    """Rows labelled by the cells of a growing list of variables (depth)."""

    label: NDArray[np.int32]  # [depths, rows]
    number: NDArray[np.int64]  # [depths] how many labels
    order: NDArray[np.int32]  # [rows] the rows by label, for the depth `sorted` says
    begin: NDArray[np.int64]  # [rows + 1] where each label's rows begin in `order`
    sorted: NDArray[np.int64]  # [1] the depth that `order` and `begin` are for, or -1
    counts: NDArray[np.int32]  # scratch: a histogram


@kernel
def new_labels(columns, depths):
    """Return Labels whose depth 0 puts all rows in one cell."""
    rows = columns.weights.size
    widest = np.int64(1)
    for place in range(columns.arities.size):
        widest = max(widest, columns.arities[place])
    labels = Labels(
        np.empty((depths, rows), np.int32),
        np.ones(depths, np.int64),
        np.empty(rows, np.int32),
        np.empty(rows + 1, np.int64),
        np.full(1, -1, np.int64),
        np.empty(max(widest, CELLS_PER_ROW * rows, FEW_CELLS), np.int32),
    )
    labels.label[0, :] = 0
    return labels


@kernel
def is_dense(columns, labels, arity):
    """Tell whether a histogram of labels x arity is worth its cells."""
    return columns.dense and labels * arity <= max(CELLS_PER_ROW * columns.weights.size, FEW_CELLS)


@kernel
def sort_labels(labels, depth):
    """Order the rows by the labels of a depth, unless they are so already."""
    if labels.sorted[0] == depth:
        return
    label = labels.label[depth]
    number = labels.number[depth]
    labels.begin[: number + 1] = 0
    for row in range(label.size):
        labels.begin[label[row] + 1] += 1
    for i in range(number):
        labels.begin[i + 1] += labels.begin[i]
    for row in range(label.size):
        i = label[row]
        labels.order[labels.begin[i]] = row
        labels.begin[i] += 1
    for i in range(number, 0, -1):
        labels.begin[i] = labels.begin[i - 1]
    labels.begin[0] = 0
    labels.sorted[0] = depth


@kernel
def extend_labels(columns, labels, depth, place):
    """Label the rows by the cells of this depth's variables and one more; the result is the next depth."""
    source = labels.label[depth]
    target = labels.label[depth + 1]
    codes = columns.codes[place]
    arity = columns.arities[place]
    number = labels.number[depth]
    given = 0
    if is_dense(columns, number, arity):
        seen = labels.counts
        seen[: number * arity] = -1
        for row in range(source.size):
            cell = np.int64(source[row]) * arity + np.int64(codes[row])
            if seen[cell] < 0:
                seen[cell] = given
                given += 1
            target[row] = seen[cell]
    else:
        sort_labels(labels, depth)
        seen = labels.counts
        seen[:arity] = -1
        for i in range(number):
            oldest = given  # labels below this belong to earlier cells
            for j in range(labels.begin[i], labels.begin[i + 1]):
                row = labels.order[j]
                state = codes[row]
                if seen[state] < oldest:
                    seen[state] = given
                    given += 1
                target[row] = seen[state]
    labels.number[depth + 1] = given
    if labels.sorted[0] == depth + 1:
        labels.sorted[0] = -1


@kernel
def count_dense(columns, label, place, counts):
    """Count the cells of labels x states in one pass."""
    codes = columns.codes[place]
    arity = np.uint32(columns.arities[place])
    if columns.weights.size == columns.total:
        for row in range(label.size):
            counts[np.uint32(label[row]) * arity + np.uint32(codes[row])] += 1
    else:
        for row in range(label.size):
            counts[np.uint32(label[row]) * arity + np.uint32(codes[row])] += columns.weights[row]


@kernel
def value_with(columns, labels, depth, place, terms, cells):
    """Return the value of this depth's variables and one more, a set with this many cells."""
    arity = columns.arities[place]
    number = labels.number[depth]
    row_in_table, a = row_of(terms, cells)
    table = terms.table[max(row_in_table, 0)]
    length = table.size if row_in_table >= 0 else 0
    counts = labels.counts
    total = 0.0
    if is_dense(columns, number, arity):
        counts[: number * arity] = 0
        count_dense(columns, labels.label[depth], place, counts)
        for i in range(number * arity):
            n = counts[i]
            if n > 0:
                total += table[n] if n < length else cell_term(n, terms.function, a)
    else:
        sort_labels(labels, depth)
        codes = columns.codes[place]
        counts[:arity] = 0
        for i in range(number):
            for j in range(labels.begin[i], labels.begin[i + 1]):
                row = labels.order[j]
                counts[codes[row]] += columns.weights[row]
            for j in range(labels.begin[i], labels.begin[i + 1]):
                state = codes[labels.order[j]]
                n = counts[state]
                if n > 0:
                    total += table[n] if n < length else cell_term(n, terms.function, a)
                    counts[state] = 0
    return total + constant_of(terms, cells)


@kernel
def value_places(columns, terms, values):
    """Value every place by itself; values : float64[places], written."""
    labels = new_labels(columns, 1)
    for place in range(values.size):
        values[place] = value_with(columns, labels, 0, place, terms, float(columns.arities[place]))


@kernel
def first_beyond_bitmaps(columns, bitmapped, cells, below):
    """Return the first place under `below` with which a prefix of this many cells is not counted by bitmaps."""
    if not bitmapped or cells > columns.most_cells:
        return 0
    x = below
    while x > 0 and (
        cells * columns.arities[x - 1] > columns.most_cells
        or columns.start[x] - columns.start[x - 1] != columns.arities[x - 1] - 1
    ):
        x -= 1
    return x


@kernel
def any_beyond_bitmaps(columns, bitmapped, cells, below, more):
    """Tell whether some set of a prefix and `more` places under `below` is not counted by bitmaps."""
    if below < more:
        return False
    for i in range(more):
        place = below - 1 - i
        cells *= columns.arities[place]
        bitmapped = bitmapped and columns.start[place + 1] - columns.start[place] == columns.arities[place] - 1
    return not bitmapped or cells > columns.most_cells


@kernel
def count_top(columns, binomial, terms, size, top, lowest, highest, values):
    """
    Value all sets of one size whose largest place is `top`, second in lowest:highest, that bitmaps do not serve.

    binomial : int64[places + 1, size + 1]
    values : float64[binomial(top, size - 1)]   written, at the set's rank less binomial(top, size)
    """
    d = size - 1
    place = np.empty(d, np.int64)
    cells = np.empty(d + 1, np.float64)
    bitmapped = np.empty(d + 1, np.bool_)
    place[0] = top
    cells[1] = columns.arities[top]
    bitmapped[1] = columns.start[top + 1] - columns.start[top] == columns.arities[top] - 1
    if not any_beyond_bitmaps(columns, bitmapped[1], cells[1], top, d):
        return
    labels = new_labels(columns, d + 1)
    extend_labels(columns, labels, 0, top)
    depth = 1
    if d > 1:
        depth = 2
        place[1] = lowest - 1
    while depth > 0:
        if d > 1:
            p = place[depth - 1] + 1
            place[depth - 1] = p
            if p >= (place[depth - 2] if depth > 2 else highest):
                depth -= 1
                if depth == 1:
                    return
                continue
            cells[depth] = cells[depth - 1] * columns.arities[p]
            bitmapped[depth] = bitmapped[depth - 1] and (
                columns.start[p + 1] - columns.start[p] == columns.arities[p] - 1
            )
            if not any_beyond_bitmaps(columns, bitmapped[depth], cells[depth], p, d - depth + 1):
                continue
            extend_labels(columns, labels, depth - 1, p)
            if depth < d:
                depth += 1
                place[depth - 1] = -1
                continue
        at = 0
        for t in range(1, d):
            at += binomial[place[t], size - t]
        last = place[d - 1]
        for x in range(first_beyond_bitmaps(columns, bitmapped[d], cells[d], last), last):
            values[at + x] = value_with(columns, labels, d, x, terms, cells[d] * columns.arities[x])
        if d == 1:
            return
