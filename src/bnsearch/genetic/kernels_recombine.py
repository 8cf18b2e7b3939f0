"""Priority recombination: the parent sets of another individual taken over where they fit better."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel


@kernel
def insert_before(order, position, mover, target):
    """Move a variable that stands behind another to the place in front of it; order and position are updated."""
    to = position[target]
    for at in range(position[mover], to, -1):
        order[at] = order[at - 1]
        position[order[at]] = at
    order[to] = mover
    position[mover] = to


@kernel
def get_parent_set(graph, start, order, position, found, stack, cursor):
    """
    Collect the variables whose parents have to be taken over together with those of `start` (Algorithm 2, getpaset).

    Whoever is a parent of a collected variable and stands behind it is put in front of it, and collected.

    graph : bool[n, n]           of the other individual, [child, parent]
    order, position : int64[n]   updated
    found : bool[n]              written
    stack, cursor : int64[n]     scratch
    """
    n = graph.shape[0]
    for v in range(n):
        found[v] = False
    found[start] = True
    stack[0] = start
    cursor[0] = 0
    depth = 1
    while depth > 0:
        child, parent = stack[depth - 1], cursor[depth - 1]
        if parent == n:
            depth -= 1
            continue
        cursor[depth - 1] += 1
        if graph[child, parent] and position[parent] > position[child]:
            insert_before(order, position, parent, child)
            if not found[parent]:
                found[parent] = True
                stack[depth] = parent
                cursor[depth] = 0
                depth += 1


@inner_kernel
def copy_order(order, position, to):
    """Copy an ordering, and where each variable stands in it."""
    for at in range(order.size):
        to[at] = order[at]
        position[order[at]] = at


@kernel
def recombine(orders, graphs, gains, ranks, taken, tolerance):
    """
    Take over parent sets of other individuals that fit better, with all that this entails (Algorithm 1, lines 3-18).

    orders : int64[number, n]     of those who take, updated
    graphs : bool[number, n, n]   of those who give, [child, parent]
    gains : float64[number, n]    what each variable's fit gains by taking over (Eq. 15)
    ranks : int64[number, n]      the variables, highest gain first
    taken : bool[number, n]       written: whose parents are taken over
    tolerance : float64[number]   a gain must be above
    """
    n = orders.shape[1]
    trial, position = np.empty(n, np.int64), np.empty(n, np.int64)
    stack, cursor = np.empty(n, np.int64), np.empty(n, np.int64)
    found, marked = np.empty(n, np.bool_), np.empty(n, np.bool_)
    for i in range(orders.shape[0]):
        for v in range(n):
            marked[v] = False
            taken[i, v] = False
        for at in range(n):
            start = ranks[i, at]
            if marked[start]:
                continue
            marked[start] = True
            copy_order(orders[i], position, trial)
            get_parent_set(graphs[i], start, trial, position, found, stack, cursor)
            total = 0.0
            for v in range(n):
                if found[v] and not taken[i, v]:
                    total += gains[i, v]
            if total > tolerance[i]:
                for v in range(n):
                    orders[i, v] = trial[v]
                    if found[v]:
                        taken[i, v] = True
                        marked[v] = True
