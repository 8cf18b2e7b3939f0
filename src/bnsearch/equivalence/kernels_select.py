"""Choosing among the listed operators: the best, or the best after noise, of those that pass the path test."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.equivalence.kernels_examine import best_after
from bnsearch.equivalence.kernels_graph import NOTHING, SUBSET, has, size_of
from bnsearch.equivalence.kernels_lawful import leads_to_lawful
from bnsearch.equivalence.kernels_operators import (
    DELETE,
    INSERT,
    find_candidates,
    find_kept,
    find_reach,
    is_blocked,
    next_subset,
    passes_clique_test,
)
from bnsearch.kernels.compile import inner_kernel, kernel

# An operator as it is handed out, int64[5 + n]: where it stands in the pool, kind, x, y, the size of its subset, the
# members of this.
AT, KIND, TAIL, HEAD, SIZE, FIRST = range(6)


@inner_kernel
def recall(sets, kind, x, y, serial, limit, lists):
    """Find the subset of the operator on x and y with a serial number; return its size, and its members in SUBSET."""
    number = find_candidates(sets, kind, x, y, lists)
    size = np.int64(0)
    for _ in range(serial):
        valid = kind == DELETE or passes_clique_test(sets, kind, x, y, lists, size)
        size = next_subset(number, limit, valid, lists, size)
    return size


@kernel
def recall_if_valid(sets, kind, y, at, pool, limits, lists, before, found, row):
    """Write a listed operator into found[row]; tell whether it passes what is left of Theorem 15, the path test."""
    x = np.int64(pool[2][at])
    size = recall(sets, kind, x, y, np.int64(pool[3][at]), limits[0], lists)
    found[row, AT] = at
    found[row, KIND] = kind
    found[row, TAIL] = x
    found[row, HEAD] = y
    found[row, SIZE] = size
    for i in range(size):
        found[row, FIRST + i] = lists[SUBSET, i]
    if kind == DELETE:
        return True
    find_kept(sets, kind, x, y, lists, size)
    return is_blocked(sets, x, y, lists, before)


@inner_kernel
def is_lawful(sets, found, row, laws, lists):
    """Tell whether the operator that `recall_if_valid` has just written leads to a class with a DAG within the laws."""
    return leads_to_lawful(sets, found[row, KIND], found[row, TAIL], found[row, HEAD], found[row, SIZE], laws, lists)


@inner_kernel
def shut_unblockable(sets, y, begin, stop, pool, paths, lists):
    """Look at the paths from y: of the insertions in begin:stop, shut those that no subset makes valid, no others."""
    tails, shut = pool[2], pool[4]
    reach, known, top, before = paths
    find_reach(sets, y, lists, before, reach)
    for i in range(begin, stop):
        shut[i] = has(sets, 4 * size_of(sets), np.int64(tails[i]))
    known[y] = True
    top[y] = best_after(pool, begin, stop, np.inf, NOTHING)


@kernel
def best_operators(sets, kinds, limits, laws, rows, pool, paths, lists, at, bar, found):
    """
    Find the best valid operators that improve, best first; return how many.

    Ties are decided for Delete, then by y, x and the subset: the smaller number first. Paths are looked at when the
    best insertion into y is about to be chosen; what they forbid stays shut until an edge on a path from y changes.

    kinds : bool[2]                which kinds
    at, bar : int64[2, n], float64[2, n]   scratch: the next operator of each row and its level
    found : int64[wanted, 5 + n]   written
    """
    begin, count, head = rows
    _, known, top, before = paths
    n = known.size
    for y in range(n):
        at[INSERT, y] = (top[y] if known[y] else head[INSERT, y]) if kinds[INSERT] else NOTHING
        at[DELETE, y] = head[DELETE, y] if kinds[DELETE] else NOTHING
        for kind in range(2):
            bar[kind, y] = pool[1][at[kind, y]] if at[kind, y] >= 0 else 0.0
    number = np.int64(0)
    while number < found.shape[0]:
        kind, y, level = INSERT, NOTHING, 0.0
        for i in range(2):
            for v in range(n):
                if bar[1 - i, v] > level:
                    kind, y, level = 1 - i, v, bar[1 - i, v]
        if y < 0:
            break
        where, first, stop = at[kind, y], begin[kind, y], begin[kind, y] + count[kind, y]
        if kind == INSERT and not known[y]:
            shut_unblockable(sets, y, first, stop, pool, paths, lists)
            at[kind, y] = top[y]
        elif recall_if_valid(sets, kind, y, where, pool, limits, lists, before, found, number):
            if is_lawful(sets, found, number, laws, lists):  # if not, it may be after the next step
                number += 1
            at[kind, y] = best_after(pool, first, stop, level, where)
        else:
            pool[4][where] = True
            at[kind, y] = best_after(pool, first, stop, level, where)
            top[y] = at[kind, y] if top[y] == where else top[y]
        bar[kind, y] = pool[1][at[kind, y]] if at[kind, y] >= 0 else 0.0
    return number


@kernel
def list_gains(kind, rows, pool, gains):
    """Write the gains of the listed operators of a kind, row after row, into float64[operators]."""
    begin, count, _ = rows
    number = np.int64(0)
    for y in range(begin.shape[1]):
        for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
            gains[number] = pool[0][i]
            number += 1


@kernel
def best_by_value(sets, kind, limits, laws, rows, pool, before, lists, values, found):
    """
    Find the valid operator of a kind whose value is highest; return whether there is one.

    values : float64[operators]   of the listed operators, row after row; minus infinity means that it is not to be
        chosen, and is put where the path test fails, or no DAG of the class it leads to respects the laws
    found : int64[1, 5 + n]       written
    """
    begin, count, _ = rows
    while True:
        best = -np.inf
        number, where, row, at = np.int64(0), NOTHING, NOTHING, NOTHING
        for y in range(begin.shape[1]):
            for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
                if values[number] > best:
                    best = values[number]
                    where, row, at = number, y, i
                number += 1
        if where < 0:
            return False
        valid = recall_if_valid(sets, kind, row, at, pool, limits, lists, before, found, np.int64(0))
        if valid and is_lawful(sets, found, np.int64(0), laws, lists):
            return True
        values[where] = -np.inf
