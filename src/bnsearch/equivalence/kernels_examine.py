"""The operators of a class, listed with their gains; only those that a step has touched are examined again."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.equivalence.kernels_graph import ADJACENT, NEIGHBOURS, PARENTS, has
from bnsearch.equivalence.kernels_operators import (
    DELETE,
    INSERT,
    find_candidates,
    find_given,
    gain_of,
    next_subset,
    passes_clique_test,
)
from bnsearch.kernel import kernel

# What a call of `examine` ends with.
FINISHED, OUT_OF_BUDGET, OUT_OF_SPACE = 0, 1, 2
# Where it counts: operators listed so far, local scores asked for.
USED, ASKED = 0, 1

# The operators into y of one kind stand side by side, by x and then by subset. Three plain tuples:
#   rows   begin, count, head   int64[2, n] each: for a kind and y, the first, how many, the best improving one (or -1)
#   pool   level    float64[capacity]   the gain in units, rounded
#          tail     int32[capacity]     x
#          serial   int32[capacity]     which subset: its number in the order of next_subset
#   work   shared   uint64[W]
#          candidates, chosen, subset   int64[n] each
#          given    int64[n + 2]


@kernel
def examine_pair(graph, model, place, kind, x, y, limits, every, unit, pool, counters, work):
    """
    List the operators of one kind on x and y that pass the clique test; return whether there was room.

    limits : int64[2]   the most members of T or H, the most parents
    every : list all, not only those that improve
    """
    levels, tails, serials = pool
    shared, candidates, chosen, members, given = work
    number = find_candidates(graph, kind, x, y, shared, candidates)
    size = 0 if number >= 0 else -1
    serial = 0
    while size >= 0:
        for i in range(size):
            members[i] = candidates[chosen[i]]
        subset = members[:size]
        valid = passes_clique_test(graph, kind, shared, subset)
        if valid and (kind == DELETE or find_given(graph, kind, x, y, subset, given) < limits[1]):
            level = np.rint(gain_of(graph, model, place, kind, x, y, subset, given) / unit)
            counters[ASKED] += 2
            if level > 0 or (every and math.isfinite(level)):
                at = counters[USED]
                if at == levels.size:
                    return False
                levels[at] = level
                tails[at] = x
                serials[at] = serial
                counters[USED] = at + 1
        size = next_subset(number, limits[0], valid or kind == DELETE, chosen, size)
        serial += 1
    return True


@kernel
def best_after(levels, begin, stop, level, at):
    """Return the best improving operator in begin:stop behind one of this level at this position, or -1."""
    best = -1
    for i in range(begin, stop):
        if levels[i] <= 0 or levels[i] > level or (levels[i] == level and i <= at):
            continue
        if best < 0 or levels[i] > levels[best]:
            best = i
    return best


@kernel
def examine(graph, model, place, limits, every, unit, changed, rows, pool, counters, work, budget):
    """
    List anew the operators into the variables that changed.

    model, place : as of gain_of
    changed : bool[n]       cleared where done
    counters : int64[2]     USED, ASKED; updated
    budget : how many set values to count at most, give or take one variable's
    """
    begin, count, head = rows
    n = graph.shape[1]
    computed = model[2][3]
    until = computed[0] + budget
    for y in range(n):
        if not changed[y]:
            continue
        if computed[0] >= until:
            return OUT_OF_BUDGET
        used = counters[USED]
        for kind in range(2):
            start = counters[USED]
            for x in range(n):
                if kind == INSERT:
                    there = x != y and not has(graph[ADJACENT, y], x)
                else:
                    there = has(graph[PARENTS, y], x) or has(graph[NEIGHBOURS, y], x)
                if there and not examine_pair(
                    graph, model, place, kind, x, y, limits, every, unit, pool, counters, work
                ):
                    counters[USED] = used
                    return OUT_OF_SPACE
            begin[kind, y] = start
            count[kind, y] = counters[USED] - start
            head[kind, y] = best_after(pool[0], start, counters[USED], np.inf, -1)
        changed[y] = False
    return FINISHED


@kernel
def move_rows(rows, changed, old, new):
    """Move what is still good of one pool to the front of another; return how many operators that is."""
    begin, count, head = rows
    used = np.int64(0)
    for kind in range(2):
        for y in range(begin.shape[1]):
            if changed[y]:
                count[kind, y] = 0
                head[kind, y] = -1
            shift = used - begin[kind, y]
            for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
                new[0][i + shift] = old[0][i]
                new[1][i + shift] = old[1][i]
                new[2][i + shift] = old[2][i]
            if head[kind, y] >= 0:
                head[kind, y] += shift
            begin[kind, y] = used
            used += count[kind, y]
    return used
