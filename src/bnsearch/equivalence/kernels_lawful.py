"""Knowledge of edges: which operators it rules out, and which classes have a network that respects it."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.equivalence.kernels_graph import (
    ADJACENT,
    NEIGHBOURS,
    PARENTS,
    SUBSET,
    apply_operator,
    direct,
    extend,
    has,
    size_of,
)
from bnsearch.equivalence.kernels_operators import INSERT
from bnsearch.kernels.bits import lowest_bit
from bnsearch.kernels.compile import inner_kernel, kernel

# The laws, a plain tuple; all arrays are empty where everything is allowed:
#   may    uint64[n, W]   x is in the row of y where x -> y is allowed
#   must   uint64[n, W]   x is in the row of y where x -> y or y -> x is required
#   most   int64[n]       how many parents each variable may have
#   trial, left           sets, scratch


@inner_kernel
def may_touch(kind, x, y, laws):
    """Tell whether x and y may be joined (Insert), or parted (Delete)."""
    may, must = laws[0], laws[1]
    if may.shape[0] == 0:
        return True
    if kind == INSERT:
        return has(may, y, x) or has(may, x, y)
    return not has(must, y, x)


@inner_kernel
def may_point(x, y, lists, size, laws):
    """Tell whether the edges that Insert(x, y, T) compels are allowed: x -> y <- t for t in T, lists[SUBSET, :size]."""
    may = laws[0]
    if may.shape[0] == 0 or size == 0:
        return True
    for i in range(size):
        if not has(may, y, lists[SUBSET, i]):
            return False
    return has(may, y, x)


@inner_kernel
def makes_collider(old, left, y):
    """Tell whether an extension of old has a v-structure at y that old does not have; left : as `extend` leaves it."""
    n, words = size_of(old), old.shape[1]
    into = ADJACENT * n + y
    for w in range(words):
        word = left[into, w] & old[NEIGHBOURS * n + y, w]
        while word != np.uint64(0):
            x = 64 * w + lowest_bit(word)
            word &= word - np.uint64(1)
            for u in range(words):
                apart = left[into, u] & ~old[ADJACENT * n + x, u]
                if u == x >> 6:
                    apart &= ~(np.uint64(1) << np.uint64(x & 63))
                if apart != np.uint64(0):
                    return True
    return False


@kernel
def extend_lawfully(sets, laws, lists):
    """
    Find a DAG of a class that respects the laws; return whether there is one.

    Undirected edges of which one direction is forbidden get the other; what is left is extended, which leads out of the
    class only if these directions alone make a new v-structure.

    laws : the last, `left`, holds the parents of each variable in its rows ADJACENT
    """
    may, _, most, _, left = laws
    n, words = size_of(sets), sets.shape[1]
    for i in range(4 * n):
        for w in range(words):
            left[i, w] = sets[i, w]
    for y in range(n):
        for w in range(words):
            if sets[PARENTS * n + y, w] & ~may[y, w] != np.uint64(0):
                return False
            word = sets[NEIGHBOURS * n + y, w] & ~may[y, w]
            while word != np.uint64(0):
                x = 64 * w + lowest_bit(word)
                word &= word - np.uint64(1)
                if not has(may, x, y):
                    return False
                direct(left, y, x)
    if not extend(left, lists, most):
        return False
    for y in range(n):
        if makes_collider(sets, left, y):
            return False
    return True


@inner_kernel
def leads_to_lawful(sets, kind, x, y, size, laws, lists):
    """Tell whether a valid operator, T or H in lists[SUBSET, :size], leads to a class with a DAG within the laws."""
    may, _, _, trial, left = laws
    if may.shape[0] == 0:
        return True
    for i in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            trial[i, w] = sets[i, w]
    return apply_operator(trial, kind, x, y, size, left, lists) and extend_lawfully(trial, laws, lists)
