"""
Greedy search over DAGs with lazy gains: the best of all additions, deletions and reversals, until none improves.

`pricer` and `rows` as in kernels_gain_lists, `graph` as in kernels_parent_lists.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_gain_lists import (
    BEGIN,
    BOUND,
    CANDIDATE,
    COUNT,
    EXACT,
    GAIN,
    GREW,
    INCOMPLETE,
    OWN,
    SHRANK,
    STALE,
    UNKNOWN,
    UP_TO_DATE,
    USED,
    reset_bound,
)
from bnsearch.dags.kernels_gain_rows import SAMPLE_SIZE, compute_gains, compute_row, estimate_row, sample_unknown
from bnsearch.dags.kernels_parent_lists import (
    ANCESTORS,
    DROP,
    MEMBER,
    SIZE,
    add_parent,
    find_parent,
    is_reversible,
    remove_parent,
)
from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import inner_kernel, kernel

DELETE, ADD, REVERSE = 0, 1, 2  # equally good moves are tried in this order
FINISHED, PAUSED, NEEDS_ROOM = 0, 1, 2  # results of climb_lazily
# Counters: local scores asked for, and computed; samples of unknown gains, and samples with a positive gain.
ASKED, COMPUTED, SAMPLES, FINDS = range(4)


@inner_kernel
def price_entry(graph, rows, y, e):
    """
    Return the kind and the gain of the legal move of an entry of y's row; the kind is -1 if there is none.

    The entry adds x -> y. If y is a parent of x, it reverses y -> x instead.
    """
    x = np.int64(rows[CANDIDATE][e])
    if not has_bit(graph[ANCESTORS][x], y):
        return ADD, rows[GAIN][e]
    at = find_parent(graph, y, x)
    if at >= 0 and is_reversible(graph, y, x):
        return REVERSE, rows[GAIN][e] + graph[DROP][x, at]
    return -1, -np.inf


@inner_kernel
def find_move(graph, rows, tie_rank, floor, tolerance):
    """
    Return (kind, y, index) of the best legal move that gains more than `floor`; the kind is -1 if there is none.

    The index is that of a parent of y if the kind is DELETE, else that of an entry of y's row. Among moves within
    `tolerance` of the best, deletions come before additions before reversals, and then the child and the parent of the
    lower rank come first. Rows whose bound is too low are not read. A row that is read gets its bound anew, so that
    gains which only cycles forbid are not read again at every step.

    tie_rank : int64[n]   rank of each variable in ties
    """
    n = tie_rank.size
    bound = rows[BOUND]
    first, chosen_kind, chosen_y, chosen = 3 * n * n, -1, np.int64(0), np.int64(0)
    least = floor
    for turn in range(2):  # the first turn finds the highest gain, the second the first move that comes near it
        for y in range(n):
            if bound[y] < least or bound[y] <= floor:
                continue
            bound[y] = -np.inf
            for i in range(graph[SIZE][y]):
                g = graph[DROP][y, i]
                bound[y] = max(bound[y], g)
                rank = tie_rank[y] * n + tie_rank[graph[MEMBER][y, i]]
                if g >= least and g > floor:
                    if turn == 0:
                        least = g
                    elif rank < first:
                        first, chosen_kind, chosen_y, chosen = rank, DELETE, y, np.int64(i)
            for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
                if rows[GAIN][e] < least and rows[GAIN][e] <= bound[y]:
                    continue
                kind, g = price_entry(graph, rows, y, e)
                bound[y] = max(bound[y], g)
                if g >= least and g > floor:
                    x = rows[CANDIDATE][e]
                    rank = (tie_rank[y] * n + tie_rank[x]) if kind == ADD else (tie_rank[x] * n + tie_rank[y])
                    rank += kind * n * n
                    if turn == 0:
                        least = g
                    elif rank < first:
                        first, chosen_kind, chosen_y, chosen = rank, kind, y, np.int64(e)
        least -= tolerance
    return chosen_kind, chosen_y, chosen


@inner_kernel
def loosen_bounds(graph, rows, x):
    """Loosen the bounds before an edge out of x is removed: x and its ancestors may get more legal parents."""
    reset_bound(graph, rows, x)
    for y in range(graph[SIZE].size):
        if has_bit(graph[ANCESTORS][x], y):
            reset_bound(graph, rows, y)


@inner_kernel
def make_move(graph, rows, kind, y, index):
    """Make a move of find_move, update the local scores, and mark the rows that it makes stale."""
    own, stale = rows[OWN], rows[STALE]
    if kind == DELETE:
        x = np.int64(graph[MEMBER][y, index])
        loosen_bounds(graph, rows, x)
        own[y] += graph[DROP][y, index]
        remove_parent(graph, x, y)
        stale[y] = SHRANK
        return
    x = np.int64(rows[CANDIDATE][index])
    if kind == REVERSE:
        loosen_bounds(graph, rows, y)
        own[x] += graph[DROP][x, find_parent(graph, y, x)]
        remove_parent(graph, y, x)
        stale[x] = SHRANK
    own[y] += rows[GAIN][index]
    add_parent(graph, x, y)
    stale[y] = GREW


@inner_kernel
def update_rows(pricer, graph, rows, counters, max_computed, max_scores):
    """
    Bring all rows up to date; return False if the pool has no room, or too many scores were computed.

    The estimates of a row leave out parents that improve the family only together with others. If samples find such
    parents for more than half of the families, all gains of the families that have them are computed.
    """
    n = rows[STALE].size
    for y in range(n):
        while rows[STALE][y] != UP_TO_DATE:
            if rows[USED][0] + n > rows[CANDIDATE].size or counters[COMPUTED] >= max_computed:
                return False
            if rows[STALE][y] == INCOMPLETE:
                computed = compute_row(pricer, graph, rows, y, max_scores)
            else:
                computed = estimate_row(pricer, graph, rows, y, max_scores)
                if rows[UNKNOWN][y] > 0:
                    sampled, has_found = sample_unknown(pricer, graph, rows, y, min(SAMPLE_SIZE, max_scores))
                    computed += sampled
                    counters[SAMPLES] += 1
                    counters[FINDS] += has_found
                    if has_found and 2 * counters[FINDS] > counters[SAMPLES]:
                        rows[STALE][y] = INCOMPLETE
            counters[ASKED] += computed
            counters[COMPUTED] += computed
    return True


@inner_kernel
def find_uncertain_family(rows):
    """Return the variable of the lowest score that has unknown gains; -1 if none has."""
    lowest = -1
    for y in range(rows[OWN].size):
        if rows[UNKNOWN][y] > 0 and (lowest < 0 or rows[OWN][y] < rows[OWN][lowest]):
            lowest = y
    return lowest


@kernel
def climb_lazily(pricer, graph, rows, tie_rank, counters, max_steps, max_scores, tolerance):
    """
    Make the best move until none improves the score.

    A move is made when its gain is computed. When no listed gain improves the score, all gains of families are
    computed, those of the lowest scores first. Returns FINISHED; PAUSED after `max_steps` steps or about `max_scores`
    computed local scores; NEEDS_ROOM if the pool must be enlarged.

    tie_rank : as for find_move
    counters : int64[4]   ASKED, COMPUTED, SAMPLES, FINDS
    tolerance : relative; smaller differences of scores do not count
    """
    n = tie_rank.size
    max_computed = counters[COMPUTED] + max_scores
    while max_steps > 0 and update_rows(pricer, graph, rows, counters, max_computed, max_scores):
        if counters[COMPUTED] >= max_computed:
            break
        margin = tie_margin(rows[OWN].sum(), tolerance)
        kind, y, index = find_move(graph, rows, tie_rank, margin, margin)
        if kind < 0:
            y = find_uncertain_family(rows)
            if y < 0:
                return FINISHED
            if rows[USED][0] + n > rows[CANDIDATE].size:
                return NEEDS_ROOM
            computed = compute_row(pricer, graph, rows, y, max_scores)
        elif kind != DELETE and not rows[EXACT][index]:
            computed = compute_gains(pricer, graph, rows, y, index, max_scores)
        else:
            make_move(graph, rows, kind, y, index)
            max_steps -= 1
            continue
        counters[ASKED] += computed
        counters[COMPUTED] += computed
    return NEEDS_ROOM if rows[USED][0] + n > rows[CANDIDATE].size else PAUSED
