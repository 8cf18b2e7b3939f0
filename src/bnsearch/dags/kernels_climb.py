"""Greedy and tabu search over DAGs: the best of all additions, deletions and reversals, again and again."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_gain_cache import load_row, price_family
from bnsearch.dags.kernels_graph import (
    ANCESTORS,
    KEYS,
    PARENTS,
    SIZES,
    add_edge,
    can_add,
    can_reverse,
    drop_edge,
    edge_key,
    list_members,
)
from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compare import improves_on, tie_margin
from bnsearch.kernels.compile import inner_kernel, kernel

DELETE, ADD, REVERSE = 0, 1, 2  # equally good moves are tried in this order
FINISHED, PAUSED = 0, 1  # what a call of climb returns
# Counters: steps, steps since the best graph, local scores asked for, local scores computed.
STEPS, IDLE, ASKED, COMPUTED = range(4)


@kernel
def compute_graph_key(graph):
    """Return the key of the whole graph."""
    key = np.uint64(0)
    for y in range(graph[KEYS].size):
        key ^= graph[KEYS][y]
    return key


@inner_kernel
def move_key(n, kind, x, y):
    """Return a number that stands for a move on x -> y; it is never 0."""
    return np.uint64((kind * n + y) * n + x + 1)


@inner_kernel
def undoing_key(n, kind, x, y):
    """Return the key of the move that undoes one on x -> y."""
    if kind == REVERSE:
        return move_key(n, REVERSE, y, x)
    return move_key(n, DELETE if kind == ADD else ADD, x, y)


@inner_kernel
def is_tabu(graph, tabu, by_move, key, kind, x, y):
    """
    Return True if a move on x -> y is tabu.

    tabu : uint64[...]   keys of moves if `by_move`, else keys of graphs that must not be entered
    key : key of the graph before the move
    """
    if tabu.size == 0:
        return False
    n = graph[SIZES].size
    if by_move:
        key = move_key(n, kind, x, y)
    else:
        key ^= edge_key(n, x, y)
        if kind == REVERSE:
            key ^= edge_key(n, y, x)
    for i in range(tabu.size):
        if tabu[i] == key:
            return True
    return False


@inner_kernel
def find_move(graph, gain_table, tie_rank, tie_order, tabu, by_move, floor, tolerance):
    """
    Return (kind, x, y) of the best legal move on x -> y that gains more than `floor`; the kind is -1 if there is none.

    Among moves within `tolerance` of the best, deletions come before additions before reversals, and then the child
    and the parent of the lower rank come first. Rows whose bound is too low are not read. A row that is read gets its
    bound anew, so that gains which only cycles forbid are not read again at every step.

    tie_rank, tie_order : int64[n]   rank of each variable in ties, and the variables by rank
    tabu, by_move : as for is_tabu
    """
    parents, _, sizes, _ = graph
    gain, _, _, bound, _ = gain_table
    n = tie_rank.size
    key = compute_graph_key(graph)
    members = np.empty(n, np.int64)
    reversals = np.full(n, np.inf)  # gain of the best reversal of each row
    none = 3 * n * n
    chosen = none
    least = floor
    for turn in range(2):  # the first turn finds the highest gain, the second the first move that comes near it
        for y in range(n):
            wanted = bound[y] >= least
            if wanted:
                bound[y] = -np.inf
            for x in range(n if wanted else 0):
                kind = DELETE if has_bit(parents[y], x) else ADD
                g = gain[y, x]
                if (g >= least or g > bound[y]) and (kind == DELETE or can_add(graph, x, y)):
                    bound[y] = max(bound[y], g)
                    if g >= least and g > floor and not is_tabu(graph, tabu, by_move, key, kind, x, y):
                        if turn == 0:
                            least = g
                        else:
                            chosen = min(chosen, (kind * n + tie_rank[y]) * n + tie_rank[x])
            wanted = sizes[y] > 0 and reversals[y] >= least
            if wanted:
                reversals[y] = -np.inf
            for i in range(list_members(parents[y], members) if wanted else 0):
                x = members[i]
                g = gain[y, x] + gain[x, y]
                reversals[y] = max(reversals[y], g)
                if g >= least and g > floor and can_reverse(graph, x, y):
                    if not is_tabu(graph, tabu, by_move, key, REVERSE, x, y):
                        if turn == 0:
                            least = g
                        else:
                            chosen = min(chosen, (REVERSE * n + tie_rank[y]) * n + tie_rank[x])
        least -= tolerance
    if chosen == none:
        return -1, np.int64(0), np.int64(0)
    return chosen // (n * n), tie_order[chosen % n], tie_order[chosen // n % n]


@inner_kernel
def change_graph(graph, kind, x, y):
    """Make a move on x -> y."""
    if kind == ADD:
        add_edge(graph, x, y)
    else:
        drop_edge(graph, x, y)
    if kind == REVERSE:
        add_edge(graph, y, x)


@inner_kernel
def loosen_bounds(graph, gain_table, x):
    """Loosen the bounds before an edge out of x is removed: x and its ancestors may get more legal parents."""
    _, _, top, bound, _ = gain_table
    for y in range(top.size):
        if y == x or has_bit(graph[ANCESTORS][x], y):
            bound[y] = top[y]


@inner_kernel
def copy_families(graph, own, best_graph):
    """Copy the parents of the families whose keys differ, and all local scores."""
    parents, keys, scores = best_graph
    for y in range(keys.size):
        if keys[y] != graph[KEYS][y]:
            keys[y] = graph[KEYS][y]
            for w in range(parents.shape[1]):
                parents[y, w] = graph[PARENTS][y, w]
        scores[y] = own[y]


@inner_kernel
def update_gains(pricer, graph, gain_table, cache, counters, max_computed, max_scores):
    """Bring all gains up to date; return False if the limit on computed scores was reached before the last."""
    _, _, _, _, stale = gain_table
    for y in range(stale.size):
        if stale[y]:
            counters[ASKED] += load_row(cache, graph, gain_table, y)
        while stale[y]:
            if counters[COMPUTED] >= max_computed:
                return False
            counters[COMPUTED] += price_family(pricer, cache, graph, y, max_scores)
            counters[ASKED] += load_row(cache, graph, gain_table, y)
    return True


@inner_kernel
def make_move(graph, gain_table, kind, x, y):
    """Make a move on x -> y, and mark the rows of the gain table that it makes stale."""
    _, _, _, _, stale = gain_table
    if kind != ADD:
        loosen_bounds(graph, gain_table, x)
    change_graph(graph, kind, x, y)
    stale[y] = True
    if kind == REVERSE:
        stale[x] = True


@kernel
def climb(
    pricer, graph, gain_table, cache, tie_rank, tie_order, tabu, by_move, counters, best_score, best_graph, patience,
    max_steps, max_scores, tolerance,
):  # fmt: skip
    """
    Make the best move until none improves the score; with patience, also moves that lower it.

    Returns FINISHED, or PAUSED after `max_steps` steps or about `max_scores` computed local scores.

    pricer : as in kernels_family_gains; graph : as in kernels_graph
    gain_table, cache : as in kernels_gain_cache
    tie_rank, tie_order : as for find_move
    tabu : uint64[...]     ring of keys: of the moves that undo the last ones if `by_move`, else of the last graphs
    counters : int64[4]    STEPS, IDLE, ASKED, COMPUTED
    best_score : float64[1]   score of the best graph so far
    best_graph : its parents, uint64[n, W], their keys, uint64[n], and local scores, float64[n]
    patience : maximum number of successive steps that do not improve on the best graph; 0: every step must improve
    tolerance : relative; smaller differences of scores do not count
    """
    _, own, _, _, _ = gain_table
    max_computed = counters[COMPUTED] + max_scores
    while update_gains(pricer, graph, gain_table, cache, counters, max_computed, max_scores):
        score = 0.0
        for y in range(own.size):
            score += own[y]
        if best_score[0] == -np.inf or improves_on(score, best_score[0], tolerance):
            best_score[0] = score
            counters[IDLE] = 0
            copy_families(graph, own, best_graph)
        if counters[IDLE] > 0 and counters[IDLE] >= patience:
            return FINISHED
        if max_steps == 0 or counters[COMPUTED] >= max_computed:
            break
        margin = tie_margin(score, tolerance)
        floor = -np.inf if patience > 0 else margin
        kind, x, y = find_move(graph, gain_table, tie_rank, tie_order, tabu, by_move, floor, margin)
        if kind < 0:
            return FINISHED
        make_move(graph, gain_table, kind, x, y)
        max_steps -= 1
        counters[STEPS] += 1
        counters[IDLE] += 1
        if tabu.size > 0:
            key = undoing_key(own.size, kind, x, y) if by_move else compute_graph_key(graph)
            tabu[counters[STEPS] % tabu.size] = key
    return PAUSED
