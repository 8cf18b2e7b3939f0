"""The joint counts of one set, in three representations with the same result."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.columns import Columns
from bnsearch.counting.kernels_histogram import (
    CELLS_PER_ROW,
    FEW_CELLS,
    clear,
    extend_dense,
    extend_sparse,
    max_dense_cells,
    serves_bitmaps,
    sort_labels,
)
from bnsearch.kernels.bits import count_and, popcount
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.tuples import KernelTuple

# Scratch memory for counting sets one after the other: a plain tuple of
#   label      int32[2, rows]     labels of the rows, for the variables so far and with the next one
#   order      int32[rows]        rows by label
#   begin      int32[rows + 1]    index of each label's first row in `order`
#   histogram  int32[...]         counts of cells
#   stack      uint64[depths, W]  bitmaps
#   cells      int64[rows + 1]    result: cells that occur, as mixed-radix numbers
#   counts     int64[rows + 1]    result: their counts
LABEL, ORDER, BEGIN, HISTOGRAM, STACK, CELLS, COUNTS = range(7)
Scratch = KernelTuple


def new_scratch(columns: Columns, largest: int) -> Scratch:
    """Return scratch memory for sets of up to `largest` places."""
    rows = len(columns.weights)
    return KernelTuple(
        (
            np.empty((2, rows), dtype=np.int32),
            np.empty(rows, dtype=np.int32),
            np.empty(rows + 1, dtype=np.int32),
            np.empty(max(CELLS_PER_ROW * rows, FEW_CELLS, int(columns.arities.max())), dtype=np.int32),
            np.empty((largest + 1, columns.words.shape[1]), dtype=np.uint64),
            np.empty(rows + 1, dtype=np.int64),
            np.empty(rows + 1, dtype=np.int64),
        )
    )


@inner_kernel
def split_off(rest, column, part):
    """Move the rows of `column` from the bitmap `rest` to the bitmap `part`; return their number."""
    total = np.uint64(0)
    for w in range(rest.size):
        both = rest[w] & column[w]
        part[w] = both
        rest[w] ^= both
        total += popcount(both)
    return np.int64(total)


@inner_kernel
def count_by_bitmaps(arities, start, words, states, modes, total, places, stack, cells, counts):
    """Count a set by splitting the rows by one variable after the other; empty parts are not split further."""
    k = places.size
    item = np.empty(k, np.int64)  # the next item to split off at each depth
    left = np.empty(k, np.int64)  # number of remaining rows at each depth
    cell = np.zeros(k + 1, np.int64)
    found = 0
    for w in range(stack.shape[1]):
        stack[0, w] = ~np.uint64(0)
    if total & 63:
        stack[0, stack.shape[1] - 1] = (np.uint64(1) << np.uint64(total & 63)) - np.uint64(1)
    depth = 0
    item[0] = start[places[0]]
    left[0] = total
    while depth >= 0:
        stop = start[places[depth] + 1]
        if left[depth] == 0 or item[depth] > stop:
            depth -= 1
            continue
        base = cell[depth] * arities[places[depth]]
        if depth == k - 1:  # the last variable: only counts are needed
            if item[depth] < stop:
                n = count_and(stack[depth], words[item[depth]])
                cells[found] = base + states[item[depth]]
            else:
                n = left[depth]
                cells[found] = base + modes[places[depth]]
            counts[found] = n
            found += n > 0
        elif item[depth] < stop:
            n = split_off(stack[depth], words[item[depth]], stack[depth + 1])
            cell[depth + 1] = base + states[item[depth]]
        else:  # the remaining rows have the state without a bitmap
            n = left[depth]
            for w in range(stack.shape[1]):
                stack[depth + 1, w] = stack[depth, w]
            cell[depth + 1] = base + modes[places[depth]]
        left[depth] -= n
        item[depth] += 1
        if n > 0 and depth < k - 1:
            depth += 1
            left[depth] = n
            item[depth] = start[places[depth]]
    return found


@inner_kernel
def count_by_codes(codes, weights, unit, arities, places, code, histogram, cells, counts):
    """Count a set in one histogram over all its cells."""
    size = np.int64(1)
    clear(code, code.size)
    for i in range(places.size):
        arity = np.int32(arities[places[i]])
        states = codes[places[i]]
        size *= arity
        for row in range(code.size):
            code[row] = code[row] * arity + np.int32(states[row])
    clear(histogram, size)
    if unit:
        for row in range(code.size):
            histogram[np.uint32(code[row])] += 1
    else:
        for row in range(code.size):
            histogram[np.uint32(code[row])] += weights[row]
    found = 0
    for i in range(size):
        if histogram[i] > 0:
            cells[found] = i
            counts[found] = histogram[i]
            found += 1
    return found


@inner_kernel
def label_rows(codes, arities, dense, places, label, order, begin, histogram):
    """
    Label the rows by the cells of some places; return the number of labels.

    label : int32[2, rows]   written; the labels are in label[places.size & 1]
    order, begin, histogram : scratch
    """
    number = np.int64(1)
    clear(label[0], label.shape[1])
    for i in range(places.size):
        states, arity = codes[places[i]], arities[places[i]]
        source, target = label[i & 1], label[1 - (i & 1)]
        if dense and number * arity <= max_dense_cells(label.shape[1]):
            number = extend_dense(source, number, states, arity, histogram, target)
        else:
            sort_labels(source, number, order, begin)
            number = extend_sparse(order, begin, number, states, arity, histogram, target)
    return number


@inner_kernel
def count_by_labels(codes, weights, arities, dense, places, label, order, begin, histogram, cells, counts):
    """Count a set of any number of cells by labelling the rows by one variable after the other."""
    number = label_rows(codes, arities, dense, places, label, order, begin, histogram)
    last = label[places.size & 1]
    for i in range(number):
        counts[i] = 0
    for row in range(weights.size):
        if counts[last[row]] == 0:
            cell = np.int64(0)
            for i in range(places.size):
                cell = cell * arities[places[i]] + np.int64(codes[places[i], row])
            cells[last[row]] = cell
        counts[last[row]] += weights[row]
    return number


@inner_kernel
def cells_of(arities, places):
    """Return the number of cells of a set."""
    cells = 1.0
    for i in range(places.size):
        cells *= arities[places[i]]
    return cells


@kernel
def count_set(columns, scratch, places):
    """
    Count the joint table of the given places; return the number of cells that occur.

    The result is in the arrays `cells` (mixed-radix, the last place fastest) and `counts` of the scratch memory.

    columns : the fields of Columns, a plain tuple
    places : int64[k]
    """
    codes, weights, total, arities, start, words, _, states, modes, max_cells, dense = columns
    label, order, begin, histogram, stack, cells, counts = scratch
    if places.size == 0:
        cells[0] = 0
        counts[0] = total
        return 1
    size = cells_of(arities, places)
    bitmapped = size <= max_cells
    for i in range(places.size):
        bitmapped = bitmapped and serves_bitmaps(arities, start, places[i])
    if bitmapped:
        return count_by_bitmaps(arities, start, words, states, modes, total, places, stack, cells, counts)
    if dense and size <= max_dense_cells(weights.size):
        unit = weights.size == total
        return count_by_codes(codes, weights, unit, arities, places, label[0], histogram, cells, counts)
    return count_by_labels(codes, weights, arities, dense, places, label, order, begin, histogram, cells, counts)
