"""
The cached extensions of stored families: parent sets whose scores were computed but that no network has used yet.

`rows` as in kernels_row_cache, `store` as in kernels_store. The extension row of a stored family, and those of the
family without one of its parents, are often cached, because the growth of a parent set needs them.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inlined_kernel, kernel
from bnsearch.ondemand.kernels_row_cache import BEGIN, CANDIDATE, COUNT, FAMILY_SCORE, GAIN, find_cached
from bnsearch.ondemand.kernels_rows import AS_PARENT, HASHES
from bnsearch.ondemand.kernels_store import FAMILY_HASH, MEMBER, NUMBER, SIZE


@inlined_kernel
def add_hash(seen, family_hash):
    """Add a hash to a hash table with free slots; return True if it was not there."""
    at = np.int64((family_hash >> np.uint64(16)) & np.uint64(seen.size - 1))
    while seen[at]:
        if seen[at] == family_hash:
            return False
        at = (at + 1) & (seen.size - 1)
    seen[at] = family_hash
    return True


@kernel
def list_extension_rows(source, rows, store, limits, seen, child, slot, dropped, cached):
    """
    List the cached rows of all stored families, and of those without one of their parents.

    limits : int64[n]                   largest number of parents of each variable
    seen : uint64[power of two]         hashes of the rows listed before, by this chain or another; changed
    child, slot, dropped, cached : int32[m], int32[m], int32[m], int64[m]   written for each row: its child, the slot of
        the stored family, the index of the parent left out (-1 for none), and the slot of the row in the cache

    Returns the number of rows.
    """
    number = 0
    for x in range(limits.size):
        for s in range(store[NUMBER][x]):
            size = np.int64(store[SIZE][x, s])
            for d in range(-1, size):
                family_hash = store[FAMILY_HASH][x, s]
                if d >= 0:
                    family_hash ^= source[HASHES][AS_PARENT, store[MEMBER][x, s, d]]
                elif size == limits[x]:
                    continue
                at = find_cached(rows, family_hash, True)
                if at >= 0 and rows[COUNT][at] > 0 and add_hash(seen, family_hash):
                    child[number], slot[number], dropped[number], cached[number] = x, s, d, at
                    number += 1
    return number


@kernel
def write_extensions(rows, store, child, slot, dropped, cached, max_per_row, families, scores, sizes, members):
    """
    Write the families of listed rows: of each row, the best entries up to a number.

    families, scores, sizes : int32[m], float64[m], int64[m]    child, local score and number of parents; written
    members : int32[...]                                        parents of one family after those of another; written
    """
    number = total = 0
    for i in range(child.size):
        x, s, at = child[i], slot[i], cached[i]
        begin = rows[BEGIN][at] % rows[CANDIDATE].size
        for entry in range(begin, begin + min(max_per_row, rows[COUNT][at])):
            first = total
            for j in range(store[SIZE][x, s]):
                if j != dropped[i]:
                    members[total] = store[MEMBER][x, s, j]
                    total += 1
            members[total] = rows[CANDIDATE][entry]
            total += 1
            families[number] = x
            scores[number] = rows[FAMILY_SCORE][at] + rows[GAIN][entry]
            sizes[number] = total - first
            number += 1
