"""Prefixes of sets in an enumeration: their order, their ranks, and the list of kept families."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel


@inner_kernel
def rank_without(place, binomial, left, right, extra):
    """
    Return the rank of a prefix without the places at two indices, left < right; the prefix's length means none.

    place : int64[d]   descending
    extra : number of smaller places that follow the prefix
    """
    rank = np.int64(0)
    position = place.size + extra - (left < place.size) - (right < place.size)
    for t in range(place.size):
        if t == left:
            continue
        if t != right:
            rank += binomial[place[t], position]
            position -= 1
    return rank


@inner_kernel
def first_prefix(place, top, lowest, highest):
    """Write the first prefix of a piece, int64[d] descending places; return True if there is one."""
    d = place.size
    for t in range(1, d):
        place[t] = d - 1 - t
    place[0] = top
    if d > 1:
        place[1] = max(lowest, d - 2)
    return d == 1 or place[1] < highest


@inner_kernel
def next_prefix(place, highest):
    """Move to the next prefix of a piece; return True if there is one."""
    d = place.size
    t = d - 1
    while t > 0 and place[t] + 1 == (highest if t == 1 else place[t - 1]):
        t -= 1
    if t == 0:
        return False
    place[t] += 1
    for u in range(t + 1, d):
        place[u] = d - 1 - u
    return True


@inner_kernel
def write_family(child, rank, score, kept, kept_child, kept_rank, kept_score):
    """Write a family if there is room; return the new number of kept families."""
    if kept < kept_child.size:
        kept_child[kept] = child
        kept_rank[kept] = rank
        kept_score[kept] = score
    return kept + 1
