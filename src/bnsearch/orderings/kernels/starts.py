"""Kernels of the informed starts: removing arcs until no cycle is left, and orderings of graphs."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel

NEW = 0  # a vertex that was not visited
OPEN = 1  # a vertex on the current path
DONE = 2  # a vertex from which no cycle can be reached


@inner_kernel
def weaken_cycle(path, bottom, top, arc, left, removed):
    """
    Take the least weight of a cycle from all its arcs; return the first place on the path that lost its arc.

    path : int32[n]       vertices; the cycle is those at places bottom to top
    arc : int64[n]        each vertex's arc to the next one, the last one's back to the first
    left : float64[m]     what is left of the arcs' weights; changed
    removed : bool[m]     arcs whose weight is used up; changed
    """
    least = np.inf
    for i in range(bottom, top + 1):
        least = min(least, left[arc[path[i]]])
    found = -1
    for i in range(bottom, top + 1):
        a = arc[path[i]]
        left[a] -= least
        if left[a] <= 0.0:
            removed[a] = True
            if found < 0:
                found = i
    return found


@kernel
def remove_cycles(roots, begin, heads, left, removed):
    """
    Weaken cycles, found by depth-first search, until none is left.

    The search goes on where it stood: a vertex is done once all its remaining arcs lead to vertices that are done, and
    stays so, because arcs are only removed; after a removal the path is cut back to the tail of the arc.

    roots : int32[n]         the order in which vertices are tried as roots
    begin : int64[n + 1]     the arcs of vertex v are begin[v]:begin[v + 1]
    heads : int32[m]         where each arc leads
    left : float64[m]        the arcs' weights; changed
    removed : bool[m]        all False; written
    """
    n = roots.size
    state = np.zeros(n, np.int8)
    place = np.zeros(n, np.int32)  # where on the path an open vertex stands
    arc = begin[:n].copy()  # the arc that is looked at; those before it are removed or lead to vertices that are done
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
                cut = weaken_cycle(path, place[heads[a]], top, arc, left, removed)
                while top > cut:
                    state[path[top]] = NEW
                    top -= 1


@kernel
def restore_arcs(arcs, tails, begin, heads, removed):
    """
    Put removed arcs back, one after the other, unless that closes a cycle.

    arcs : int64[...]     the removed arcs, in the order in which to try them
    tails : int32[m]      where each arc comes from; begin, heads, removed as in remove_cycles
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
    Write a random topological order of an acyclic graph: each vertex is drawn among those whose parents are placed.

    tails, heads : int32[m]   the arcs
    random : float64[n]       uniform in [0, 1)
    order : int32[n]          written
    """
    n = random.size
    waiting = np.zeros(n, np.int32)
    last = np.full(n, -1, np.int64)  # a vertex's arcs are a chain: the last one, and before each the one before
    before = np.empty(tails.size, np.int64)
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
    Write an ordering that takes the variable with the fewest unvisited parents, then the least goodness.

    first, parents : int64[n + 1], int32[m]    each variable's parents
    begin, children : int64[n + 1], int32[m]   each variable's children
    logs : int64[...]      logarithms of whole numbers, scaled, equal products having equal sums
    random : float64[n]    uniform in [0, 1), for the ties
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
        visit(v, first, parents, begin, children, logs, visited, degree, goodness)


@inner_kernel
def visit(v, first, parents, begin, children, logs, visited, degree, goodness):
    """Take a variable out of the unvisited ones: its children lose a parent, its parents a child."""
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
