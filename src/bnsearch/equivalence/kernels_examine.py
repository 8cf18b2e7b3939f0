"""The operators of a class, listed with their gains; only those that a step has touched are examined again."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.equivalence.kernels_graph import ADJACENT, GIVEN, NEIGHBOURS, NOTHING, PARENTS, has, size_of
from bnsearch.equivalence.kernels_lawful import may_point, may_touch
from bnsearch.equivalence.kernels_operators import (
    DELETE,
    INSERT,
    find_candidates,
    find_given,
    next_subset,
    passes_clique_test,
)
from bnsearch.kernels.compile import inner_kernel, kernel

# What a call of `examine` ends with.
FINISHED, OUT_OF_POOL, OUT_OF_SETS = 0, 1, 2
# Where it counts: operators listed so far, sets that wait for their values, their members.
USED, WAITING, MEMBERS = 0, 1, 2

# The operators into y of one kind stand side by side, by x and then by subset. Plain tuples:
#   rows     begin, count, head   int64[2, n]   for a kind and y: the first, how many, the best that improves (or -1)
#   pool     gain     float64[capacity]
#            level    float64[capacity]   the gain in units, rounded
#            tail     int32[capacity]     x
#            serial   int32[capacity]     which subset: its number in the order of next_subset
#            shut     bool[capacity]      whether a path is known to forbid it
#   paths    reach    uint64[n + 1, W]    see find_reach; the last row is for use in passing
#            known    bool[n]             whether y's set, what is shut, and `top` are up to date
#            top      int64[n]            the best improving insertion into y that is not shut (or -1)
#            before   int32[n, n]         see explore
#   waiting  begin    int64[sets + 1]     where each set begins in `members`; four for each new operator
#            members  int64[...]          places


@inner_kernel
def ask_for_gain(x, y, lists, number, place, waiting, counters):
    """
    Ask for the four set values that make s(y | given + x) - s(y | given); tell whether there was room.

    lists : the given variables stand in lists[GIVEN, :number]
    """
    begin, members = waiting
    if counters[WAITING] + 4 >= begin.size or counters[MEMBERS] + 4 * (number + 2) > members.size:
        return False
    lists[GIVEN, number] = x
    for which in range(4):  # given + x + y, given, given + x, given + y
        at = counters[MEMBERS]
        for i in range(number + (which % 2 == 0)):
            members[at] = place[lists[GIVEN, i]]
            at += 1
        if which % 3 == 0:
            members[at] = place[y]
            at += 1
        counters[WAITING] += 1
        begin[counters[WAITING]] = at
        counters[MEMBERS] = at
    return True


@inner_kernel
def examine_pair(sets, kind, x, y, limits, laws, place, pool, waiting, counters, lists):
    """
    List the operators of one kind on x and y that pass the clique test, gains unknown; return FINISHED or what is full.

    limits : int64[1 + n]   the most members of T or H, the most parents of each variable
    laws : see kernels_lawful
    """
    gains, _, tails, serials, _ = pool
    number = find_candidates(sets, kind, x, y, lists)
    size = min(number, np.int64(0))  # -1 where there are no operators
    serial = 0
    while size >= 0:
        valid = passes_clique_test(sets, kind, x, y, lists, size)
        if valid:
            others = find_given(sets, kind, x, y, lists, size)
            if kind == DELETE or (others < limits[1 + y] and may_point(x, y, lists, size, laws)):
                at = counters[USED]
                if at == gains.size:
                    return OUT_OF_POOL
                if not ask_for_gain(x, y, lists, others, place, waiting, counters):
                    return OUT_OF_SETS
                gains[at] = np.nan
                tails[at] = x
                serials[at] = serial
                counters[USED] = at + 1
        size = next_subset(number, limits[0], valid or kind == DELETE, lists, size)
        serial += 1
    return FINISHED


@inner_kernel
def examine_row(sets, kind, y, limits, laws, place, changed, rows, pool, waiting, counters, lists):
    """List the operators of one kind into y at the pool's end: those on unchanged pairs are copied."""
    begin, count, _ = rows
    gains, levels, tails, serials, _ = pool
    n = size_of(sets)
    old = begin[kind, y]
    stop = old + count[kind, y]
    for x in range(n):
        again = has(changed, y, x)
        while old < stop and tails[old] == x:
            if not again:
                at = counters[USED]
                if at == gains.size:
                    return OUT_OF_POOL
                gains[at] = gains[old]
                levels[at] = levels[old]
                tails[at] = x
                serials[at] = serials[old]
                counters[USED] = at + 1
            old += 1
        if kind == INSERT:
            there = x != y and not has(sets, ADJACENT * n + y, x)
        else:
            there = has(sets, PARENTS * n + y, x) or has(sets, NEIGHBOURS * n + y, x)
        if again and there and may_touch(kind, x, y, laws):
            ended = examine_pair(sets, kind, x, y, limits, laws, place, pool, waiting, counters, lists)
            if ended != FINISHED:
                return ended
    return FINISHED


@kernel
def examine(sets, limits, laws, place, changed, rows, pool, waiting, counters, lists, first, most):
    """
    List anew the operators into some variables whose pairs changed, gains unknown.

    place : int64[n]        the place of each variable
    changed : uint64[n, W]  the x of the pairs, for each y
    counters : int64[3]     USED, WAITING, MEMBERS; updated
    first : the variable to begin with
    most : how many sets may wait before another variable is begun

    Return FINISHED or what is full, and the variable to go on with: those before it are done.
    """
    begin, count, _ = rows
    n = size_of(sets)
    for y in range(first, n):
        touched = False
        for w in range(changed.shape[1]):
            touched = touched or changed[y, w] != np.uint64(0)
        if not touched:
            continue
        if counters[WAITING] >= most:
            return FINISHED, y
        used, asked, members = counters[USED], counters[WAITING], counters[MEMBERS]
        middle = used
        for kind in range(2):
            middle = counters[USED] if kind == DELETE else middle
            ended = examine_row(sets, kind, y, limits, laws, place, changed, rows, pool, waiting, counters, lists)
            if ended != FINISHED:
                counters[USED] = used
                counters[WAITING] = asked
                counters[MEMBERS] = members
                return ended, y
        begin[INSERT, y] = used
        count[INSERT, y] = middle - used
        begin[DELETE, y] = middle
        count[DELETE, y] = counters[USED] - middle
    return FINISHED, n


@inner_kernel
def best_after(pool, begin, stop, level, at):
    """Return the best improving operator in begin:stop, not shut, behind one of this level at this position, or -1."""
    _, levels, _, _, shut = pool
    best = NOTHING
    for i in range(begin, stop):
        if levels[i] <= 0 or levels[i] > level or (levels[i] == level and i <= at) or shut[i]:
            continue
        if best < 0 or levels[i] > levels[best]:
            best = i
    return best


@kernel
def settle(first, stop, every, unit, changed, rows, pool, counters, values, paths):
    """
    Take in the gains of the operators that `examine` has listed into first:stop, and drop those not wanted.

    every : keep all, not only those that improve
    changed : uint64[n, W]          cleared
    values : float64[waiting]       of the sets that waited
    """
    begin, count, head = rows
    known = paths[1]
    gains, levels, tails, serials, shut = pool
    asked = 0
    used = NOTHING
    for y in range(first, stop):
        touched = False
        for w in range(changed.shape[1]):
            touched = touched or changed[y, w] != np.uint64(0)
            changed[y, w] = np.uint64(0)
        if not touched:
            continue
        used = begin[INSERT, y] if used < 0 else used
        for kind in range(2):
            row = used
            for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
                gain, level = gains[i], levels[i]
                if math.isnan(gain):
                    gain = (values[asked] + values[asked + 1]) - (values[asked + 2] + values[asked + 3])
                    gain = gain if kind == INSERT else -gain
                    level = np.rint(gain / unit)
                    asked += 4
                if level > 0 or (every and math.isfinite(level)):
                    gains[used] = gain
                    levels[used] = level
                    tails[used] = tails[i]
                    serials[used] = serials[i]
                    shut[used] = False
                    used += 1
            begin[kind, y] = row
            count[kind, y] = used - row
            head[kind, y] = best_after(pool, row, used, np.inf, NOTHING)
        known[y] = False
    if used >= 0:
        counters[USED] = used


@kernel
def move_rows(rows, old, new):
    """Move the listed operators from one pool to the front of another; return how many there are."""
    begin, count, head = rows
    used = np.int64(0)
    for kind in range(2):
        for y in range(begin.shape[1]):
            shift = used - begin[kind, y]
            for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
                new[0][i + shift] = old[0][i]
                new[1][i + shift] = old[1][i]
                new[2][i + shift] = old[2][i]
                new[3][i + shift] = old[3][i]
                new[4][i + shift] = old[4][i]
            if head[kind, y] >= 0:
                head[kind, y] += shift
            begin[kind, y] = used
            used += count[kind, y]
    return used
