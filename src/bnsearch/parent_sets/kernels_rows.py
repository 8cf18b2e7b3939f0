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
SIGN = 1 << 63  # bit of the sign of a score


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
def order_best_first(bits, keys, rows, other_keys, other_rows):
    """
    Sort scores: descending, and equal scores as given (radix sort).

    bits : uint64[m]                     the 64 bits of each score
    keys, rows, other_keys, other_rows : uint64, int64, uint64, int64[m]   overwritten

    Returns the keys of the scores in their order, and their indices, in two of the last four arrays.
    """
    m = bits.size
    sign = np.uint64(SIGN)
    counts = np.zeros((DIGITS, BUCKETS), np.int64)
    for i in range(m):
        key = bits[i]
        if key == sign:  # -0.0, which equals 0.0
            key = np.uint64(0)
        keys[i] = key = key if key & sign else ~(key | sign)  # ascending keys are descending scores
        rows[i] = i
        for d in range(DIGITS):
            counts[d, digit_of(key, d)] += 1
    for d in range(DIGITS):
        if m == 0 or counts[d, digit_of(keys[0], d)] == m:  # all keys have the same digit
            continue
        to = counts[d]
        add_up(to)
        for i in range(m):
            key = keys[i]
            at = to[digit_of(key, d)]
            to[digit_of(key, d)] = at + 1
            other_keys[at] = key
            other_rows[at] = rows[i]
        keys, other_keys = other_keys, keys
        rows, other_rows = other_rows, rows
    return keys, rows


@inlined_kernel
def score_bits(key):
    """Return the 64 bits of the score of a key."""
    sign = np.uint64(SIGN)
    return key if key & sign else ~key & ~sign


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
def sort_families(
    start, stop, begin, empty, bits, ranks, ends, binomial, order, base, members,
    keys, rows, other_keys, other_rows, old_ranks,
):  # fmt: skip
    """
    Sort the families of the variables start:stop, best first, and write their parents.

    begin : int64[variables + 1]     index of the first family of each variable, which is that of the empty set
    empty : uint64[variables]        bits of the scores of the empty sets
    bits : uint64[families]          bits of the scores of all other families, those of one variable with fewer parents
                                     first; changed: bits of all scores in the new order
    ranks : int64[families]          ranks of the parents; changed: index of each set's first member
    ends : int64[variables, sizes]   number of families of a variable with no parent, at most one, at most two, ...
    binomial : int64[..., ...]       binomial coefficients
    order : int64[places]            the variable at each place
    base : int64[variables + 1]      index of the first member of each variable
    members : int32[...]             written
    keys, rows, other_keys, other_rows, old_ranks : uint64, int64, uint64, int64, int64[largest number of families of a
                                     variable], overwritten
    """
    for variable in range(start, stop):
        own, member = begin[variable], base[variable]
        m = begin[variable + 1] - own
        bits[own] = empty[variable]
        ranks[own] = 0
        for i in range(m):
            old_ranks[i] = ranks[own + i]
        sorted_keys, sorted_rows = order_best_first(
            bits[own : own + m], keys[:m], rows[:m], other_keys[:m], other_rows[:m]
        )
        for i in range(m):
            row = sorted_rows[i]
            size = np.int64(0)
            while row >= ends[variable, size]:
                size += 1
            bits[own + i] = score_bits(sorted_keys[i])
            ranks[own + i] = member
            unrank(old_ranks[row], size, binomial, order, member, members)
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
