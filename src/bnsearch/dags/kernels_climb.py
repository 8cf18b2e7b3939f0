"""Greedy and tabu search over DAGs: the best of all additions, deletions and reversals, again and again."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_graph import add_edge, can_add, can_reverse, drop_edge, edge_key, members_of
from bnsearch.dags.kernels_lazy import can_estimate, compute, estimate, next_estimated
from bnsearch.dags.kernels_prices import GREW, SHRANK, STARTED, UP_TO_DATE, load_row, price_family
from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import inner_kernel, kernel

DELETE, ADD, REVERSE = 0, 1, 2  # equally good moves are tried in this order
FINISHED, OUT_OF_STEPS = 0, 1  # what a call of climb ends with
# Where it counts: steps, steps since the best, local scores asked for and computed.
STEPS, IDLE, ASKED, COMPUTED = 0, 1, 2, 3


@kernel
def key_of(graph):
    """Return the key of the whole graph."""
    key = np.uint64(0)
    for y in range(graph[3].size):
        key ^= graph[3][y]
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
    Tell whether a move on x -> y is tabu.

    tabu : uint64[...]   with `by_move` the keys of moves, else those of the graphs that are not to be entered
    key : the graph's now
    """
    if tabu.size == 0:
        return False
    n = graph[2].size
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
def find_move(graph, prices, rank, ranked, tabu, by_move, floor, tolerance):
    """
    Return (kind, x, y) of the best legal move on x -> y that gains more than `floor`; the kind is -1 where none does.

    Among moves within `tolerance` of the best, deletions come before additions before reversals, and then the child
    and the parent of the lower rank come first. Rows whose bound is too low are not read; those that are get the bound
    that they deserve, so that gains which only cycles forbid are not met again and again.

    rank, ranked : int64[n]   the variables' ranks, and the variables by rank
    tabu, by_move : as for is_tabu
    """
    parents, _, sizes, _ = graph
    gain, _, _, bound, _, _ = prices
    n = rank.size
    key = key_of(graph)
    members = np.empty(n, np.int64)
    reversals = np.full(n, np.inf)  # what the best one of each row gains
    none = 3 * n * n
    chosen = none
    least = floor
    for turn in range(2):  # first the highest gain; then, of the moves that come near it, the first
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
                            chosen = min(chosen, (kind * n + rank[y]) * n + rank[x])
            wanted = sizes[y] > 0 and reversals[y] >= least
            if wanted:
                reversals[y] = -np.inf
            for i in range(members_of(parents[y], members) if wanted else 0):
                x = members[i]
                g = gain[y, x] + gain[x, y]
                reversals[y] = max(reversals[y], g)
                if g >= least and g > floor and can_reverse(graph, x, y):
                    if not is_tabu(graph, tabu, by_move, key, REVERSE, x, y):
                        if turn == 0:
                            least = g
                        else:
                            chosen = min(chosen, (REVERSE * n + rank[y]) * n + rank[x])
        least -= tolerance
    if chosen == none:
        return -1, np.int64(0), np.int64(0)
    return chosen // (n * n), ranked[chosen % n], ranked[chosen // n % n]


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
def loosen_bounds(graph, prices, x):
    """Let bounds hold after an edge out of x was taken away: x and its ancestors may have got more legal parents."""
    _, _, top, bound, _, _ = prices
    for y in range(top.size):
        if y == x or has_bit(graph[1][x], y):
            bound[y] = top[y]


@inner_kernel
def copy_families(graph, own, found):
    """Copy the parents and scores of the families that differ, by their keys."""
    parents, keys, scores = found
    for y in range(keys.size):
        if keys[y] != graph[3][y]:
            keys[y] = graph[3][y]
            for w in range(parents.shape[1]):
                parents[y, w] = graph[0][y, w]
        scores[y] = own[y]


@inner_kernel
def update_prices(pricer, graph, prices, memory, lazy, is_lazy, counters, until):
    """Bring all prices up to date; return False if too many scores had to be computed before the last."""
    _, _, _, _, stale, _ = prices
    for y in range(stale.size):
        if stale[y] != UP_TO_DATE:
            counters[ASKED] += load_row(memory, graph, prices, y)
        if stale[y] != UP_TO_DATE:
            if counters[COMPUTED] >= until:
                return False
            if is_lazy and can_estimate(pricer, graph, prices, y):
                computed = estimate(pricer, graph, prices, lazy, y)
                counters[ASKED] += computed
            else:
                computed = price_family(pricer, memory, graph, y)
                counters[ASKED] += load_row(memory, graph, prices, y)
            counters[COMPUTED] += computed
    return True


@inner_kernel
def make_exact(pricer, graph, prices, lazy, kind, x, y):
    """Compute the gains of a move on x -> y that are estimated; return how many were computed, 0 if none is."""
    _, _, _, _, _, exact = prices
    computed = 0
    if not exact[y, x]:
        computed += compute(pricer, graph, prices, lazy, y, x)
    if kind == REVERSE and not exact[x, y]:
        computed += compute(pricer, graph, prices, lazy, x, y)
    return computed


@inner_kernel
def make_move(graph, prices, kind, x, y):
    """Make a move on x -> y, and take note of whose prices it makes stale."""
    _, _, _, _, stale, _ = prices
    if kind != ADD:
        loosen_bounds(graph, prices, x)
    change_graph(graph, kind, x, y)
    stale[y] = GREW if kind == ADD else SHRANK
    if kind == REVERSE:
        stale[x] = GREW


@kernel
def climb(
    pricer, graph, prices, memory, lazy, is_lazy, rank, ranked, tabu, by_move, counters, best, found, patience, steps,
    scores, tolerance,
):  # fmt: skip
    """
    Take the best move until none improves; with patience, go on, downhill too, for that many steps.

    pricer, graph, prices and memory, lazy : as in kernels_price, kernels_graph, kernels_prices, kernels_lazy
    is_lazy : whether gains are estimated until they matter
    tabu : uint64[...]     what is tabu, one key overwritten after another: with `by_move` the moves that would undo the
                           last ones, else the last graphs
    counters : int64[4]    STEPS, IDLE, ASKED, COMPUTED
    best : float64[1]      the score of the best graph so far
    found : its parents, uint64[n, W], their keys, uint64[n], and local scores, float64[n]
    patience : steps in a row that need not improve on the best; with none, every step must improve
    steps, scores : how many steps to take, and about how many local scores to compute, before coming back
    tolerance : relative; a smaller difference of scores does not count
    """
    _, own, _, _, stale, _ = prices
    until = counters[COMPUTED] + scores
    while update_prices(pricer, graph, prices, memory, lazy, is_lazy, counters, until):
        score = 0.0
        for y in range(own.size):
            score += own[y]
        if score > best[0] + tolerance * max(1.0, abs(best[0])) or best[0] == -np.inf:
            best[0] = score
            counters[IDLE] = 0
            copy_families(graph, own, found)
        margin = tolerance * max(1.0, abs(score))
        if counters[IDLE] > 0 and counters[IDLE] >= patience:
            return FINISHED
        if steps == 0 or counters[COMPUTED] >= until:
            break
        kind, x, y = find_move(graph, prices, rank, ranked, tabu, by_move, -np.inf if patience > 0 else margin, margin)
        if kind < 0:
            y = next_estimated(prices, lazy) if is_lazy else -1
            if y < 0:
                return FINISHED
            counters[COMPUTED] += price_family(pricer, memory, graph, y)
            stale[y] = STARTED  # to be read from memory
            continue
        computed = make_exact(pricer, graph, prices, lazy, kind, x, y)
        if computed > 0:
            counters[COMPUTED] += computed
            counters[ASKED] += computed
            continue
        make_move(graph, prices, kind, x, y)
        steps -= 1
        counters[STEPS] += 1
        counters[IDLE] += 1
        if tabu.size > 0:
            tabu[counters[STEPS] % tabu.size] = undoing_key(own.size, kind, x, y) if by_move else key_of(graph)
    return OUT_OF_STEPS
