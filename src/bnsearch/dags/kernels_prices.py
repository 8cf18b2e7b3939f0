"""The prices of all families of a graph, and a memory of those met before."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.kernels_graph import edge_key
from bnsearch.dags.kernels_price import price_row
from bnsearch.kernels.compile import inner_kernel

# What has happened to a family since it was priced: nothing, a new climb began, it got a parent, it lost one.
UP_TO_DATE, STARTED, GREW, SHRANK = 0, 1, 2, 3

# What one change of each family's parents gains: a plain tuple of
#   gain    float64[n, n]   [y, x]: what y's local score gains when x becomes its parent or ceases to be one; minus
#                           infinity where that is not allowed
#   own     float64[n]      local scores
#   top     float64[n]      the highest gain of each row
#   bound   float64[n]      an upper bound of the highest gain of each row among the changes that close no cycle
#   stale   int8[n]         whether each row is out of date: UP_TO_DATE, or what has happened to the family since
#   exact   bool[n, n]      which gains are computed; the others are estimated
Prices = tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int8],
    NDArray[np.bool_],
]

# Prices of families seen before, in a ring of rows: a plain tuple of
#   slot     int64[slots]          where to find the row of a family, by its key; the number of slots is a power of two
#   child    int64[R]              the family of each row; -1 where there is none yet
#   parents  uint64[R, W]
#   rows     float64[R, n + 1]     gains, and the family's own score
#   written  int64[1]              how many rows were ever written
Memory = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]


@inner_kernel
def slot_of(memory, graph, y):
    """Return the slot of y's family as it is."""
    return np.int64((graph[3][y] ^ edge_key(graph[2].size, y, y)) & np.uint64(memory[0].size - 1))


@inner_kernel
def price_family(pricer, memory, graph, y):
    """Price all changes of y's family, and remember them; return how many scores were computed."""
    slot, child, parents, rows, written = memory
    row = written[0] % child.size
    written[0] += 1
    child[row] = y
    slot[slot_of(memory, graph, y)] = row
    for w in range(parents.shape[1]):
        parents[row, w] = graph[0][y, w]
    return price_row(pricer, graph, y, rows[row])


@inner_kernel
def load_row(memory, graph, prices, y):
    """Bring the prices of y's family up to date; return how many there are, none if they are not remembered."""
    slot, child, parents, rows, _ = memory
    gain, own, top, bound, stale, exact = prices
    row = slot[slot_of(memory, graph, y)]
    known = child[row] == y
    for w in range(parents.shape[1]):
        known = known and parents[row, w] == graph[0][y, w]
    if not known:
        return 0
    number = 1
    top[y] = -np.inf
    for x in range(own.size):
        gain[y, x] = rows[row, x]
        exact[y, x] = True
        top[y] = max(top[y], gain[y, x])
        number += gain[y, x] > -np.inf
    bound[y] = top[y]
    own[y] = rows[row, own.size]
    stale[y] = UP_TO_DATE
    return number
