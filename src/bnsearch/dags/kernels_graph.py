"""A DAG that changes edge by edge: parents and ancestors as bitsets."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.kernels.bits import count_ones, has_bit, popcount
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.random_numbers import INCREMENT, mix_bits

# A plain tuple of, with W words of 64 variables each,
#   parents     uint64[n, W]   bit x of row y: x is a parent of y
#   ancestors   uint64[n, W]   bit x of row y: a directed path leads from x to y
#   sizes       int64[n]       numbers of parents
#   keys        uint64[n]      exclusive or of the keys of the edges into each variable
Graph = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64]]


@inner_kernel
def flip_bit(row, x):
    """Turn bit x of a row of words."""
    row[x >> 6] ^= np.uint64(1) << np.uint64(x & 63)


@inner_kernel
def members_of(row, members):
    """Write the bits that are set in a row of words, ascending; return how many there are."""
    number = 0
    for w in range(row.size):
        word = row[w]
        while word != np.uint64(0):
            members[number] = 64 * w + np.int64(popcount(~word & (word - np.uint64(1))))  # its lowest bit
            word &= word - np.uint64(1)
            number += 1
    return number


@inner_kernel
def edge_key(n, x, y):
    """Return a number that stands for the edge x -> y: SplitMix64 (Steele, Lea & Flood 2014) of its index."""
    return mix_bits(np.uint64(x * n + y + 1) * INCREMENT)


@kernel
def can_add(graph, x, y):
    """Tell whether x -> y, not there yet, would close no cycle."""
    return x != y and not has_bit(graph[1][x], y)


@kernel
def can_reverse(graph, x, y):
    """Tell whether turning x -> y round would close no cycle: no other path leads from x to y."""
    parents, ancestors, sizes, _ = graph
    others = np.empty(sizes[y], np.int64)
    for i in range(members_of(parents[y], others)):
        if has_bit(ancestors[others[i]], x):  # never x itself
            return False
    return True


@inner_kernel
def turn_edge(graph, x, y):
    """Add x -> y or take it away, without a look at the ancestors."""
    parents, _, sizes, keys = graph
    flip_bit(parents[y], x)
    sizes[y] += 1 if has_bit(parents[y], x) else -1
    keys[y] ^= edge_key(sizes.size, x, y)


@kernel
def add_edge(graph, x, y):
    """Add x -> y: x and its ancestors become ancestors of y and of all that y leads to."""
    turn_edge(graph, x, y)
    ancestors = graph[1]
    for d in range(ancestors.shape[0]):
        if d == y or has_bit(ancestors[d], y):
            for w in range(ancestors.shape[1]):
                ancestors[d, w] |= ancestors[x, w]
            ancestors[d, x >> 6] |= np.uint64(1) << np.uint64(x & 63)


@inner_kernel
def find_ancestors(graph, y):
    """Write the ancestors of y, those of its parents being right."""
    parents, ancestors, sizes, _ = graph
    members = np.empty(sizes[y], np.int64)
    number = members_of(parents[y], members)
    for w in range(parents.shape[1]):
        ancestors[y, w] = parents[y, w]
        for i in range(number):
            ancestors[y, w] |= ancestors[members[i], w]


@kernel
def drop_edge(graph, x, y):
    """
    Take x -> y away: find the ancestors of y and of all that y leads to again.

    A variable has more ancestors than each of its parents, so ascending numbers of them are a topological order.
    """
    turn_edge(graph, x, y)
    ancestors = graph[1]
    n = ancestors.shape[0]
    number = np.empty(n, np.int64)
    begin = np.zeros(n + 2, np.int64)
    for d in range(n):
        number[d] = -1
        if d == y or has_bit(ancestors[d], y):
            number[d] = count_ones(ancestors[d])
            begin[number[d] + 1] += 1
    for i in range(n):
        begin[i + 1] += begin[i]
    order = np.empty(begin[n], np.int64)
    for d in range(n):
        if number[d] >= 0:
            order[begin[number[d]]] = d
            begin[number[d]] += 1
    for i in range(order.size):
        find_ancestors(graph, order[i])
