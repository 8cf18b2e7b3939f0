"""Families and sets scored one after another, through a bounded cache of set values."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.kernels_set import cells_of, count_set
from bnsearch.counting.kernels_terms import sum_counts
from bnsearch.kernels.compile import inner_kernel, kernel

WAYS = 4


# Values of sets under a 128-bit key: the exclusive or of its members' random numbers and of the function's. A set may
# lie in any of the four slots of its bucket; a full bucket gives up one of them. A plain tuple of
#   member    uint64[places, 2]   random numbers
#   key       uint64[slots, 2]    zero where empty; the number of slots is a power of two
#   value     float64[slots]
#   computed  int64[1]            how many values were computed
SetCache = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]


@kernel
def find_slot(key, high, low):
    """Return (slot, whether the key is there); otherwise the slot to take."""
    first = np.int64(high & np.uint64(key.shape[0] - 1)) & ~np.int64(WAYS - 1)
    for slot in range(first, first + WAYS):
        if key[slot, 0] == high and key[slot, 1] == low:
            return slot, True
        if key[slot, 0] == 0 and key[slot, 1] == 0:
            return slot, False
    return first + np.int64(low & np.uint64(WAYS - 1)), False


@inner_kernel
def descending(places):
    """Return the places in descending order: a set's value must not depend on how it was written down."""
    ordered = places.copy()
    for i in range(1, ordered.size):
        place = ordered[i]
        j = i
        while j > 0 and ordered[j - 1] < place:
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = place
    return ordered


@inner_kernel
def find_or_count(columns, scratch, cache, high, low, places, terms):
    """Return the value of the set `places`, which has the key (high, low), from the cache or counted now."""
    _, key, value, computed = cache
    slot, known = find_slot(key, high, low)
    if not known:
        ordered = descending(places)
        found = count_set(columns, scratch, ordered)
        value[slot] = sum_counts(scratch[6], found, terms, cells_of(columns[3], ordered))
        key[slot, 0] = high
        key[slot, 1] = low
        computed[0] += 1
    return value[slot]


@inner_kernel
def set_value(columns, scratch, cache, places, terms, salt):
    """Return the value of a set, from the cache or counted now."""
    member = cache[0]
    high, low = salt[0], salt[1]
    for i in range(places.size):
        high ^= member[places[i], 0]
        low ^= member[places[i], 1]
    return find_or_count(columns, scratch, cache, high, low, places, terms)


@kernel
def value_sets(columns, scratch, cache, begin, members, terms, salt, out):
    """
    Value many sets.

    begin : int64[m + 1]   where each set begins in `members`
    members : int64[...]   places
    out : float64[m]       written
    """
    for i in range(out.size):
        out[i] = set_value(columns, scratch, cache, members[begin[i] : begin[i + 1]], terms, salt)


@kernel
def remember_sets(cache, begin, members, salt, values):
    """Put the values of many sets into the cache; begin and members as of value_sets."""
    member, key, value, _ = cache
    for i in range(values.size):
        high, low = salt[0], salt[1]
        for j in range(begin[i], begin[i + 1]):
            high ^= member[members[j], 0]
            low ^= member[members[j], 1]
        slot, _ = find_slot(key, high, low)
        key[slot, 0] = high
        key[slot, 1] = low
        value[slot] = values[i]


@kernel
def score_families(columns, scratch, cache, begin, members, joint, parents, salts, out):
    """
    Score many families: joint(parents + child) - parents(parents).

    begin : int64[m + 1]   where each family begins in `members`
    members : int64[...]   places: the child, then its parents
    joint, parents : terms, see kernels_terms
    salts : uint64[2, 2]   cache keys of the two functions
    out : float64[m]       written
    """
    for i in range(out.size):
        family = members[begin[i] : begin[i + 1]]
        whole = set_value(columns, scratch, cache, family, joint, salts[0])
        out[i] = whole - set_value(columns, scratch, cache, family[1:], parents, salts[1])
