"""
Families met so far: a list for each variable, best first.

`store` is

score : float64[n, C]       in order of arrival
word : uint64[n, C]         the word of the family, as kernels_rows has it
size : int32[n, C]
member : int32[n, C, P]     parents, ascending
rank : int32[n, C]          the families from best to worst
number : int64[n]           how many there are

A full list gives up its worst family for a better one.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.scores.score import TOLERANCE

SCORE, WORD, SIZE, MEMBER, RANK, NUMBER = range(6)


@inlined_kernel
def first_not_above(store, child, score):
    """Return the first rank whose family does not score above a value."""
    low, high = np.int64(0), store[NUMBER][child]
    while low < high:
        middle = (low + high) >> 1
        if store[SCORE][child, store[RANK][child, middle]] > score:
            low = middle + 1
        else:
            high = middle
    return low


@borrowing_kernel
def keep_family(store, child, members, size, score, word):
    """Keep a family unless it is there, or worse than all of a full list; return whether it is new."""
    scores, words, sizes, member, rank, number = store
    capacity = scores.shape[1]
    if size > member.shape[2]:
        return False
    margin = tie_margin(score, TOLERANCE)
    at = first_not_above(store, child, score + margin)
    to = at
    while to < number[child] and scores[child, rank[child, to]] >= score - margin:
        if words[child, rank[child, to]] == word:
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
    words[child, slot] = word
    sizes[child, slot] = size
    for i in range(size):
        member[child, slot, i] = members[i]
    return True


@borrowing_kernel
def best_stored(store, child, position, limit, floor, looked):
    """Return the best family that scores above `floor` with all parents before position `limit`; -1 without any."""
    scores, sizes, member, rank = store[SCORE], store[SIZE], store[MEMBER], store[RANK]
    for i in range(store[NUMBER][child]):
        slot = np.int64(rank[child, i])
        if scores[child, slot] <= floor:
            looked[0] += i
            return np.int64(-1)
        fits = True
        for j in range(sizes[child, slot]):
            if position[member[child, slot, j]] >= limit:
                fits = False
                break
        if fits:
            looked[0] += i
            return slot
    looked[0] += store[NUMBER][child]
    return np.int64(-1)
