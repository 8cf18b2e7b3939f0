"""Classes as bit sets: reading, changing and completing a partially directed graph."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_bits import popcount
from bnsearch.kernel import kernel

# A graph is uint64[4, n, W]: for each kind of relative and each variable a set, bit v % 64 of word v // 64 for v.
PARENTS, CHILDREN, NEIGHBOURS, ADJACENT = range(4)


@kernel
def has(members, v):
    """Tell whether a set, uint64[W], holds a variable."""
    return (members[v >> 6] >> np.uint64(v & 63)) & np.uint64(1) != np.uint64(0)


@kernel
def put(members, v):
    """Put a variable into a set."""
    members[v >> 6] |= np.uint64(1) << np.uint64(v & 63)


@kernel
def drop(members, v):
    """Take a variable out of a set."""
    members[v >> 6] &= ~(np.uint64(1) << np.uint64(v & 63))


@kernel
def list_members(members, out):
    """Write the variables of a set, ascending; return their number."""
    number = 0
    for w in range(members.size):
        word = members[w]
        while word != np.uint64(0):
            out[number] = 64 * w + np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))
            number += 1
            word &= word - np.uint64(1)
    return number


@kernel
def is_empty(members):
    """Tell whether a set has no members."""
    for w in range(members.size):
        if members[w] != np.uint64(0):
            return False
    return True


@kernel
def is_inside(members, others):
    """Tell whether a set is a subset of another."""
    for w in range(members.size):
        if members[w] & ~others[w] != np.uint64(0):
            return False
    return True


@kernel
def is_inside_but_for(members, v, others):
    """Tell whether a set without one variable is a subset of another."""
    for w in range(members.size):
        extra = members[w] & ~others[w]
        if w == v >> 6:
            extra &= ~(np.uint64(1) << np.uint64(v & 63))
        if extra != np.uint64(0):
            return False
    return True


@kernel
def disconnect(graph, a, b):
    """Remove the edge between two variables."""
    for kind in range(4):
        drop(graph[kind, a], b)
        drop(graph[kind, b], a)


@kernel
def direct(graph, a, b):
    """Make a -> b of whatever stands between two variables."""
    disconnect(graph, a, b)
    put(graph[CHILDREN, a], b)
    put(graph[PARENTS, b], a)
    put(graph[ADJACENT, a], b)
    put(graph[ADJACENT, b], a)


@kernel
def can_come_last(left, v):
    """Tell whether v has no child, and each neighbour of v is adjacent to all others adjacent to v."""
    if not is_empty(left[CHILDREN, v]):
        return False
    for w in range(left.shape[2]):
        word = left[NEIGHBOURS, v, w]
        while word != np.uint64(0):
            u = 64 * w + np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))
            word &= word - np.uint64(1)
            if not is_inside_but_for(left[ADJACENT, v], u, left[ADJACENT, u]):
                return False
    return True


@kernel
def extend(graph, order, parents):
    """
    Find a consistent extension (Dor & Tarsi 1992): take out a variable that can come last, again and again.

    order : int64[n]          written: the variables, parents before children
    parents : uint64[n, W]    written: the parents of each in the extension

    Return whether there is one.
    """
    n = graph.shape[1]
    left = graph.copy()
    stack = np.arange(n)
    waiting = np.ones(n, np.bool_)
    relatives = np.empty(n, np.int64)
    height = n
    last = n
    while height > 0:
        height -= 1
        v = stack[height]
        waiting[v] = False
        if not can_come_last(left, v):
            continue
        last -= 1
        order[last] = v
        number = list_members(left[ADJACENT, v], relatives)
        for w in range(graph.shape[2]):
            parents[v, w] = left[ADJACENT, v, w]
        for i in range(number):
            u = relatives[i]
            disconnect(left, u, v)
            if not waiting[u]:
                waiting[u] = True
                stack[height] = u
                height += 1
    return last == 0


@kernel
def label(order, parents, compelled):
    """
    Find the parents whose edges are compelled (Chickering 1995): the last parent x of y settles all edges into y.

    If all compelled parents of x are parents of y, and all other parents of y are parents of x, then exactly the
    compelled parents of x are compelled for y; otherwise all parents are.

    order, parents : from `extend`
    compelled : uint64[n, W]   written
    """
    n, words = parents.shape
    position = np.empty(n, np.int64)
    relatives = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
    for i in range(n):
        y = order[i]
        number = list_members(parents[y], relatives)
        x = -1
        for j in range(number):
            if x < 0 or position[relatives[j]] > position[x]:
                x = relatives[j]
        covered = x >= 0 and is_inside(compelled[x], parents[y]) and is_inside_but_for(parents[y], x, parents[x])
        for w in range(words):
            compelled[y, w] = compelled[x, w] if covered else parents[y, w]


@kernel
def complete(graph):
    """Turn a partially directed graph into the CPDAG of its extensions; return whether it has any."""
    n, words = graph.shape[1], graph.shape[2]
    order = np.empty(n, np.int64)
    parents = np.empty((n, words), np.uint64)
    compelled = np.empty((n, words), np.uint64)
    relatives = np.empty(n, np.int64)
    if not extend(graph, order, parents):
        return False
    label(order, parents, compelled)
    for y in range(n):
        for w in range(words):
            graph[PARENTS, y, w] = compelled[y, w]
            graph[CHILDREN, y, w] = np.uint64(0)
            graph[NEIGHBOURS, y, w] = np.uint64(0)
    for y in range(n):
        number = list_members(parents[y], relatives)
        for i in range(number):
            x = relatives[i]
            if has(compelled[y], x):
                put(graph[CHILDREN, x], y)
            else:
                put(graph[NEIGHBOURS, x], y)
                put(graph[NEIGHBOURS, y], x)
    return True


@kernel
def apply_insert(graph, x, y, tails):
    """Apply Insert(x, y, tails) to a CPDAG and complete it; return whether that could be done."""
    direct(graph, x, y)
    for i in range(tails.size):
        direct(graph, tails[i], y)
    return complete(graph)


@kernel
def apply_delete(graph, x, y, heads):
    """Apply Delete(x, y, heads) to a CPDAG and complete it; return whether that could be done."""
    disconnect(graph, x, y)
    for i in range(heads.size):
        direct(graph, y, heads[i])
        if has(graph[NEIGHBOURS, x], heads[i]):
            direct(graph, x, heads[i])
    return complete(graph)


@kernel
def mark_changed(old, new, changed):
    """
    Mark the variables whose operators may differ between two graphs.

    Insert(x, y, T), Delete(x, y, H), their gains and the cliques among y's neighbours depend on the parents, neighbours
    and adjacencies of y, and on the adjacencies of y's neighbours.

    changed : bool[n]   set where they differ, left alone elsewhere
    """
    n, words = new.shape[1], new.shape[2]
    moved = np.zeros(words, np.uint64)  # variables with other adjacencies
    for v in range(n):
        for w in range(words):
            if old[ADJACENT, v, w] != new[ADJACENT, v, w]:
                put(moved, v)
    for y in range(n):
        for w in range(words):
            if (
                old[PARENTS, y, w] != new[PARENTS, y, w]
                or old[NEIGHBOURS, y, w] != new[NEIGHBOURS, y, w]
                or old[ADJACENT, y, w] != new[ADJACENT, y, w]
                or new[NEIGHBOURS, y, w] & moved[w] != np.uint64(0)
            ):
                changed[y] = True
