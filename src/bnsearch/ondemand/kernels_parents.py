"""
New parents for the variables of a chain: grown along the ordering, or found in the store.

`source` and `rows` as in kernels_rows, `store` as in kernels_store, `chain` as in kernels_state.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, kernel
from bnsearch.kernels.sorting import insert_ascending
from bnsearch.ondemand.kernels_grow import grow
from bnsearch.ondemand.kernels_rows import EVALUATIONS, HEAD, LIMIT, WORDS, word_of_family
from bnsearch.ondemand.kernels_state import (
    COUNTS,
    CURRENT,
    LIMITS,
    LOGGED,
    LOOKED,
    MEMBER,
    POSITION,
    PREFIX,
    REQUIRED,
    SEEN,
    SIZE,
    SPARE,
    STEPS,
    TOTALS,
    WORK,
    adopt,
    keep_best,
)
from bnsearch.ondemand.kernels_store import MEMBER as STORED_MEMBER
from bnsearch.ondemand.kernels_store import SCORE as STORED_SCORE
from bnsearch.ondemand.kernels_store import SIZE as STORED_SIZE
from bnsearch.ondemand.kernels_store import best_stored, keep_family


@inlined_kernel
def grow_and_keep(source, rows, store, chain, child, size, limit, most):
    """
    Grow the parents in `work` among the variables before a position; return their number and the score.

    The family joins the store.
    """
    work, required = chain[WORK], chain[REQUIRED]
    size, score = grow(
        source, rows, child, work, size, limit, chain[POSITION], required[child], most, chain[SPARE], chain[LOOKED]
    )
    keep_family(store, child, work, size, score, word_of_family(source, child, work, size))
    return size, score


@inlined_kernel
def copy_feasible(chain, child, only_required):
    """Copy a variable's parents that stand before it into `work`, or the required ones alone; return how many."""
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
def word_of_set(source, chain, child, limit):
    """Return the word of a variable and of the set before a position, and its place in `seen`."""
    word = chain[PREFIX][limit] ^ source[WORDS][1, child]
    return word, np.int64((word >> np.uint64(16)) & np.uint64(chain[SEEN].size - 1))


@inlined_kernel
def is_new_to(source, chain, child, limit):
    """Tell whether a variable's parents were not yet grown among those before a position; take note that they are."""
    word, at = word_of_set(source, chain, child, limit)
    known = chain[SEEN][at] == word
    chain[SEEN][at] = word
    return not known


@inlined_kernel
def forget_set(source, chain, child, limit):
    """Take note that growth among those before a position was cut short."""
    _, at = word_of_set(source, chain, child, limit)
    chain[SEEN][at] = np.uint64(0)


@borrowing_kernel
def regrow(source, rows, store, chain, child):
    """
    Give a variable the best parents that can be found among the variables before it; return the change of its score.

    These are the best of what grows from its parents that still stand before it, of what grows from none, and of the
    families in the store. Where the same variables stood before it earlier, what had grown then is in the store.
    """
    position, work = chain[POSITION], chain[WORK]
    limit, most = np.int64(position[child]), chain[LIMITS][child]
    change = 0.0
    best = -np.inf
    if is_new_to(source, chain, child, limit):
        start = copy_feasible(chain, child, False)
        size, best = grow_and_keep(source, rows, store, chain, child, start, limit, most)
        change += adopt(chain, child, work, size, best)
        if start > 0:
            size = copy_feasible(chain, child, True)
            size, score = grow_and_keep(source, rows, store, chain, child, size, limit, most)
            if score > best:
                best = score
                change += adopt(chain, child, work, size, best)
        if rows[HEAD][EVALUATIONS] > rows[HEAD][LIMIT]:
            forget_set(source, chain, child, limit)
    slot = best_stored(store, child, position, limit, best, chain[LOOKED])
    if slot >= 0:
        size = np.int64(store[STORED_SIZE][child, slot])
        change += adopt(chain, child, store[STORED_MEMBER][child, slot], size, store[STORED_SCORE][child, slot])
    elif best == -np.inf:
        size = copy_feasible(chain, child, False)
        size, score = grow_and_keep(source, rows, store, chain, child, size, limit, most)
        change += adopt(chain, child, work, size, score)
    return change


@kernel
def grow_first(source, rows, store, chain, child, limit, most):
    """Give a variable up to `most` parents before a position, grown from the required ones."""
    size = copy_feasible(chain, child, True)
    most = max(size, min(most, chain[LIMITS][child]))
    size, score = grow_and_keep(source, rows, store, chain, child, size, limit, most)
    chain[COUNTS][STEPS] += 1  # nothing is undone
    chain[COUNTS][LOGGED] = 0
    chain[TOTALS][CURRENT] += adopt(chain, child, chain[WORK], size, score)


@kernel
def improve_parents(source, rows, store, chain, child):
    """Give a variable the best parents that can be found among the variables before it."""
    chain[COUNTS][STEPS] += 1  # nothing is undone
    chain[COUNTS][LOGGED] = 0
    chain[TOTALS][CURRENT] += regrow(source, rows, store, chain, child)
    keep_best(chain)


@kernel
def keep_families(source, store, child, first, members, scores):
    """
    Put families into the store; return how many are new to it.

    child, scores : int64[m], float64[m]
    first, members : int64[m + 1], int32[...]   the parents of family i are members[first[i]:first[i + 1]]; sorted
    """
    new = 0
    for i in range(child.size):
        parents = members[first[i] : first[i + 1]]
        for j in range(1, parents.size):  # ascending
            insert_ascending(parents, 0, j, np.int64(parents[j]))
        word = word_of_family(source, child[i], parents, parents.size)
        new += keep_family(store, child[i], parents, parents.size, scores[i], word)
    return new
