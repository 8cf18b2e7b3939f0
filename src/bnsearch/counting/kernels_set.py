"""The joint counts of one set: three representations, one contract."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.kernels_bits import count_and, popcount
from bnsearch.counting.kernels_histogram import CELLS_PER_ROW, FEW_CELLS, Labels, extend_labels, new_labels
from bnsearch.kernel import kernel


class Scratch(NamedTuple):
    """Memory that counting one set after another uses again."""

    labels: Labels  # two depths, used in turn
    codes: NDArray[np.int32]  # [rows] cells of the rows
    stack: NDArray[np.uint64]  # [depths, W] bitmaps
    cells: NDArray[np.int64]  # [rows + 1] result: cells that occur, as mixed-radix numbers
    counts: NDArray[np.int64]  # [rows + 1] result: how often


@kernel
def new_scratch(columns, largest):
    """Return Scratch for sets of up to `largest` places."""
    rows = columns.weights.size
    return Scratch(
        new_labels(columns, 2),
        np.empty(rows, np.int32),
        np.empty((largest + 1, columns.words.shape[1]), np.uint64),
        np.empty(columns.total + 1, np.int64),
        np.empty(columns.total + 1, np.int64),
    )


@kernel
def split_off(rest, column, part):
    """Move the rows of `column` from the bitmap `rest` to the bitmap `part`; return their number."""
    total = np.uint64(0)
    for w in range(rest.size):
        both = rest[w] & column[w]
        part[w] = both
        rest[w] ^= both
        total += popcount(both)
    return np.int64(total)


@kernel
def count_last(columns, place, rest, n, cell, cells, counts, found):
    """Count the states of the last place among the n rows of a bitmap; return the cells found so far."""
    for item in range(columns.start[place], columns.start[place + 1]):
        if n == 0:
            return found
        here = count_and(rest, columns.words[item])
        if here > 0:
            cells[found] = cell + columns.states[item]
            counts[found] = here
            found += 1
            n -= here
    if n > 0:
        cells[found] = cell + columns.modes[place]
        counts[found] = n
        found += 1
    return found


@kernel
def count_by_bitmaps(columns, scratch, places):
    """Count a set by splitting the rows variable after variable; empty parts are not followed."""
    k = places.size
    stack = scratch.stack
    item = np.empty(k, np.int64)  # the next part to split off at each depth
    left = np.empty(k, np.int64)  # rows that are left there
    cell = np.zeros(k + 1, np.int64)
    found = 0
    for w in range(stack.shape[1]):
        stack[0, w] = ~np.uint64(0)
    if columns.total & 63:
        stack[0, stack.shape[1] - 1] = (np.uint64(1) << np.uint64(columns.total & 63)) - np.uint64(1)
    depth = 0
    item[0] = columns.start[places[0]]
    left[0] = columns.total
    while depth >= 0:
        place = places[depth]
        if depth == k - 1:
            found = count_last(
                columns, place, stack[depth], left[depth], cell[depth] * columns.arities[place],
                scratch.cells, scratch.counts, found,
            )  # fmt: skip
            depth -= 1
            continue
        if left[depth] == 0 or item[depth] > columns.start[place + 1]:
            depth -= 1
            continue
        base = cell[depth] * columns.arities[place]
        if item[depth] == columns.start[place + 1]:  # what is left has the state without a bitmap
            n = left[depth]
            for w in range(stack.shape[1]):
                stack[depth + 1, w] = stack[depth, w]
            cell[depth + 1] = base + columns.modes[place]
        else:
            n = split_off(stack[depth], columns.words[item[depth]], stack[depth + 1])
            cell[depth + 1] = base + columns.states[item[depth]]
        left[depth] -= n
        item[depth] += 1
        if n > 0:
            depth += 1
            left[depth] = n
            item[depth] = columns.start[places[depth]]
    return found


@kernel
def count_by_codes(columns, scratch, places):
    """Count a set in one histogram over all its cells."""
    codes = scratch.codes
    histogram = scratch.labels.counts
    codes[:] = 0
    size = 1
    for i in range(places.size):
        arity = np.int32(columns.arities[places[i]])
        states = columns.codes[places[i]]
        size *= columns.arities[places[i]]
        for row in range(codes.size):
            codes[row] = codes[row] * arity + np.int32(states[row])
    histogram[:size] = 0
    if columns.weights.size == columns.total:
        for row in range(codes.size):
            histogram[np.uint32(codes[row])] += 1
    else:
        for row in range(codes.size):
            histogram[np.uint32(codes[row])] += columns.weights[row]
    found = 0
    for i in range(size):
        if histogram[i] > 0:
            scratch.cells[found] = i
            scratch.counts[found] = histogram[i]
            found += 1
    return found


@kernel
def count_by_labels(columns, scratch, places):
    """Count a set of any number of cells by labelling the rows variable after variable."""
    labels = scratch.labels
    labels.number[0] = 1
    labels.label[0, :] = 0
    for i in range(places.size):
        labels.sorted[0] = -1
        extend_labels(columns, labels, 0, places[i])
        labels.label[0, :] = labels.label[1]
        labels.number[0] = labels.number[1]
    found = labels.number[0]
    scratch.counts[:found] = 0
    for row in range(columns.weights.size):
        label = labels.label[0, row]
        if scratch.counts[label] == 0:
            cell = np.int64(0)
            for i in range(places.size):
                cell = cell * columns.arities[places[i]] + np.int64(columns.codes[places[i], row])
            scratch.cells[label] = cell
        scratch.counts[label] += columns.weights[row]
    return found


@kernel
def cells_of(columns, places):
    """Return the number of cells of a set."""
    cells = 1.0
    for i in range(places.size):
        cells *= columns.arities[places[i]]
    return cells


@kernel
def count_set(columns, scratch, places):
    """
    Count the joint table of the given places; return how many cells occur.

    They stand in scratch.cells (mixed-radix, the last place fastest) and scratch.counts.
    """
    if places.size == 0:
        scratch.cells[0] = 0
        scratch.counts[0] = columns.total
        return 1
    cells = cells_of(columns, places)
    bitmapped = cells <= columns.most_cells
    for i in range(places.size):
        width = columns.start[places[i] + 1] - columns.start[places[i]]
        bitmapped = bitmapped and width == columns.arities[places[i]] - 1
    if bitmapped:
        return count_by_bitmaps(columns, scratch, places)
    if columns.dense and cells <= max(CELLS_PER_ROW * columns.weights.size, FEW_CELLS):
        return count_by_codes(columns, scratch, places)
    return count_by_labels(columns, scratch, places)
