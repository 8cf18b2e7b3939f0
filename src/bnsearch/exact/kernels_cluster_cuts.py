"""Kernels that find violated cluster inequalities: shortest cycles, and local search over sets of variables."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_borrowing_kernel, kernel
from bnsearch.kernels.random_numbers import draw_below

MAX_ORDER = 2  # largest order of the inequalities that the search considers
MIN_WEIGHT = 1e-6  # edges of smaller weight are ignored
MIN_VIOLATION = 1e-5  # inequalities that are violated by less are ignored
MIN_TENURE = 3  # steps for which the local search does not move a variable back
TENURE_RANGE = 3  # range of the random addition to these steps

# In all kernels, `support` describes the parent sets with a positive value in the solution of the linear program:
# (int64[n + 1], float64[s], int64[s], int64[s + 1], int64[...], int64[n + 1], int64[...], float64[n, n])
#     begin   the parent sets of variable v are begin[v]:begin[v + 1]
#     value   of each parent set
#     child   variable of each parent set
#     first, members   the members of set s are members[first[s]:first[s + 1]]
#     holder_begin, holders   the sets that contain u are holders[holder_begin[u]:holder_begin[u + 1]]
#     weights   weights[u, v] is the sum of the values of the parent sets of v that contain u


@inner_borrowing_kernel
def compute_join_change(support, inside, count, order, u):
    """Return the change of the left side of the inequality if u joins the cluster; infinity if u is not related."""
    begin, value, child, _, _, holder_begin, holders, _ = support
    change = 0.0
    for s in range(begin[u], begin[u + 1]):
        if count[s] < order:
            change += value[s]
    related = False
    for i in range(holder_begin[u], holder_begin[u + 1]):
        s = holders[i]
        if inside[child[s]] != 0:
            related = True
            if count[s] == order - 1:
                change -= value[s]
    return change if related else np.inf


@inner_borrowing_kernel
def compute_leave_change(support, inside, count, order, u):
    """Return the change of the left side of the inequality if u leaves the cluster."""
    begin, value, child, _, _, holder_begin, holders, _ = support
    change = 0.0
    for s in range(begin[u], begin[u + 1]):
        if count[s] < order:
            change -= value[s]
    for i in range(holder_begin[u], holder_begin[u + 1]):
        s = holders[i]
        if inside[child[s]] != 0 and count[s] == order:
            change += value[s]
    return change


@inner_borrowing_kernel
def start_cluster(support, inside, order, count):
    """Write the number of members of each parent set inside the cluster; return the left side of the inequality."""
    begin, value, _, first, members, _, _, _ = support
    left = 0.0
    for v in range(inside.size):
        for s in range(begin[v], begin[v + 1]):
            count[s] = 0
            for i in range(first[s], first[s + 1]):
                count[s] += inside[members[i]]
            if inside[v] != 0 and count[s] < order:
                left += value[s]
    return left


@inner_borrowing_kernel
def improve_cluster(support, inside, order, steps, state, count, tabu, best):
    """
    Search for a cluster with a small left side of its inequality by tabu search; return the smallest violation.

    A step moves one variable into or out of the cluster, the one that changes the left side best.

    inside : int8[n]     initial cluster, at least `order` + 1 variables or fewer; changed
    state : uint64[...]  state of the random numbers; changed
    count, tabu : int64[s], int64[n]   scratch
    best : int8[n]       written: the best cluster
    """
    holder_begin, holders = support[5], support[6]
    n = inside.size
    left = start_cluster(support, inside, order, count)
    size = 0
    for v in range(n):
        size += inside[v]
        tabu[v] = 0
        best[v] = inside[v]
    smallest = left if size > order else np.inf
    for step in range(1, steps + 1):
        chosen = -1
        change = np.inf
        for u in range(n):
            if tabu[u] >= step:
                continue
            if inside[u] == 0:
                own = compute_join_change(support, inside, count, order, u)
            elif size > order + 1:
                own = compute_leave_change(support, inside, count, order, u)
            else:
                continue
            if own < change - 1e-12:
                change = own
                chosen = u
        if chosen < 0:
            break
        move = 1 if inside[chosen] == 0 else -1
        inside[chosen] += move
        size += move
        for i in range(holder_begin[chosen], holder_begin[chosen + 1]):
            count[holders[i]] += move
        left += change
        tabu[chosen] = step + MIN_TENURE + np.int64(draw_below(state, TENURE_RANGE))
        if size > order and left < smallest - 1e-9:
            smallest = left
            for v in range(n):
                best[v] = inside[v]
    return order - smallest


@inner_borrowing_kernel
def find_shortest_cycle(weights, source, distance, previous, done, inside):
    """
    Return True if there is a cycle through a variable whose cluster inequality is violated by its edges alone.

    An edge of weight w has the length 1 - w. The inequality is violated if the cycle is shorter than 1.

    inside : int8[n]   written: the variables on the shortest cycle
    """
    n = weights.shape[0]
    for v in range(n):
        weight = weights[source, v]
        distance[v] = 1.0 - weight if weight > MIN_WEIGHT else np.inf
        previous[v] = source
        done[v] = 0
        inside[v] = 0
    while True:
        u = -1
        shortest = 1.0 - MIN_VIOLATION
        for v in range(n):
            if done[v] == 0 and distance[v] < shortest:
                shortest = distance[v]
                u = v
        if u < 0:
            return False
        if u == source:
            break
        done[u] = 1
        for v in range(n):
            if weights[u, v] > MIN_WEIGHT and shortest + 1.0 - weights[u, v] < distance[v]:
                distance[v] = shortest + 1.0 - weights[u, v]
                previous[v] = u
    while inside[u] == 0:
        inside[u] = 1
        u = previous[u]
    return True


@inner_borrowing_kernel
def store_cluster(found, orders, violations, stored, inside, order, violation):
    """Store a cluster if its inequality is violated, and return the number of stored clusters."""
    if violation < MIN_VIOLATION or stored == orders.size:
        return stored
    for v in range(inside.size):
        found[stored, v] = inside[v]
    orders[stored] = order
    violations[stored] = violation
    return stored + 1


@kernel
def find_cycle_clusters(support, sources, found, orders, violations):
    """
    Find a violated inequality of order 1 through each source, and return their number.

    sources : int64[...]   variables
    found : int8[m, n]   written: the clusters, with their `orders`, int64[m], and `violations`, float64[m]
    """
    weights = support[7]
    n = weights.shape[0]
    distance = np.empty(n)
    previous = np.empty(n, np.int64)
    done = np.empty(n, np.int8)
    inside = np.empty(n, np.int8)
    count = np.empty(support[1].size, np.int64)
    stored = 0
    for source in sources:
        if find_shortest_cycle(weights, source, distance, previous, done, inside):
            left = start_cluster(support, inside, np.int64(1), count)
            stored = store_cluster(found, orders, violations, stored, inside, np.int64(1), 1.0 - left)
    return stored


@kernel
def find_clusters_from_edges(support, parents, children, steps, state, found, orders, violations):
    """
    Find violated inequalities by tabu searches that start from single edges, and return their number.

    parents, children : int64[e]   the edges
    steps : number of steps of each search
    others : as in find_cycle_clusters and improve_cluster
    """
    n = support[7].shape[0]
    inside = np.zeros(n, np.int8)
    best = np.zeros(n, np.int8)
    tabu = np.empty(n, np.int64)
    count = np.empty(support[1].size, np.int64)
    stored = 0
    for e in range(parents.size):
        for order in range(1, MAX_ORDER + 1):
            inside[:] = 0
            inside[parents[e]] = 1
            inside[children[e]] = 1
            violation = improve_cluster(support, inside, order, steps, state, count, tabu, best)
            stored = store_cluster(found, orders, violations, stored, best, order, violation)
    return stored
