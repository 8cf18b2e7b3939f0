"""Classes as bit sets: reading, changing and completing a partially directed graph."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import lowest_bit, popcount
from bnsearch.kernels.compile import inner_kernel, kernel

# Sets of variables are rows of one matrix, `sets`, uint64[4 n + SPARE, W]: v is bit v % 64 of word v // 64. Row
# kind * n + v holds the relatives of v of one kind; the SPARE rows at the end are scratch. Kernels take the numbers of
# rows, as int64: views of rows make kernels slow to compile, and each literal causes another compilation.
PARENTS, CHILDREN, NEIGHBOURS, ADJACENT = (np.int64(kind) for kind in range(4))
NOTHING = np.int64(-1)

# Lists of variables, `lists`, int64[4, n + 2], are scratch. The parts of an operator stand in these rows.
CANDIDATES, CHOSEN, SUBSET, GIVEN = (np.int64(row) for row in range(4))
SPARE = 2
NO_LIMITS = np.empty(0, dtype=np.int64)


@inner_kernel
def size_of(sets):
    """Return the number of variables."""
    return (sets.shape[0] - SPARE) >> 2


@inner_kernel
def has(sets, i, v):
    """Return True if set i holds v."""
    return (sets[i, v >> 6] >> np.uint64(v & 63)) & np.uint64(1) != np.uint64(0)


@inner_kernel
def put(sets, i, v):
    """Put v into set i."""
    sets[i, v >> 6] |= np.uint64(1) << np.uint64(v & 63)


@inner_kernel
def drop(sets, i, v):
    """Take v out of set i."""
    sets[i, v >> 6] &= ~(np.uint64(1) << np.uint64(v & 63))


@inner_kernel
def list_members(sets, i, lists, j):
    """Write the members of set i, ascending, into lists[j], int64[n or more]; return their number."""
    number = np.int64(0)
    for w in range(sets.shape[1]):
        word = sets[i, w]
        while word != np.uint64(0):
            lists[j, number] = 64 * w + lowest_bit(word)
            number += 1
            word &= word - np.uint64(1)
    return number


@inner_kernel
def is_inside(sets, i, v, j):
    """Return True if set i without v is a subset of set j; v may be NOTHING."""
    for w in range(sets.shape[1]):
        extra = sets[i, w] & ~sets[j, w]
        if w == v >> 6:
            extra &= ~(np.uint64(1) << np.uint64(v & 63))
        if extra != np.uint64(0):
            return False
    return True


@inner_kernel
def are_adjacent_to(sets, i, j):
    """Return True if each member of set i is adjacent to all other members of set j."""
    adjacent = ADJACENT * size_of(sets)
    for w in range(sets.shape[1]):
        word = sets[i, w]
        while word != np.uint64(0):
            v = 64 * w + lowest_bit(word)
            word &= word - np.uint64(1)
            if not is_inside(sets, j, v, adjacent + v):
                return False
    return True


@inner_kernel
def disconnect(sets, a, b):
    """Remove the edge between two variables."""
    n = size_of(sets)
    for kind in range(4):
        drop(sets, kind * n + a, b)
        drop(sets, kind * n + b, a)


@inner_kernel
def direct(sets, a, b):
    """Replace any edge between two variables by a -> b."""
    n = size_of(sets)
    disconnect(sets, a, b)
    put(sets, CHILDREN * n + a, b)
    put(sets, PARENTS * n + b, a)
    put(sets, ADJACENT * n + a, b)
    put(sets, ADJACENT * n + b, a)


@inner_kernel
def has_room(left, v, max_parents):
    """Return True if v may have all variables still adjacent to it as parents; max_parents : as of `extend`."""
    if max_parents.size == 0:
        return True
    number = np.int64(0)
    for w in range(left.shape[1]):
        number += popcount(left[ADJACENT * size_of(left) + v, w])
    return number <= max_parents[v]


@inner_kernel
def extend(left, lists, max_parents):
    """
    Find a consistent extension (Dor & Tarsi 1992): remove a variable that can come last until none is left.

    A variable can come last if it has no child and its neighbours are adjacent to all others adjacent to it. With
    limits, all variables adjacent to it must also fit among its parents. A variable that can come last still can when
    others are removed, so no choice has to be undone.

    left : sets     the graph; in the end the rows ADJACENT hold the parents of each variable in the extension
    lists : int64[4, n or more]   lists[0] is written: the variables, parents before children; the rest is scratch
    max_parents : int64[n]        the most parents of each variable; or NO_LIMITS

    Return True if there is one.
    """
    n = size_of(left)
    for v in range(n):
        lists[1, v] = v  # a stack of variables to be tested
        lists[2, v] = 1  # 1 for a variable on the stack
    height = n
    last = n
    while height > 0:
        height -= 1
        v = lists[1, height]
        lists[2, v] = 0
        free = are_adjacent_to(left, NEIGHBOURS * n + v, ADJACENT * n + v)
        for w in range(left.shape[1]):
            free = free and left[CHILDREN * n + v, w] == np.uint64(0)
        if not (free and has_room(left, v, max_parents)):
            continue
        last -= 1
        lists[0, last] = v
        number = list_members(left, ADJACENT * n + v, lists, np.int64(3))
        for i in range(number):
            u = lists[3, i]
            for kind in range(1, 4):
                drop(left, kind * n + u, v)
            if lists[2, u] == 0:
                lists[2, u] = 1
                lists[1, height] = u
                height += 1
    return last == 0


@inner_kernel
def label(left, lists):
    """
    Find the compelled edges (Chickering 1995): the last parent x of y decides for all edges into y.

    If all compelled parents of x are parents of y, and all other parents of y are parents of x, then exactly the
    compelled parents of x are compelled for y; otherwise all parents are.

    left, lists : as `extend` leaves them; the rows CHILDREN are overwritten with the compelled parents
    """
    n = size_of(left)
    parents, compelled = ADJACENT * n, CHILDREN * n
    for i in range(n):
        lists[1, lists[0, i]] = i  # the position of each variable
    for i in range(n):
        y = lists[0, i]
        number = list_members(left, parents + y, lists, np.int64(2))
        x = NOTHING
        for j in range(number):
            if x < 0 or lists[1, lists[2, j]] > lists[1, x]:
                x = lists[2, j]
        covered = x >= 0 and is_inside(left, compelled + x, NOTHING, parents + y)
        covered = covered and is_inside(left, parents + y, x, parents + x)
        for w in range(left.shape[1]):
            left[compelled + y, w] = left[compelled + x, w] if covered else left[parents + y, w]


@kernel
def complete(sets, left, lists):
    """
    Turn a partially directed graph into the CPDAG of its extensions; return False if it has none.

    left, lists : sets and int64[4, n or more], scratch
    """
    n, words = size_of(sets), sets.shape[1]
    for i in range(4 * n):
        for w in range(words):
            left[i, w] = sets[i, w]
    if not extend(left, lists, NO_LIMITS):
        return False
    label(left, lists)
    for y in range(n):
        for w in range(words):
            sets[PARENTS * n + y, w] = left[CHILDREN * n + y, w]
            sets[CHILDREN * n + y, w] = np.uint64(0)
            sets[NEIGHBOURS * n + y, w] = np.uint64(0)
    for y in range(n):
        number = list_members(left, ADJACENT * n + y, lists, np.int64(0))
        for i in range(number):
            x = lists[0, i]
            if has(sets, PARENTS * n + y, x):
                put(sets, CHILDREN * n + x, y)
            else:
                put(sets, NEIGHBOURS * n + x, y)
                put(sets, NEIGHBOURS * n + y, x)
    return True


@kernel
def apply_operator(sets, kind, x, y, size, left, lists):
    """
    Apply Insert(x, y, T), kind 0, or Delete(x, y, H), kind 1, to a CPDAG and complete it.

    These are Definitions 12 and 13 of Chickering (2002). T or H is lists[SUBSET, :size]. Return False if the result has
    no consistent extension. left, lists : as of `complete`
    """
    if kind == 0:
        direct(sets, x, y)
    else:
        disconnect(sets, x, y)
    for i in range(size):
        v = lists[SUBSET, i]
        line = has(sets, NEIGHBOURS * size_of(sets) + x, v)
        direct(sets, v if kind == 0 else y, y if kind == 0 else v)
        if kind == 1 and line:
            direct(sets, x, v)
    return complete(sets, left, lists)


@kernel
def mark_changed(old, new, changed):
    """
    Mark the pairs whose operators may differ between two graphs.

    Insert(x, y, T), Delete(x, y, H), their gains and clique tests depend on the parents and neighbours of y, on which
    of the neighbours are adjacent to each other, on which are adjacent to x, and on whether x is adjacent to y.

    changed : uint64[n, W]   x is added to changed[y]
    """
    n, words = changed.shape
    for y in range(n):
        near = NEIGHBOURS * n + y
        whole = False
        for w in range(words):
            whole = whole or old[PARENTS * n + y, w] != new[PARENTS * n + y, w] or old[near, w] != new[near, w]
            changed[y, w] |= old[ADJACENT * n + y, w] ^ new[ADJACENT * n + y, w]
            word = new[near, w]
            while word != np.uint64(0):
                z = ADJACENT * n + 64 * w + lowest_bit(word)
                word &= word - np.uint64(1)
                for u in range(words):
                    moved = old[z, u] ^ new[z, u]
                    changed[y, u] |= moved
                    whole = whole or moved & new[near, u] != np.uint64(0)
        if whole:
            for w in range(words):
                changed[y, w] = ~np.uint64(0)
