"""Greedy and tabu search over DAGs: the best of all additions, deletions and reversals, again and again."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.kernels_bits import has_bit
from bnsearch.dags.kernels_graph import add_edge, can_add, can_reverse, drop_edge, edge_key, members_of
from bnsearch.kernel import inner_kernel, kernel

DELETE, ADD, REVERSE = 0, 1, 2  # equally good moves are tried in this order
# What a call of climb ends with.
FINISHED, WANTS_PRICES, OUT_OF_STEPS = 0, 1, 2
# Where it counts: steps, steps since the best, the family that wants prices, local scores asked for.
STEPS, IDLE, WANTED, ASKED = 0, 1, 2, 3

# What one change of each family's parents gains: a plain tuple of
#   gain    float64[n, n]   [y, x]: what y's local score gains when x becomes its parent or ceases to be one; minus
#                           infinity where that is not allowed
#   own     float64[n]      local scores
#   top     float64[n]      the highest gain of each row
#   stale   bool[n]         whose rows are out of date
Prices = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]

# Prices of families seen before, each in the one slot that its key points to: a plain tuple of
#   child    int64[slots]          -1 where empty; the number of slots is a power of two
#   parents  uint64[slots, W]
#   rows     float64[slots, n + 1] gains, and the family's own score
Memory = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64]]


@inner_kernel
def slot_of(memory, graph, y):
    """Return the slot of y's family as it is."""
    return np.int64((graph[3][y] ^ edge_key(graph[2].size, y, y)) & np.uint64(memory[0].size - 1))


@kernel
def keep_row(memory, graph, y, row):
    """Remember the prices of y's family as it is; row : float64[n + 1]."""
    child, parents, rows = memory
    slot = slot_of(memory, graph, y)
    child[slot] = y
    for w in range(parents.shape[1]):
        parents[slot, w] = graph[0][y, w]
    for x in range(row.size):
        rows[slot, x] = row[x]


@inner_kernel
def load_row(memory, graph, prices, y):
    """Bring the prices of y's family up to date; return how many there are, none if they are not remembered."""
    child, parents, rows = memory
    gain, own, top, stale = prices
    slot = slot_of(memory, graph, y)
    known = child[slot] == y
    for w in range(parents.shape[1]):
        known = known and parents[slot, w] == graph[0][y, w]
    if not known:
        return 0
    number = 1
    top[y] = -np.inf
    for x in range(own.size):
        gain[y, x] = rows[slot, x]
        top[y] = max(top[y], gain[y, x])
        number += gain[y, x] > -np.inf
    own[y] = rows[slot, own.size]
    stale[y] = False
    return number


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
def is_legal(graph, tabu, by_move, key, kind, x, y):
    """
    Tell whether a move on x -> y closes no cycle and is not tabu.

    tabu : uint64[...]   with `by_move` the keys of moves, else those of the graphs that are not to be entered
    key : the graph's now
    """
    if kind == ADD and not can_add(graph, x, y):
        return False
    if kind == REVERSE and not can_reverse(graph, x, y):
        return False
    if tabu.size > 0:
        n = graph[2].size
        if by_move:
            key = move_key(n, kind, x, y)
        else:
            key ^= edge_key(n, x, y)
            if kind == REVERSE:
                key ^= edge_key(n, y, x)
        for i in range(tabu.size):
            if tabu[i] == key:
                return False
    return True


@inner_kernel
def find_move(graph, prices, rank, ranked, tabu, by_move, floor, tolerance):
    """
    Return (kind, x, y) of the best legal move on x -> y that gains more than `floor`; the kind is -1 where none does.

    Among moves within `tolerance` of the best, deletions come before additions before reversals, and then the child
    and the parent of the lower rank come first.

    rank, ranked : int64[n]   the variables' ranks, and the variables by rank
    tabu, by_move : as for is_legal
    """
    parents, _, sizes, _ = graph
    gain, _, top, _ = prices
    n = rank.size
    key = key_of(graph)
    members = np.empty(n, np.int64)
    none = 3 * n * n
    chosen = none
    least = floor
    for turn in range(2):  # first the highest gain; then, of the moves that come near it, the first
        for y in range(n):
            for x in range(n if top[y] >= least else 0):
                kind = DELETE if has_bit(parents[y], x) else ADD
                g = gain[y, x]
                if g >= least and g > floor and is_legal(graph, tabu, by_move, key, kind, x, y):
                    if turn == 0:
                        least = g
                    else:
                        chosen = min(chosen, (kind * n + rank[y]) * n + rank[x])
            for i in range(members_of(parents[y], members) if sizes[y] > 0 else 0):
                x = members[i]
                g = gain[y, x] + gain[x, y]
                if g >= least and g > floor and is_legal(graph, tabu, by_move, key, REVERSE, x, y):
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


@kernel
def climb(graph, prices, memory, rank, ranked, tabu, by_move, counters, best, found, patience, steps, tolerance):
    """
    Take the best move until none improves; with patience, go on, downhill too, for that many steps.

    graph, prices, memory : see above
    tabu : uint64[...]     what is tabu, one key overwritten after another: with `by_move` the moves that would undo the
                           last ones, else the last graphs
    counters : int64[4]    STEPS, IDLE, WANTED, ASKED
    best : float64[1]      the score of the best graph so far, its parents in `found`, uint64[n, W]
    patience : steps in a row that need not improve on the best; with none, every step must improve
    steps : how many may be taken at most
    tolerance : relative; a smaller difference of scores does not count
    """
    parents = graph[0]
    _, own, _, stale = prices
    n = own.size
    for step in range(steps + 1):
        for y in range(own.size):
            if stale[y]:
                counters[ASKED] += load_row(memory, graph, prices, y)
            if stale[y]:
                counters[WANTED] = y
                return WANTS_PRICES
        score = 0.0
        for y in range(own.size):
            score += own[y]
        if score > best[0] + tolerance * max(1.0, abs(best[0])) or best[0] == -np.inf:
            best[0] = score
            counters[IDLE] = 0
            for y in range(own.size):
                for w in range(parents.shape[1]):
                    found[y, w] = parents[y, w]
        margin = tolerance * max(1.0, abs(score))
        if counters[IDLE] > 0 and counters[IDLE] >= patience:
            return FINISHED
        if step == steps:
            break
        kind, x, y = find_move(graph, prices, rank, ranked, tabu, by_move, -np.inf if patience > 0 else margin, margin)
        if kind < 0:
            return FINISHED
        change_graph(graph, kind, x, y)
        stale[y] = True
        stale[x] = stale[x] or kind == REVERSE
        counters[STEPS] += 1
        counters[IDLE] += 1
        if tabu.size > 0:
            tabu[counters[STEPS] % tabu.size] = undoing_key(n, kind, x, y) if by_move else key_of(graph)
    return OUT_OF_STEPS
