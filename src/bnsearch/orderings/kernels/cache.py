"""
Caches of a variable's best row and of its targets, keyed by a hash of the variable and its predecessors.

A search returns to the same orderings and their neighbours many times. If a variable has thousands of rows, a lookup
is faster than a new search. `index` and `state` are described in arrays.py.

The hash of a set of variables is the exclusive or of the random 64-bit hashes of its members. Two sets with the same
hash are treated as equal; in a search of an hour this happens with a probability of about one in a million. Each key
has one line in a cache, and a new entry overwrites the old one. The number of lines is a power of two, or zero if the
search does not cache.

A line of ROW_CACHE is (KEY, FOUND): FOUND is r + 1 if the best row is r, and -r if no row before r is feasible.
A line of TARGET_CACHE is (KEY, CACHED_REACH, CACHED_COUNT), followed from CACHED_TARGETS on by CACHED_COUNT targets,
each packed with the number of its candidate.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.arrays import (
    ACTIVE,
    CAND_BEGIN,
    CAND_SLOT,
    CHOICE,
    DELTA,
    EVALUATIONS,
    HASH_MULTIPLIER,
    HASHES,
    N_ACTIVE,
    ORDER,
    PATH,
    POSITION,
    PREFIX_HASH,
    REACH,
    ROW_CACHE,
    SCORES,
    TARGET,
    TARGET_CACHE,
    VARIABLE_HASH,
)
from bnsearch.orderings.kernels.best_set import SCANNED_ROWS, find_best_row

KEY, FOUND = 0, 1  # columns of ROW_CACHE
CACHED_REACH, CACHED_COUNT, CACHED_TARGETS = 1, 2, 3  # columns of TARGET_CACHE, after KEY
NUMBER_BITS = 24  # low bits of a packed target, for the candidate's number; the row has the bits above


@inlined_kernel
def update_prefix_hashes(state, low, high):
    """Update the prefix hashes after the variables at the positions low to high have changed."""
    order, hashes = state[ORDER], state[HASHES]
    if state[ROW_CACHE].size > 0:
        for i in range(low, high + 1):
            hashes[PREFIX_HASH, i + 1] = hashes[PREFIX_HASH, i] ^ hashes[VARIABLE_HASH, order[i]]


@inlined_kernel
def hash_predecessors(state, variable, limit, without):
    """Return the cache key of a variable and the set of others with positions below `limit`, except `without`."""
    position, hashes = state[POSITION], state[HASHES]
    key = hashes[PREFIX_HASH, limit]
    if position[variable] < limit:
        key ^= hashes[VARIABLE_HASH, variable]
    if without >= 0 and position[without] < limit:
        key ^= hashes[VARIABLE_HASH, without]
    return np.int64(key ^ (np.uint64(variable + 1) * HASH_MULTIPLIER))


@inlined_kernel
def find_line(key, cache):
    """Return the line of a cache that belongs to a key."""
    return (key >> 20) & (cache.shape[0] - 1)


@borrowing_kernel
def find_best_row_cached(index, state, variable, limit, without, row, stop):
    """Return the result of `find_best_row` in the state's ordering, from the cache if possible."""
    position, evaluations, path, cache = state[POSITION], state[EVALUATIONS], state[PATH], state[ROW_CACHE]
    if cache.size == 0 or stop - row <= SCANNED_ROWS:
        return find_best_row(index, position, variable, limit, without, row, stop, path, evaluations)
    key = hash_predecessors(state, variable, limit, without)
    line = find_line(key, cache)
    if cache[line, KEY] == key:
        known = cache[line, FOUND]
        if known > 0:
            return min(known - 1, stop)
        if -known >= stop:
            return stop
        row = max(row, -known)
    found = find_best_row(index, position, variable, limit, without, row, stop, path, evaluations)
    cache[line, KEY] = key
    cache[line, FOUND] = found + 1 if found < stop else -stop
    return found


@inlined_kernel
def store_targets(index, state, child, key):
    """Cache the targets of a variable, keyed by the hash of its predecessors."""
    begin, cand_slot = index[CAND_BEGIN][child], index[CAND_SLOT]
    target, active, n_active, cache = state[TARGET], state[ACTIVE], state[N_ACTIVE], state[TARGET_CACHE]
    line = find_line(key, cache)
    cache[line, KEY] = key
    cache[line, CACHED_REACH] = state[REACH][child]
    cache[line, CACHED_COUNT] = n_active[child]
    for i in range(n_active[child]):
        number = np.int64(active[begin + i])
        cache[line, CACHED_TARGETS + i] = (np.int64(target[cand_slot[begin + number]]) << NUMBER_BITS) | number


@inlined_kernel
def load_targets(index, state, child, key):
    """Set the targets of a variable from the cache; return False if they are not there."""
    scores, begin, cand_slot = index[SCORES], index[CAND_BEGIN][child], index[CAND_SLOT]
    delta, target, active, cache = state[DELTA], state[TARGET], state[ACTIVE], state[TARGET_CACHE]
    line = find_line(key, cache)
    if cache[line, KEY] != key:
        return False
    state[REACH][child] = cache[line, CACHED_REACH]
    state[N_ACTIVE][child] = cache[line, CACHED_COUNT]
    for i in range(cache[line, CACHED_COUNT]):
        packed = cache[line, CACHED_TARGETS + i]
        number = packed & ((1 << NUMBER_BITS) - 1)
        row = packed >> NUMBER_BITS
        slot = cand_slot[begin + number]
        active[begin + i] = number
        target[slot] = row
        delta[slot] = scores[row] - scores[state[CHOICE][child]]
    return True
