"""
A DAG that changes edge by edge: lists of parents, and ancestors as bitsets.

`graph` is, with W words of 64 variables each,

member : int32[n, P]        parents of each variable
size : int64[n]             number of parents of each variable
drop : float64[n, P]        gain of the local score when a parent is removed; minus infinity if it is required
ancestors : uint64[n, W]    bit x of row y is set if a directed path leads from x to y
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import count_ones, has_bit
from bnsearch.kernels.compile import inner_kernel, kernel

MEMBER, SIZE, DROP, ANCESTORS = range(4)


@inner_kernel
def find_parent(graph, x, y):
    """Return the index of x in the list of y's parents; -1 if it is not a parent."""
    member = graph[MEMBER]
    for i in range(graph[SIZE][y]):
        if member[y, i] == x:
            return i
    return -1


@inner_kernel
def is_reversible(graph, x, y):
    """Return True if reversing x -> y closes no cycle: no other path leads from x to y."""
    for i in range(graph[SIZE][y]):
        if has_bit(graph[ANCESTORS][graph[MEMBER][y, i]], x):  # never x itself
            return False
    return True


@inner_kernel
def add_parent(graph, x, y):
    """Add x -> y: x and its ancestors become ancestors of y and of the descendants of y."""
    member, size, drop, ancestors = graph
    member[y, size[y]] = x
    drop[y, size[y]] = 0.0
    size[y] += 1
    for d in range(ancestors.shape[0]):
        if d == y or has_bit(ancestors[d], y):
            for w in range(ancestors.shape[1]):
                ancestors[d, w] |= ancestors[x, w]
            ancestors[d, x >> 6] |= np.uint64(1) << np.uint64(x & 63)


@inner_kernel
def find_ancestors(graph, y):
    """Write the ancestors of y; those of its parents must be up to date."""
    member, size, _, ancestors = graph
    for w in range(ancestors.shape[1]):
        ancestors[y, w] = np.uint64(0)
    for i in range(size[y]):
        x = np.int64(member[y, i])
        for w in range(ancestors.shape[1]):
            ancestors[y, w] |= ancestors[x, w]
        ancestors[y, x >> 6] |= np.uint64(1) << np.uint64(x & 63)


@kernel
def set_ancestors(graph, order):
    """Write the ancestors of all variables; order : int64[n], the variables in a topological order."""
    for i in range(order.size):
        find_ancestors(graph, order[i])


@inner_kernel
def remove_parent(graph, x, y):
    """
    Remove x -> y, and find the ancestors of y and of the descendants of y again.

    A variable has more ancestors than each of its parents, so ascending numbers of them are a topological order.
    """
    member, size, drop, ancestors = graph
    at = find_parent(graph, x, y)
    size[y] -= 1
    for i in range(at, size[y]):
        member[y, i] = member[y, i + 1]
        drop[y, i] = drop[y, i + 1]
    n = ancestors.shape[0]
    below = np.empty(n, np.int64)
    number = np.empty(n, np.int64)
    found = 0
    for d in range(n):
        if d == y or has_bit(ancestors[d], y):
            below[found] = d
            number[found] = count_ones(ancestors[d])
            found += 1
    for i in np.argsort(number[:found]):
        find_ancestors(graph, below[i])
