"""The operators of a class, listed with their gains; after a step only those on changed pairs are listed anew."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.equivalence.kernels_constraints import allows_arcs, allows_pair
from bnsearch.equivalence.kernels_gains import CACHE, COMPUTED, gain_of_parent
from bnsearch.equivalence.kernels_graph import ADJACENT, NEIGHBOURS, NOTHING, PARENTS, has, size_of
from bnsearch.equivalence.kernels_operators import (
    DELETE,
    INSERT,
    find_candidates,
    find_given,
    next_subset,
    passes_clique_test,
)
from bnsearch.equivalence.kernels_ranking import rank_row
from bnsearch.kernels.compile import inner_kernel, kernel

# How a call of `list_operators` ends.
FINISHED, PAUSED, OUT_OF_POOL, OUT_OF_KEYS = 0, 1, 2, 3

# The operators of one kind into y form a row, ordered by x and then by subset. Plain tuples:
#   rows     begin    int64[2, n]         for a kind and y: the position of the first operator in the pool,
#            count    int64[2, n]         the number of operators,
#            head     int64[2, n]         the best operator that raises the score, as an offset from `begin` (or -1),
#            ranked   int64[2, n]         the number of entries in the row's ranking,
#            top      int64[2, n]         the first of them that is not known to be invalid
#   pool     gain     float64[capacity]
#            level    float64[capacity]   the gain in units, rounded
#            tail     int32[capacity]     x
#            serial   int32[capacity]     the number of the subset in the order of next_subset
#            ranking  int32[capacity]     offsets of the operators that raise the score, best first; -1: invalid. It is
#                                         made when a row of deletions is listed, and for insertions with the paths
#   paths    reach    uint64[n + 1, W]    see find_reach; the last row is scratch
#            known    bool[n]             True if reach[y] and the ranking of the insertions into y are up to date
#            before   int32[n, n]         see explore
#   options  limits        int64[1 + n]   the largest size of T and H; the most parents of each variable
#            constraints                  see kernels_constraints
#            unit          float          gains that differ by less are ties
#            keep_all      bool           list operators that lower the score, too
LIMITS, CONSTRAINTS, UNIT, KEEP_ALL = range(4)

# The state of the listing, int64[10]: number of operators in the pool, of gains computed so far, of family keys noted;
# the row that is being listed (y, kind), its next x, the next operator of the old row; the number of gains before the
# rows of this y; the positions in the pool of its new rows of insertions and deletions.
USED, GAINS, NOTED, HEAD, KIND, TAIL, OLD, GAINS_BEFORE, INSERT_BEGIN, DELETE_BEGIN = range(10)
STATE_SIZE = 10


@inner_kernel
def list_pair(sets, kind, x, y, options, valuer, pool, family_keys, state, lists):
    """List the operators of one kind on x and y that pass the clique test; return FINISHED or what is full."""
    gains, levels, tails, serials, _ = pool
    limits = options[LIMITS]
    number = find_candidates(sets, kind, x, y, lists)
    size = min(number, np.int64(0))  # -1 where there are no operators
    serial = 0
    while size >= 0:
        valid = passes_clique_test(sets, kind, x, y, lists, size)
        if valid:
            others = find_given(sets, kind, x, y, lists, size)
            if kind == DELETE or (others < limits[1 + y] and allows_arcs(x, y, lists, size, options[CONSTRAINTS])):
                if state[USED] == gains.size:
                    return OUT_OF_POOL
                if 0 < family_keys.size < state[NOTED] + 2:
                    return OUT_OF_KEYS
                gain = gain_of_parent(
                    valuer, x, y, lists, others, family_keys, state[NOTED], kind == DELETE or options[KEEP_ALL]
                )
                gain = gain if kind == INSERT else -gain
                level = np.rint(gain / options[UNIT])
                state[GAINS] += 1
                state[NOTED] += 2
                if level > 0 or (options[KEEP_ALL] and math.isfinite(level)):
                    at = state[USED]
                    gains[at], levels[at], tails[at], serials[at] = gain, level, x, serial
                    state[USED] = at + 1
        size = next_subset(number, limits[0], valid or kind == DELETE, lists, size)
        serial += 1
    return FINISHED


@inner_kernel
def copy_pair(kind, x, stop, again, pool, state):
    """Copy the operators on x from the old row to the end of the pool unless they are listed again."""
    gains, levels, tails, serials, _ = pool
    while state[OLD] < stop and tails[state[OLD]] == x:
        if not again:
            old, at = state[OLD], state[USED]
            if at == gains.size:
                return OUT_OF_POOL
            gains[at], levels[at], tails[at], serials[at] = gains[old], levels[old], x, serials[old]
            state[USED] = at + 1
        state[OLD] += 1
    return FINISHED


@inner_kernel
def can_be_listed(sets, kind, x, y, constraints):
    """Return True if x and y are joined as an operator of a kind needs it, and knowledge allows the change."""
    n = size_of(sets)
    if kind == INSERT:
        there = x != y and not has(sets, ADJACENT * n + y, x)
    else:
        there = has(sets, PARENTS * n + y, x) or has(sets, NEIGHBOURS * n + y, x)
    return there and allows_pair(kind, x, y, constraints)


@inner_kernel
def list_row(sets, options, valuer, changed, rows, pool, family_keys, state, lists, max_computed, max_gains):
    """List the operators of one kind into y at the end of the pool, from where `state` stands."""
    begin, count = rows[0], rows[1]
    kind, y, n = state[KIND], state[HEAD], size_of(sets)
    computed = valuer[CACHE][COMPUTED]
    stop = begin[kind, y] + count[kind, y]
    while state[TAIL] < n:
        x = state[TAIL]
        if computed[0] >= max_computed or state[GAINS] >= max_gains:
            return PAUSED
        again = has(changed, y, x)
        ended = copy_pair(kind, x, stop, again, pool, state)
        if ended != FINISHED:
            return ended
        if again and can_be_listed(sets, kind, x, y, options[CONSTRAINTS]):
            used, gains, noted = state[USED], state[GAINS], state[NOTED]
            ended = list_pair(sets, kind, x, y, options, valuer, pool, family_keys, state, lists)
            if ended != FINISHED:
                state[USED], state[GAINS], state[NOTED] = used, gains, noted
                return ended
        state[TAIL] = x + 1
    return FINISHED


@inner_kernel
def is_touched(changed, y):
    """Return True if some pair (x, y) has changed."""
    for w in range(changed.shape[1]):
        if changed[y, w] != np.uint64(0):
            return True
    return False


@kernel
def restart_row(state):
    """Drop what is listed of an unfinished row, and begin it again."""
    if state[TAIL] >= 0:
        state[USED] = state[INSERT_BEGIN]
        state[GAINS] = state[GAINS_BEFORE]
        state[TAIL] = NOTHING


@inner_kernel
def finish_rows(changed, rows, pool, paths, state):
    """Put the new rows of insertions and deletions into y in place of the old ones, and go on to the next y."""
    begin, count, head, ranked, top = rows
    y, first, middle = state[HEAD], state[INSERT_BEGIN], state[DELETE_BEGIN]
    begin[INSERT, y], count[INSERT, y] = first, middle - first
    begin[DELETE, y], count[DELETE, y] = middle, state[USED] - middle
    head[INSERT, y] = find_best(pool, first, middle)
    ranked[INSERT, y] = top[INSERT, y] = top[DELETE, y] = 0
    number = np.int64(0)
    for i in range(count[DELETE, y]):
        if pool[1][middle + i] > 0:
            pool[4][middle + number] = i
            number += 1
    rank_row(pool, middle, number)
    ranked[DELETE, y] = number
    head[DELETE, y] = np.int64(pool[4][middle]) if number > 0 else NOTHING
    paths[1][y] = False
    for w in range(changed.shape[1]):
        changed[y, w] = np.uint64(0)
    state[HEAD] = y + 1
    state[TAIL] = NOTHING


@inner_kernel
def find_best(pool, begin, stop):
    """Return the offset of the best operator in begin:stop that raises the score, or -1."""
    levels = pool[1]
    best, level = NOTHING, 0.0
    for i in range(begin, stop):
        if levels[i] > level:
            best, level = i - begin, levels[i]
    return best


@kernel
def list_operators(
    sets, options, valuer, changed, rows, pool, paths, family_keys, state, lists, max_computed, max_gains
):
    """
    List the operators into the variables from state[HEAD] on whose pairs have changed.

    changed : uint64[n, W]     the x of the pairs, for each y; cleared
    family_keys : uint64[...]  the keys of the families in the gains are written to it, if it has any room
    max_computed : number of set values after which to pause
    max_gains : number of gains after which to pause

    Return FINISHED; PAUSED; or what is full. The next call goes on from there.
    """
    begin = rows[0]
    n = size_of(sets)
    computed_end = valuer[CACHE][COMPUTED][0] + max_computed
    gains_end = state[GAINS] + max_gains
    while state[HEAD] < n:
        y = state[HEAD]
        if not is_touched(changed, y):
            state[HEAD] = y + 1
            continue
        if state[TAIL] < 0:
            state[KIND], state[TAIL], state[OLD] = INSERT, 0, begin[INSERT, y]
            state[INSERT_BEGIN], state[GAINS_BEFORE] = state[USED], state[GAINS]
        while state[KIND] <= DELETE:
            ended = list_row(
                sets, options, valuer, changed, rows, pool, family_keys, state, lists, computed_end, gains_end
            )
            if ended != FINISHED:
                return ended
            if state[KIND] == INSERT:
                state[DELETE_BEGIN] = state[USED]
            state[KIND] += 1
            state[TAIL], state[OLD] = 0, begin[DELETE, y]
        finish_rows(changed, rows, pool, paths, state)
    return FINISHED


@kernel
def move_rows(rows, old, new):
    """Move the listed operators from one pool to the front of another; return their number."""
    begin, count = rows[0], rows[1]
    used = np.int64(0)
    for kind in range(2):
        for y in range(begin.shape[1]):
            for i in range(count[kind, y]):
                source, target = begin[kind, y] + i, used + i
                new[0][target] = old[0][source]
                new[1][target] = old[1][source]
                new[2][target] = old[2][source]
                new[3][target] = old[3][source]
                new[4][target] = old[4][source]
            begin[kind, y] = used
            used += count[kind, y]
    return used
