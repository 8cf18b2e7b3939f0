"""
A store of the families met so far: a list for each variable.

`store` is

score : float64[n, C]       local scores; a family has the same slot in all arrays
family_hash : uint64[n, C]  hash of each family, as in kernels_rows
size : int32[n, C]          number of parents
member : int32[n, C, P]     parents, ascending
rank : int32[n, C]          slots of the families from best to worst
number : int64[n]           number of stored families

A better family replaces the worst one of a full list.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.scores.score import TOLERANCE

SCORE, FAMILY_HASH, SIZE, MEMBER, RANK, NUMBER = range(6)


@inlined_kernel
def find_rank(store, child, score):
    """Return the first rank whose family does not score above a given score."""
    low, high = np.int64(0), store[NUMBER][child]
    while low < high:
        middle = (low + high) >> 1
        if store[SCORE][child, store[RANK][child, middle]] > score:
            low = middle + 1
        else:
            high = middle
    return low


@borrowing_kernel
def store_family(store, child, members, size, score, family_hash):
    """Store a family unless it is there, or is worse than a full list; return True if it was stored."""
    scores, hashes, sizes, member, rank, number = store
    capacity = scores.shape[1]
    if size > member.shape[2]:
        return False
    margin = tie_margin(score, TOLERANCE)
    at = find_rank(store, child, score + margin)
    to = at
    while to < number[child] and scores[child, rank[child, to]] >= score - margin:
        if hashes[child, rank[child, to]] == family_hash:
            return False
        to += 1
    if number[child] < capacity:
        slot = number[child]
        number[child] += 1
    else:
        if to >= capacity:
            return False
        slot = np.int64(rank[child, capacity - 1])
    for i in range(number[child] - 1, to, -1):
        rank[child, i] = rank[child, i - 1]
    rank[child, to] = slot
    scores[child, slot] = score
    hashes[child, slot] = family_hash
    sizes[child, slot] = size
    for i in range(size):
        member[child, slot, i] = members[i]
    return True


@borrowing_kernel
def find_best_stored(store, child, position, limit, min_score, examined):
    """Return the slot of the best family above `min_score` with all parents before position `limit`; -1 if none."""
    scores, sizes, member, rank = store[SCORE], store[SIZE], store[MEMBER], store[RANK]
    for i in range(store[NUMBER][child]):
        slot = np.int64(rank[child, i])
        if scores[child, slot] <= min_score:
            examined[0] += i
            return np.int64(-1)
        fits = True
        for j in range(sizes[child, slot]):
            if position[member[child, slot, j]] >= limit:
                fits = False
                break
        if fits:
            examined[0] += i
            return slot
    examined[0] += store[NUMBER][child]
    return np.int64(-1)
