"""The gain of an operator, from four set values: Corollaries 16 and 18 of Chickering (2002)."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.equivalence.kernels_graph import GIVEN
from bnsearch.kernels.compile import inner_kernel
from bnsearch.scores.kernels import find_or_count

# What gains are computed from, a plain tuple `valuer`:
#   place       int64[n]            the place of each variable in the columns
#   columns, scratch, cache, terms, salt   as Scorer.kernel_arguments returns them
#   given_key   uint64[slots, 2]    a cache of the values that do not depend on x: the keys of sets B for the present y,
#   given_value float64[slots, 2]   and G(B), G(B + y). The number of slots is a power of two
PLACE, COLUMNS, SCRATCH, CACHE, TERMS, SALT, GIVEN_KEY, GIVEN_VALUE = range(8)
MEMBER_KEY = 0  # among the parts of the cache
COMPUTED = 3

# An odd factor: the product of a key with it determines the key.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@inner_kernel
def start_row(valuer):
    """Forget the values of sets without x; called before the gains of operators into another y."""
    key = valuer[GIVEN_KEY]
    for i in range(key.shape[0]):
        key[i, 0] = np.uint64(0)
        key[i, 1] = np.uint64(0)


@inner_kernel
def family_key(family, parents):
    """Return one number for a family, from the keys of the set of all its members and of its parents."""
    return MULTIPLIER * family + parents


@inner_kernel
def find_given_values(valuer, members, number, y, high, low):
    """
    Return G(B) and G(B + y).

    members : int64[number + 1 or more]   the places of B; the next entry is overwritten
    high, low : the key of B
    """
    cache, key, value = valuer[CACHE], valuer[GIVEN_KEY], valuer[GIVEN_VALUE]
    slot = np.int64(high & np.uint64(key.shape[0] - 1))
    if key[slot, 0] != high or key[slot, 1] != low:
        member = cache[MEMBER_KEY]
        members[number] = y
        columns, scratch, terms = valuer[COLUMNS], valuer[SCRATCH], valuer[TERMS]
        value[slot, 0] = find_or_count(columns, scratch, cache, high, low, members[:number], terms)
        high_y, low_y = high ^ member[y, 0], low ^ member[y, 1]
        value[slot, 1] = find_or_count(columns, scratch, cache, high_y, low_y, members[: number + 1], terms)
        key[slot, 0] = high
        key[slot, 1] = low
    return value[slot, 0], value[slot, 1]


@inner_kernel
def gain_of_parent(valuer, x, y, lists, number, family_keys, noted):
    """
    Return s(y | B + x) - s(y | B) = G(B + x + y) + G(B) - G(B + x) - G(B + y).

    This is the gain of Insert(x, y, T) for B = Pa(y) + NA(y, x) + T (Corollary 16). It is the loss of Delete(x, y, H)
    for B = Pa(y) + (NA(y, x) - H) - x (Corollary 18).

    lists : B is lists[GIVEN, :number], see find_given; overwritten
    family_keys : uint64[...]   the keys of the two families are written at `noted`; nothing where it has no room
    """
    place, cache, salt = valuer[PLACE], valuer[CACHE], valuer[SALT]
    member = cache[MEMBER_KEY]
    members = lists[GIVEN]
    high, low = salt[0], salt[1]
    for i in range(number):
        members[i] = place[members[i]]
        high ^= member[members[i], 0]
        low ^= member[members[i], 1]
    u, v = place[x], place[y]
    given, given_y = find_given_values(valuer, members, number, v, high, low)
    columns, scratch, terms = valuer[COLUMNS], valuer[SCRATCH], valuer[TERMS]
    members[number] = u
    members[number + 1] = v
    high_x, low_x = high ^ member[u, 0], low ^ member[u, 1]
    given_x = find_or_count(columns, scratch, cache, high_x, low_x, members[: number + 1], terms)
    high_xy, low_xy = high_x ^ member[v, 0], low_x ^ member[v, 1]
    given_xy = find_or_count(columns, scratch, cache, high_xy, low_xy, members[: number + 2], terms)
    if noted + 2 <= family_keys.size:
        family_keys[noted] = family_key(high_xy, high_x)
        family_keys[noted + 1] = family_key(high ^ member[v, 0], high)
    return (given_xy + given) - (given_x + given_y)
