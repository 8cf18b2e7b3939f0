"""Kernels that gather the rows of a candidate table by variable and copy them into it."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, kernel
from bnsearch.kernels.sorting import insert_ascending

DIGITS, DIGIT_BITS = 8, 8  # digits of a key of 64 bits
BUCKETS = 1 << DIGIT_BITS


@borrowing_kernel
def count_children(child, counts):
    """
    Count the rows of each child.

    child : int32[rows]
    counts : int64[n]   changed
    """
    for i in range(child.size):
        counts[child[i]] += 1


@borrowing_kernel
def scatter_rows(child, start, to, rows):
    """
    Write the indices of some rows, grouped by child.

    child : int32[m]     children of the rows start:start + m
    to : int64[n]        index for the next row of each child; changed
    rows : int64[...]    written
    """
    for i in range(child.size):
        rows[to[child[i]]] = start + i
        to[child[i]] += 1


@borrowing_kernel
def scatter_families(place, rank, score, to, ranks, scores):
    """
    Copy the ranks and scores of some families, grouped by child.

    place, rank, score : int32, int64, float64[m]
    to : int64[n]                              index for the next family of each child; changed
    ranks, scores : int64, float64[...]        written
    """
    for i in range(place.size):
        at = to[place[i]]
        ranks[at] = rank[i]
        scores[at] = score[i]
        to[place[i]] = at + 1


@inlined_kernel
def unrank(rank, size, binomial, order, begin, members):
    """
    Write the set of a given size and rank.

    order : int64[places]   variable at each place
    members : int32[...]    written from `begin` on: variables, ascending
    """
    high = order.size
    for k in range(size, 0, -1):
        low = k - 1 if k > 1 else rank
        if k == 2:  # rank is at least low (low - 1) / 2
            low = np.int64((1.0 + math.sqrt(1.0 + 8.0 * rank)) * 0.5)
        while k > 2 and high - low > 1:  # binomial[low, k] <= rank < binomial[high, k]
            middle = (low + high) >> 1
            if binomial[middle, k] <= rank:
                low = middle
            else:
                high = middle
        rank -= binomial[low, k]
        j = begin + size - k
        while j > begin and members[j - 1] > order[low]:
            members[j] = members[j - 1]
            j -= 1
        members[j] = order[low]
        high = low


@kernel
def order_best_first(bits):
    """
    Return the order of scores: descending, and equal scores as given (radix sort).

    bits : uint64[m]   the 64 bits of each score
    """
    m = bits.size
    sign = np.uint64(1) << np.uint64(63)
    keys, rows = np.empty((2, m), np.uint64), np.empty((2, m), np.int64)
    counts = np.zeros((DIGITS, BUCKETS), np.int64)
    for i in range(m):
        key = bits[i]
        if key == sign:  # -0.0, which equals 0.0
            key = np.uint64(0)
        keys[0, i] = key = key if key & sign else ~(key | sign)  # ascending keys are descending scores
        rows[0, i] = i
        for d in range(DIGITS):
            counts[d, digit_of(key, d)] += 1
    side = 0
    for d in range(DIGITS):
        if m == 0 or counts[d, digit_of(keys[side, 0], d)] == m:  # all keys have the same digit
            continue
        to = counts[d]
        add_up(to)
        for i in range(m):
            key = keys[side, i]
            at = to[digit_of(key, d)]
            to[digit_of(key, d)] = at + 1
            keys[1 - side, at] = key
            rows[1 - side, at] = rows[side, i]
        side = 1 - side
    return rows[side]


@inlined_kernel
def digit_of(key, d):
    """Return a digit of a key; digit 0 is the least significant one."""
    return np.int64((key >> np.uint64(DIGIT_BITS * d)) & np.uint64(BUCKETS - 1))


@inlined_kernel
def add_up(counts):
    """Replace each count by the sum of those before it."""
    total = np.int64(0)
    for i in range(counts.size):
        counts[i], total = total, total + counts[i]


@kernel
def write_families(
    start, stop, begin, scores, bits, ranks, ends, binomial, order, to, base, new_scores, first, members
):
    """
    Write the sets of the places start:stop into the table, best first.

    begin : int64[places + 1]        index of the first family of each place
    scores, bits, ranks : float64, uint64, int64[families]   scores, their bits and ranks of the families, those of one
                                     place with fewer parents first
    ends : int64[places, sizes]      number of families of a place with no parent, at most one, at most two, ...
    binomial : int64[..., ...]       binomial coefficients
    order : int64[places]            the variable at each place
    to, base : int64[variables + 1]  index of the first row and of the first member of each variable in the table
    new_scores, first, members : float64, int64[rows], int32[...]   written: scores, index of each set's first member,
                                     and members of the table
    """
    for place in range(start, stop):
        own = begin[place]
        variable = order[place]
        at, member = to[variable], base[variable]
        rows = order_best_first(bits[own : begin[place + 1]])
        for i in range(rows.size):
            row = rows[i]
            size = np.int64(0)
            while row >= ends[place, size]:
                size += 1
            new_scores[at + i] = scores[own + row]
            first[at + i] = member
            unrank(ranks[own + row], size, binomial, order, member, members)
            member += size


@borrowing_kernel
def take_rows(first, members, rows, base, new_first, new_members):
    """
    Copy the sets of some rows.

    base : index of the first member in the new table
    new_first : int64[rows]      written
    new_members : int32[...]     the new table's members from `base` on, written
    """
    to = 0
    for i in range(rows.size):
        new_first[i] = base + to
        for j in range(first[rows[i]], first[rows[i] + 1]):
            new_members[to] = members[j]
            to += 1


@borrowing_kernel
def sort_members(child, first, members, n, start, stop):
    """
    Sort the members of the sets of rows start:stop; return the first row with an invalid parent set, or -1.

    A parent set is valid if it holds variables 0..n - 1 without the child, none of them twice.

    members : int32[...]   changed
    """
    for row in range(start, stop):
        for i in range(first[row], first[row + 1]):
            member = members[i]
            j = insert_ascending(members, first[row], i, member)
            twice = j > first[row] and members[j - 1] == member
            if twice or member == child[row] or member < 0 or member >= n:
                return row
    return -1
