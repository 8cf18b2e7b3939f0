"""Choosing among the listed operators: the best, or the best after noise, of those that pass the path test."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.equivalence.kernels_examine import best_after
from bnsearch.equivalence.kernels_graph import put
from bnsearch.equivalence.kernels_operators import (
    DELETE,
    INSERT,
    find_candidates,
    is_blocked,
    next_subset,
    passes_clique_test,
)
from bnsearch.kernel import kernel

# An operator as it is handed out, int64[4 + n]: kind, x, y, the size of its subset, its members.
KIND, TAIL, HEAD, SIZE, MEMBERS = range(5)


@kernel
def recall(graph, kind, x, y, serial, limits, work, out):
    """Write the operator on x and y of a serial number; leave NA(y, x) in the work's `shared`."""
    shared, candidates, chosen, _, _ = work
    members = out[MEMBERS:]
    number = find_candidates(graph, kind, x, y, shared, candidates)
    size = 0
    for _ in range(serial):
        valid = kind == DELETE or passes_clique_test(graph, kind, shared, members[:size])
        size = next_subset(number, limits[0], valid, chosen, size)
        for i in range(size):
            members[i] = candidates[chosen[i]]
    out[KIND] = kind
    out[TAIL] = x
    out[HEAD] = y
    out[SIZE] = size


@kernel
def recall_if_valid(graph, kind, y, at, pool, limits, work, out):
    """Write a listed operator into y and tell whether it is valid: only the path test of Theorem 15 is still open."""
    recall(graph, kind, pool[1][at], y, pool[2][at], limits, work, out)
    if kind == DELETE:
        return True
    shared = work[0]
    for i in range(out[SIZE]):
        put(shared, out[MEMBERS + i])
    return is_blocked(graph, out[TAIL], y, shared)


@kernel
def best_operators(graph, kinds, limits, rows, pool, work, found):
    """
    Find the best valid operators that improve, best first; return how many.

    Ties are decided for Delete, then by y, x and the subset: the smaller number first.

    kinds : bool[2]             which kinds
    found : int64[wanted, 4 + n]   written
    """
    begin, count, head = rows
    levels = pool[0]
    at = head.copy()
    number = 0
    while number < found.shape[0]:
        kind, y = -1, -1
        for k in range(DELETE, INSERT - 1, -1):
            for v in range(at.shape[1]):
                if kinds[k] and at[k, v] >= 0 and (y < 0 or levels[at[k, v]] > levels[at[kind, y]]):
                    kind, y = k, v
        if y < 0:
            break
        i = at[kind, y]
        if recall_if_valid(graph, kind, y, i, pool, limits, work, found[number]):
            number += 1
        at[kind, y] = best_after(levels, begin[kind, y], begin[kind, y] + count[kind, y], levels[i], i)
    return number


@kernel
def add_noise(kind, rows, pool, unit, noise):
    """
    Turn standard normal numbers, one for each operator of a kind, into the operators' noisy gains.

    noise : float64[operators]   z becomes gain + 2 |gain| z; in the order of the rows
    """
    begin, count, _ = rows
    number = 0
    for y in range(begin.shape[1]):
        for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
            gain = pool[0][i] * unit
            noise[number] = gain + 2.0 * abs(gain) * noise[number]
            number += 1


@kernel
def best_with_noise(graph, kind, limits, rows, pool, work, values, found):
    """
    Find the valid operator with the highest noisy gain above zero; return whether there is one.

    values : float64[operators]   from add_noise; what fails the path test is set to minus infinity
    found : int64[4 + n]          written
    """
    begin, count, _ = rows
    while True:
        best = 0.0
        where, row, at = -1, -1, -1
        number = 0
        for y in range(begin.shape[1]):
            for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
                if values[number] > best:
                    best = values[number]
                    where, row, at = number, y, i
                number += 1
        if where < 0:
            return False
        if recall_if_valid(graph, kind, row, at, pool, limits, work, found):
            return True
        values[where] = -np.inf
