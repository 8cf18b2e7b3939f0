"""Random moves through the space of DAGs."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_climb import ADD, DELETE, change_graph
from bnsearch.dags.kernels_graph import can_add, can_reverse
from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def permits(graph, rules, kind, x, y):
    """Tell whether the rules allow a move on x -> y, and it closes no cycle."""
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
    Make random moves, one for each word: an addition, deletion or reversal, each that is legal with the same chance.

    graph : see kernels_graph
    rules : allowed, bool[n, n]; limits, int64[n]; required, bool[n, n]; [y, x] for x -> y
    words : uint64[...]   random bits

    Ends early where no move is legal.
    """
    n = graph[2].size
    for word in words:
        number = np.uint64(0)
        for move in range(3 * n * n):
            number += np.uint64(permits(graph, rules, move // (n * n), move % n, move // n % n))
        if number == np.uint64(0):
            return
        left = word % number
        for move in range(3 * n * n):
            kind, y, x = move // (n * n), move // n % n, move % n
            if permits(graph, rules, kind, x, y):
                if left == np.uint64(0):
                    change_graph(graph, kind, x, y)
                    break
                left -= np.uint64(1)
