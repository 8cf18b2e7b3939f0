"""
The gain of an operator, from four set values: Corollaries 16 and 18 of Chickering (2002).

G(S), the value of a set S, is its cell sum: s(y | B) = G(B + y) - G(B), because the score is score-equivalent.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES
from bnsearch.equivalence.kernels_graph import GIVEN
from bnsearch.kernels.compile import inner_kernel
from bnsearch.scores.kernels import find_or_count

# The tuple `valuer` holds the arrays from which gains are computed:
#   place     int64[n]           the place of each variable in the columns
#   columns, scratch, cache, terms, salt   as Scorer.kernel_arguments returns them
# and a cache of gains with a row for each (y, B). The slot of a row is given by the lower bits of its key. A new row
# replaces the old one in its slot:
#   row_key   uint64[slots, 2]   the key, zero if the slot is empty
#   row_base  float64[slots, 3]  G(B), G(B + y), and the ceiling's cost of one state of a further parent
#   row_gain  float64[slots, n]  s(y | B + x) - s(y | B) for each x, NaN if it is not known
# The gains of a row are next to each other in memory, while set values are all over the scorer's cache. So reading the
# gains of a changed row again is cheap. And:
#   slope     float64            minus the penalty of one parameter (scores.bounds.Bound); 0 if no gain may be skipped
PLACE, COLUMNS, SCRATCH, CACHE, TERMS, SALT, ROW_KEY, ROW_BASE, ROW_GAIN, SLOPE = range(10)
MEMBER_KEY = 0  # an index into the scorer's cache, as COMPUTED
COMPUTED = 3

# An odd factor, so that the product modulo 2^64 determines the key.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@inner_kernel
def family_key(family, parents):
    """Return the key of a family, given the key of the set of child and parents and the key of the parents."""
    return MULTIPLIER * family + parents


@inner_kernel
def find_gain_row(valuer, members, number, y, high, low):
    """
    Return the slot of the row of gains for (y, B); if the row is not in the cache, make one without gains.

    members : int64[number + 1 or more]   the places of B, whose number is `number`; the next entry is overwritten
    y : place of y
    high, low : key of B
    """
    cache, key, base, gain = valuer[CACHE], valuer[ROW_KEY], valuer[ROW_BASE], valuer[ROW_GAIN]
    member = cache[MEMBER_KEY]
    high_y, low_y = high ^ member[y, 0], low ^ member[y, 1]
    row_high, row_low = family_key(high_y, high), family_key(low_y, low)
    slot = np.int64(row_high & np.uint64(key.shape[0] - 1))
    if key[slot, 0] != row_high or key[slot, 1] != row_low:
        columns, scratch, terms = valuer[COLUMNS], valuer[SCRATCH], valuer[TERMS]
        members[number] = y
        base[slot, 0] = find_or_count(columns, scratch, cache, high, low, members[:number], terms)
        base[slot, 1] = find_or_count(columns, scratch, cache, high_y, low_y, members[: number + 1], terms)
        base[slot, 2] = valuer[SLOPE] * (columns[ARITIES][y] - 1.0)
        for i in range(number):
            base[slot, 2] *= columns[ARITIES][members[i]]
        for x in range(gain.shape[1]):
            gain[slot, x] = np.nan
        key[slot, 0] = row_high
        key[slot, 1] = row_low
    return slot


@inner_kernel
def gain_of_parent(valuer, x, y, lists, number, family_keys, noted, is_needed):
    """
    Return s(y | B + x) - s(y | B) = G(B + x + y) + G(B) - G(B + x) - G(B + y).

    If the gain is not needed unless it is positive, and the ceiling of s(y | B + x) excludes that, return minus
    infinity. The gain is then neither computed nor cached.

    This is the gain of Insert(x, y, T) for B = Pa(y) + NA(y, x) + T (Corollary 16). It is the loss of Delete(x, y, H)
    for B = Pa(y) + (NA(y, x) - H) - x (Corollary 18).

    lists : B is lists[GIVEN, :number], see find_given; overwritten
    family_keys : uint64[...]   written from index `noted` on: the keys of the two families, unless it has no room
    """
    place, cache, salt, gains = valuer[PLACE], valuer[CACHE], valuer[SALT], valuer[ROW_GAIN]
    member = cache[MEMBER_KEY]
    members = lists[GIVEN]
    high, low = salt[0], salt[1]
    for i in range(number):
        members[i] = place[members[i]]
        high ^= member[members[i], 0]
        low ^= member[members[i], 1]
    u, v = place[x], place[y]
    if noted + 2 <= family_keys.size:
        family_keys[noted] = family_key(high ^ member[u, 0] ^ member[v, 0], high ^ member[u, 0])
        family_keys[noted + 1] = family_key(high ^ member[v, 0], high)
    slot = find_gain_row(valuer, members, number, v, high, low)
    if math.isnan(gains[slot, x]):
        base = valuer[ROW_BASE]
        if not is_needed and base[slot, 2] * valuer[COLUMNS][ARITIES][u] <= base[slot, 1] - base[slot, 0]:
            return -np.inf
        columns, scratch, terms = valuer[COLUMNS], valuer[SCRATCH], valuer[TERMS]
        members[number] = u
        members[number + 1] = v
        high, low = high ^ member[u, 0], low ^ member[u, 1]
        with_x = find_or_count(columns, scratch, cache, high, low, members[: number + 1], terms)
        high, low = high ^ member[v, 0], low ^ member[v, 1]
        with_both = find_or_count(columns, scratch, cache, high, low, members[: number + 2], terms)
        gains[slot, x] = (with_both + base[slot, 0]) - (with_x + base[slot, 1])
    return gains[slot, x]
