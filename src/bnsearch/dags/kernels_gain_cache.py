"""Gains of all changes of a graph's families, and a cache of the gains of families met before."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.kernels_family_gains import UNFINISHED, VARIABLE, price_row
from bnsearch.dags.kernels_graph import KEYS, PARENTS, SIZES, edge_key
from bnsearch.kernels.compile import inner_kernel

# A gain table holds the gain of every single change of the parents of every variable: a plain tuple of
#   gain    float64[n, n]   [y, x]: gain of y's local score when x becomes its parent or ceases to be one; minus
#                           infinity where that is not allowed
#   own     float64[n]      local scores
#   top     float64[n]      highest gain of each row
#   bound   float64[n]      upper bound on the gains of each row among the changes that close no cycle
#   stale   bool[n]         True if the family has changed since its row was computed
GainTable = tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.bool_],
]
STALE = 4

# A cache holds the gains of families met before, in a ring of R rows: a plain tuple of
#   slot     int64[slots]          row of a family, by its key; the number of slots is a power of two
#   child    int64[R]              child of the family of each row; -1 for an unused row
#   parents  uint64[R, W]          parents of the family of each row
#   rows     float64[R, n + 1]     gains, and the family's own score
#   written  int64[1]              number of rows ever written
GainCache = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]
SLOT = 0


@inner_kernel
def find_slot(cache, graph, y):
    """Return the slot of y's present family."""
    key = graph[KEYS][y] ^ edge_key(graph[SIZES].size, y, y)
    return np.int64(key & np.uint64(cache[SLOT].size - 1))


@inner_kernel
def price_family(pricer, cache, graph, y, max_scores):
    """
    Compute the gains of all changes of y's family into the cache; return how many scores were computed.

    With more than about `max_scores` the family gets into the cache only after further calls.
    """
    slot, child, parents, rows, written = cache
    row = written[0] % child.size
    computed = price_row(pricer, graph, y, rows[row], max_scores)
    if pricer[UNFINISHED][VARIABLE] < 0:
        written[0] += 1
        child[row] = y
        slot[find_slot(cache, graph, y)] = row
        for w in range(parents.shape[1]):
            parents[row, w] = graph[PARENTS][y, w]
    return computed


@inner_kernel
def load_row(cache, graph, gain_table, y):
    """Bring y's row of the gain table up to date; return its number of scores, 0 if the family is not in the cache."""
    slot, child, parents, rows, _ = cache
    gain, own, top, bound, stale = gain_table
    row = slot[find_slot(cache, graph, y)]
    known = child[row] == y
    for w in range(parents.shape[1]):
        known = known and parents[row, w] == graph[PARENTS][y, w]
    if not known:
        return 0
    number = 1
    top[y] = -np.inf
    for x in range(own.size):
        gain[y, x] = rows[row, x]
        top[y] = max(top[y], gain[y, x])
        number += gain[y, x] > -np.inf
    bound[y] = top[y]
    own[y] = rows[row, own.size]
    stale[y] = False
    return number
