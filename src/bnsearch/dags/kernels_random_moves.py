"""Random moves through the space of DAGs."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_climb import ADD, DELETE, change_graph
from bnsearch.dags.kernels_graph import SIZES, can_add, can_reverse
from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def is_legal(graph, rules, kind, x, y):
    """Return True if the rules allow a move on x -> y and it closes no cycle."""
    allowed, limits, required = rules
    parents, _, sizes, _ = graph
    if x == y or has_bit(parents[y], x) != (kind != ADD):
        return False
    if kind == ADD:
        return allowed[y, x] and sizes[y] < limits[y] and can_add(graph, x, y)
    if required[y, x]:
        return False
    return kind == DELETE or (allowed[x, y] and sizes[x] < limits[x] and can_reverse(graph, x, y))


@kernel
def move_at_random(graph, rules, words):
    """
    Make one random move for each word: an addition, deletion or reversal, every legal one with the same probability.

    graph : see kernels_graph
    rules : allowed, bool[n, n]; limits, int64[n]; required, bool[n, n]; [y, x] for x -> y
    words : uint64[...]   random bits

    Returns early if no move is legal.
    """
    n = graph[SIZES].size
    for word in words:
        number = np.uint64(0)
        for move in range(3 * n * n):
            number += np.uint64(is_legal(graph, rules, move // (n * n), move % n, move // n % n))
        if number == np.uint64(0):
            return
        left = word % number
        for move in range(3 * n * n):
            kind, y, x = move // (n * n), move // n % n, move % n
            if is_legal(graph, rules, kind, x, y):
                if left == np.uint64(0):
                    change_graph(graph, kind, x, y)
                    break
                left -= np.uint64(1)
