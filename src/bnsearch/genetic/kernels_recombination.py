"""Priority recombination: parent sets replaced by those of another individual that fit better."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel


@kernel
def insert_before(order, position, mover, target):
    """Move a variable that stands behind `target` to the place before it; order and position are updated."""
    to = position[target]
    for at in range(position[mover], to, -1):
        order[at] = order[at - 1]
        position[order[at]] = at
    order[to] = mover
    position[mover] = to


@kernel
def get_parent_set(graph, start, order, position, found, stack, cursor):
    """
    Collect the variables whose parent sets must be replaced together with that of `start` (Algorithm 2, getpaset).

    A parent of a collected variable that stands behind it is moved before it, and is collected, too.

    graph : bool[n, n]           graph of the former individual, [child, parent]
    order, position : int64[n]   the ordering, and the position of each variable; updated
    found : bool[n]              written: True for the collected variables, mid_paset
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
    """Copy an ordering, and write the position of each variable in it."""
    for at in range(order.size):
        to[at] = order[at]
        position[order[at]] = at


@kernel
def recombine(orders, graphs, gains, by_gain, taken, tolerance):
    """
    Replace parent sets of old individuals by those of former ones that fit better (Algorithm 1, lines 3-18).

    orders : int64[number, n]     orderings of the old individuals, updated
    graphs : bool[number, n, n]   graphs of the former individuals, [child, parent]
    gains : float64[number, n]    gain of each variable's fit by the replacement, diff_llS (Eq. 15)
    by_gain : int64[number, n]    the variables, the highest gain first, D
    taken : bool[number, n]       written: True for replaced parent sets, change_paset
    tolerance : float64[number]   a replacement must gain more than this
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
            start = by_gain[i, at]
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
