"""Kernels of the informed starts (Perez & Maua 2016): feedback arc sets, and orderings of graphs."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel

NEW = 0  # a vertex that was not visited yet
OPEN = 1  # a vertex on the current path
DONE = 2  # a vertex from which no cycle can be reached


@inner_kernel
def weaken_cycle(path, bottom, top, arc, weights, removed):
    """
    Subtract the minimum weight of a cycle from all its arcs; return the first path position whose arc was removed.

    path : int32[n]         vertices; the cycle is path[bottom] to path[top]
    arc : int64[n]          arc of each vertex to the next one; that of the last vertex leads back to the first
    weights : float64[m]    remaining weights of the arcs; changed
    removed : bool[m]       arcs with no remaining weight; changed
    """
    minimum = np.inf
    for i in range(bottom, top + 1):
        minimum = min(minimum, weights[arc[path[i]]])
    found = -1
    for i in range(bottom, top + 1):
        a = arc[path[i]]
        weights[a] -= minimum
        if weights[a] <= 0.0:
            removed[a] = True
            if found < 0:
                found = i
    return found


@kernel
def remove_cycles(roots, begin, heads, weights, removed):
    """
    Remove arcs until the graph is acyclic: weaken cycles, found by depth-first search, until there is none.

    The search is not restarted after a removal; the path is cut back to the tail of the removed arc. A vertex is DONE
    once all its remaining arcs lead to vertices that are DONE. It stays so, because arcs are only removed.

    roots : int32[n]         the vertices in the order in which they are tried as roots
    begin : int64[n + 1]     the arcs of vertex v are begin[v]:begin[v + 1]
    heads : int32[m]         head of each arc
    weights : float64[m]     weights of the arcs; changed
    removed : bool[m]        all False; written
    """
    n = roots.size
    state = np.zeros(n, np.int8)
    place = np.zeros(n, np.int32)  # position of an open vertex on the path
    arc = begin[:n].copy()  # current arc of each vertex; those before it are removed or lead to DONE vertices
    path = np.empty(n, np.int32)
    for root in roots:
        if state[root] != NEW:
            continue
        path[0] = root
        state[root] = OPEN
        place[root] = 0
        top = np.int64(0)
        while top >= 0:
            v = path[top]
            a = arc[v]
            if a == begin[v + 1]:
                state[v] = DONE
                top -= 1
            elif removed[a] or state[heads[a]] == DONE:
                arc[v] += 1
            elif state[heads[a]] == NEW:
                top += 1
                path[top] = heads[a]
                state[heads[a]] = OPEN
                place[heads[a]] = top
            else:
                cut = weaken_cycle(path, place[heads[a]], top, arc, weights, removed)
                while top > cut:
                    state[path[top]] = NEW
                    top -= 1


@kernel
def restore_arcs(arcs, tails, begin, heads, removed):
    """
    Restore removed arcs, one after the other, unless that closes a cycle.

    arcs : int64[...]     the removed arcs, in the order in which to try them
    tails : int32[m]      tail of each arc
    begin, heads, removed   as in remove_cycles; `removed` is changed
    """
    n = begin.size - 1
    seen = np.full(n, -1, np.int64)
    stack = np.empty(n, np.int32)
    for a in arcs:
        stack[0] = heads[a]
        seen[heads[a]] = a
        size = 1
        while size > 0 and seen[tails[a]] != a:
            size -= 1
            v = stack[size]
            for b in range(begin[v], begin[v + 1]):
                if not removed[b] and seen[heads[b]] != a:
                    seen[heads[b]] = a
                    stack[size] = heads[b]
                    size += 1
        removed[a] = seen[tails[a]] == a


@kernel
def order_topologically(tails, heads, random, order):
    """
    Write a random topological order of an acyclic graph.

    Each vertex is drawn uniformly among those whose parents are already in the order.

    tails, heads : int32[m]   the arcs
    random : float64[n]       uniform in [0, 1)
    order : int32[n]          written
    """
    n = random.size
    waiting = np.zeros(n, np.int32)
    last = np.full(n, -1, np.int64)  # the arcs of a vertex are a linked list: its last arc,
    before = np.empty(tails.size, np.int64)  # and the arc before each arc
    for a in range(tails.size):
        waiting[heads[a]] += 1
        before[a] = last[tails[a]]
        last[tails[a]] = a
    free = np.empty(n, np.int32)
    size = 0
    for v in range(n):
        if waiting[v] == 0:
            free[size] = v
            size += 1
    for i in range(n):
        drawn = int(random[i] * size)
        order[i] = free[drawn]
        size -= 1
        free[drawn] = free[size]
        a = last[order[i]]
        while a >= 0:
            waiting[heads[a]] -= 1
            if waiting[heads[a]] == 0:
                free[size] = heads[a]
                size += 1
            a = before[a]


@kernel
def order_by_goodness(first, parents, begin, children, logs, random, order):
    """
    Write the ordering of Perez & Maua (2016), Algorithm 3.

    Next is the variable with the fewest unvisited parents and, among these, the least goodness. The goodness of a
    variable is the product of the numbers of unvisited parents of its unvisited children. It is kept as a sum of
    logarithms.

    first, parents : int64[n + 1], int32[m]    parents of each variable
    begin, children : int64[n + 1], int32[m]   children of each variable
    logs : int64[...]      scaled logarithms of the integers; equal products have equal sums
    random : float64[n]    uniform in [0, 1), to break ties
    order : int32[n]       written
    """
    n = random.size
    degree = np.empty(n, np.int64)
    for v in range(n):
        degree[v] = first[v + 1] - first[v]
    goodness = np.zeros(n, np.int64)
    for v in range(n):
        for i in range(begin[v], begin[v + 1]):
            goodness[v] += logs[degree[children[i]]]
    visited = np.zeros(n, np.bool_)
    best = np.empty(n, np.int32)
    for step in range(n):
        ties = 0
        for v in range(n):
            if visited[v]:
                continue
            if ties > 0:
                other = best[0]
                if degree[v] > degree[other] or (degree[v] == degree[other] and goodness[v] > goodness[other]):
                    continue
                if degree[v] < degree[other] or goodness[v] < goodness[other]:
                    ties = 0
            best[ties] = v
            ties += 1
        v = best[int(random[step] * ties)]
        order[step] = v
        visited[v] = True
        mark_visited(v, first, parents, begin, children, logs, visited, degree, goodness)


@inner_kernel
def mark_visited(v, first, parents, begin, children, logs, visited, degree, goodness):
    """Update after a visit: the children of v have one unvisited parent less, its parents one unvisited child less."""
    for i in range(first[v], first[v + 1]):
        goodness[parents[i]] -= logs[degree[v]]
    for i in range(begin[v], begin[v + 1]):
        child = children[i]
        if visited[child]:
            continue
        change = logs[degree[child] - 1] - logs[degree[child]]
        degree[child] -= 1
        for j in range(first[child], first[child + 1]):
            goodness[parents[j]] += change
