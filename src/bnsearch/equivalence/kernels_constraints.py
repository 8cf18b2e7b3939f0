"""Background knowledge: which operators it rules out, and which classes have a legal DAG."""

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

# The constraints, a plain tuple; all arrays are empty where everything is allowed:
#   allowed      uint64[n, W]   x is in the row of y where x -> y is allowed
#   joined       uint64[n, W]   x is in the row of y where x -> y or y -> x is required
#   max_parents  int64[n]       the most parents of each variable
#   trial, left                 sets, scratch
ALLOWED, JOINED, MAX_PARENTS, TRIAL, LEFT = range(5)


@inner_kernel
def allows_pair(kind, x, y, constraints):
    """Return True if x and y may be joined (Insert), or parted (Delete)."""
    allowed = constraints[ALLOWED]
    if allowed.shape[0] == 0:
        return True
    if kind == INSERT:
        return has(allowed, y, x) or has(allowed, x, y)
    return not has(constraints[JOINED], y, x)


@inner_kernel
def allows_arcs(x, y, lists, size, constraints):
    """
    Return True if the edges that Insert(x, y, T) compels are allowed: x -> y and t -> y for each t of T.

    lists : T is lists[SUBSET, :size]
    """
    allowed = constraints[ALLOWED]
    if allowed.shape[0] == 0 or size == 0:
        return True
    for i in range(size):
        if not has(allowed, y, lists[SUBSET, i]):
            return False
    return has(allowed, y, x)


@inner_kernel
def makes_collider(old, left, y):
    """Return True if an extension of old has a v-structure at y that old lacks; left : as `extend` leaves it."""
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
def extend_legally(sets, constraints, lists):
    """
    Find a legal DAG of a class; return True if there is one.

    An undirected edge with one direction forbidden gets the other direction. The rest is extended. This leads out of
    the class only if the forbidden directions alone make a new v-structure.

    constraints : its scratch `left` is written: the rows ADJACENT hold the parents of each variable in the DAG
    """
    allowed, _, max_parents, _, left = constraints
    n, words = size_of(sets), sets.shape[1]
    for i in range(4 * n):
        for w in range(words):
            left[i, w] = sets[i, w]
    for y in range(n):
        for w in range(words):
            if sets[PARENTS * n + y, w] & ~allowed[y, w] != np.uint64(0):
                return False
            word = sets[NEIGHBOURS * n + y, w] & ~allowed[y, w]
            while word != np.uint64(0):
                x = 64 * w + lowest_bit(word)
                word &= word - np.uint64(1)
                if not has(allowed, x, y):
                    return False
                direct(left, y, x)
    if not extend(left, lists, max_parents):
        return False
    for y in range(n):
        if makes_collider(sets, left, y):
            return False
    return True


@inner_kernel
def leads_to_legal_class(sets, kind, x, y, size, constraints, lists):
    """Return True if a valid operator, with T or H in lists[SUBSET, :size], leads to a class that has a legal DAG."""
    if constraints[ALLOWED].shape[0] == 0:
        return True
    trial = constraints[TRIAL]
    for i in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            trial[i, w] = sets[i, w]
    done = apply_operator(trial, kind, x, y, size, constraints[LEFT], lists)
    return done and extend_legally(trial, constraints, lists)
