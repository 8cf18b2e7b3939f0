"""Scores of families and values of sets, with a cache of bounded size."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.kernels_columns import ARITIES
from bnsearch.counting.kernels_set import COUNTS, cells_of, count_set
from bnsearch.counting.kernels_terms import sum_counts
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.sorting import insert_descending

WAYS = 4  # number of slots in a bucket of the cache


# The cache of set values, by a 128-bit key: the exclusive or of the random numbers of the members and the function. A
# set can be in any slot of its bucket; in a full bucket a new set replaces one. A plain tuple of
#   member    uint64[places, 2]   random numbers of each place
#   key       uint64[slots, 2]    zero in an empty slot; the number of slots is a power of two
#   value     float64[slots]
#   computed  int64[1]            number of computed values
MEMBER, KEY, VALUE, COMPUTED = range(4)
SetCache = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]


@kernel
def find_slot(key, high, low):
    """Return (slot, True) if the key is in the cache, else (slot to use, False)."""
    first = np.int64(high & np.uint64(key.shape[0] - 1)) & ~np.int64(WAYS - 1)
    for slot in range(first, first + WAYS):
        if key[slot, 0] == high and key[slot, 1] == low:
            return slot, True
        if key[slot, 0] == 0 and key[slot, 1] == 0:
            return slot, False
    return first + np.int64(low & np.uint64(WAYS - 1)), False


@kernel
def split_buckets(key, value, slots):
    """Double the number of slots in use, `slots`: move each entry to its bucket of the larger cache."""
    for first in range(0, slots, WAYS):
        lower, upper = first, first + slots
        for slot in range(first, first + WAYS):
            high, low, own = key[slot, 0], key[slot, 1], value[slot]
            if high == 0 and low == 0:
                break
            key[slot, 0] = key[slot, 1] = 0
            if high & np.uint64(slots):
                to = upper
                upper += 1
            else:
                to = lower
                lower += 1
            key[to, 0] = high
            key[to, 1] = low
            value[to] = own


@inner_kernel
def descending(places):
    """Return the places in descending order, so that the value of a set does not depend on the given order."""
    ordered = places.copy()
    for i in range(1, ordered.size):
        insert_descending(ordered, i, ordered[i])
    return ordered


@inner_kernel
def find_or_count(columns, scratch, cache, high, low, places, terms):
    """Return the value of the set `places`, which has the key (high, low), from the cache or counted now."""
    _, key, value, computed = cache
    slot, known = find_slot(key, high, low)
    if not known:
        ordered = descending(places)
        found = count_set(columns, scratch, ordered)
        value[slot] = sum_counts(scratch[COUNTS], found, terms, cells_of(columns[ARITIES], ordered))
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
    Compute the values of many sets.

    begin : int64[m + 1]   index of each set's first member in `members`
    members : int64[...]   places
    out : float64[m]       written
    """
    for i in range(out.size):
        out[i] = set_value(columns, scratch, cache, members[begin[i] : begin[i + 1]], terms, salt)


@kernel
def remember_sets(cache, begin, members, salt, values):
    """Write the values of many sets into the cache; begin and members as in value_sets."""
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

    begin : int64[m + 1]   index of each family's child in `members`
    members : int64[...]   places: the child, then its parents
    joint, parents : terms, see kernels_terms
    salts : uint64[2, 2]   random numbers of the two functions for the cache
    out : float64[m]       written
    """
    for i in range(out.size):
        family = members[begin[i] : begin[i + 1]]
        whole = set_value(columns, scratch, cache, family, joint, salts[0])
        out[i] = whole - set_value(columns, scratch, cache, family[1:], parents, salts[1])
