"""
The choice of new parents for a variable of a chain: grown along the ordering, or taken from the store.

`source` as in kernels_rows, `rows` as in kernels_row_cache, `store` as in kernels_store, `chain` as in kernels_state.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import inlined_kernel, inner_borrowing_kernel, kernel
from bnsearch.kernels.sorting import insert_ascending
from bnsearch.ondemand.kernels_grow import grow_parents
from bnsearch.ondemand.kernels_row_cache import EVALUATIONS, HEAD, IS_REFUSED, LIMIT
from bnsearch.ondemand.kernels_rows import AS_CHILD, HASHES, hash_family
from bnsearch.ondemand.kernels_state import (
    COUNTS,
    CURRENT,
    EXAMINED,
    LIMITS,
    LOGGED,
    MEMBER,
    POSITION,
    PREFIX_HASH,
    REQUIRED,
    SEEN,
    SIZE,
    SPARE,
    STEPS,
    TOTALS,
    WORK,
    set_parents,
    update_best,
)
from bnsearch.ondemand.kernels_store import MEMBER as STORED_MEMBER
from bnsearch.ondemand.kernels_store import SCORE as STORED_SCORE
from bnsearch.ondemand.kernels_store import SIZE as STORED_SIZE
from bnsearch.ondemand.kernels_store import find_best_stored, store_family


@inlined_kernel
def grow_and_store(source, rows, store, chain, child, size, limit, max_parents):
    """
    Grow the parents in `work` among the variables before a position, and store the family.

    Returns the number of parents and the score; minus infinity if a row was not computed, and nothing is known.
    """
    work, required = chain[WORK], chain[REQUIRED]
    size, score = grow_parents(
        source, rows, child, work, size, limit, chain[POSITION], required[child], max_parents, chain[SPARE],
        chain[EXAMINED],
    )  # fmt: skip
    if score > -np.inf:
        store_family(store, child, work, size, score, hash_family(source, child, work, size))
    return size, score


@inlined_kernel
def copy_start(chain, child, only_required):
    """Copy the parents of a variable that precede it, or its required parents, into `work`; return their number."""
    position, work, required = chain[POSITION], chain[WORK], chain[REQUIRED]
    limit = position[child]
    size = 0
    for i in range(chain[SIZE][child]):
        parent = np.int64(chain[MEMBER][child, i])
        if has_bit(required[child], parent) if only_required else position[parent] < limit:
            work[size] = parent
            size += 1
    return size


@inlined_kernel
def hash_predecessors(source, chain, child, limit):
    """Return the hash of a variable and its predecessor set before a position, and its slot in `seen`."""
    family_hash = chain[PREFIX_HASH][limit] ^ source[HASHES][AS_CHILD, child]
    return family_hash, np.int64((family_hash >> np.uint64(16)) & np.uint64(chain[SEEN].size - 1))


@inlined_kernel
def mark_seen(source, chain, child, limit):
    """Mark that a variable's parents are grown among those before a position; return True if it was not marked."""
    family_hash, at = hash_predecessors(source, chain, child, limit)
    known = chain[SEEN][at] == family_hash
    chain[SEEN][at] = family_hash
    return not known


@inlined_kernel
def unmark_seen(source, chain, child, limit):
    """Remove the mark of `mark_seen`, because growth was cut short."""
    _, at = hash_predecessors(source, chain, child, limit)
    chain[SEEN][at] = np.uint64(0)


@inner_borrowing_kernel
def choose_parents(source, rows, store, chain, child):
    """
    Choose the best parents found among the predecessors of a variable; return the change of its score.

    They are the best of three: the set grown from the present parents that precede the variable, the set grown from the
    required parents, and the best stored family. Nothing is grown if the same predecessor set was seen before, because
    the sets grown then are in the store. The parents may stay as they are if a row was not computed.
    """
    position, work = chain[POSITION], chain[WORK]
    limit, max_parents = np.int64(position[child]), chain[LIMITS][child]
    change = 0.0
    best = -np.inf
    if mark_seen(source, chain, child, limit):
        start = copy_start(chain, child, False)
        size, best = grow_and_store(source, rows, store, chain, child, start, limit, max_parents)
        if best > -np.inf:
            change += set_parents(chain, child, work, size, best)
        if start > 0 and rows[HEAD][IS_REFUSED] == 0:
            size = copy_start(chain, child, True)
            size, score = grow_and_store(source, rows, store, chain, child, size, limit, max_parents)
            if score > best:
                best = score
                change += set_parents(chain, child, work, size, best)
        if rows[HEAD][EVALUATIONS] > rows[HEAD][LIMIT] or rows[HEAD][IS_REFUSED] != 0:
            unmark_seen(source, chain, child, limit)
    slot = find_best_stored(store, child, position, limit, best, chain[EXAMINED])
    if slot >= 0:
        size = np.int64(store[STORED_SIZE][child, slot])
        change += set_parents(chain, child, store[STORED_MEMBER][child, slot], size, store[STORED_SCORE][child, slot])
    elif best == -np.inf and rows[HEAD][IS_REFUSED] == 0:
        size = copy_start(chain, child, False)
        size, score = grow_and_store(source, rows, store, chain, child, size, limit, max_parents)
        if score > -np.inf:
            change += set_parents(chain, child, work, size, score)
    return change


@inner_borrowing_kernel
def grow_few_parents(source, rows, store, chain, child, limit, max_parents):
    """Grow up to `max_parents` parents of a variable before a position, from its required parents."""
    size = copy_start(chain, child, True)
    max_parents = max(size, min(max_parents, chain[LIMITS][child]))
    size, score = grow_and_store(source, rows, store, chain, child, size, limit, max_parents)
    chain[COUNTS][STEPS] += 1  # a new step, so that nothing of an earlier one is restored
    chain[COUNTS][LOGGED] = 0
    if score > -np.inf:
        chain[TOTALS][CURRENT] += set_parents(chain, child, chain[WORK], size, score)


@inner_borrowing_kernel
def improve_variable(source, rows, store, chain, child):
    """Choose the best parents found among the predecessors of a variable, and update the best network."""
    chain[COUNTS][STEPS] += 1  # a new step, so that nothing of an earlier one is restored
    chain[COUNTS][LOGGED] = 0
    chain[TOTALS][CURRENT] += choose_parents(source, rows, store, chain, child)
    update_best(chain)


@kernel
def store_all(source, store, child, first, members, scores):
    """
    Store families that are not in the store yet.

    child, scores : int64[m], float64[m]
    first, members : int64[m + 1], int32[...]   the parents of family i are members[first[i]:first[i + 1]]; these are
        sorted in place
    """
    for i in range(child.size):
        parents = members[first[i] : first[i + 1]]
        for j in range(1, parents.size):  # ascending
            insert_ascending(parents, 0, j, np.int64(parents[j]))
        family_hash = hash_family(source, child[i], parents, parents.size)
        store_family(store, child[i], parents, parents.size, scores[i], family_hash)
