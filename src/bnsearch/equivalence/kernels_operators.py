"""
The validity of Insert and Delete operators on a CPDAG: Theorems 15 and 17 of Chickering (2002).

`sets` and `lists` are described in kernels_graph. NA(y, x) denotes the neighbours of y that are adjacent to x. The
first spare row of `sets`, 4 * n, holds NA(y, x) + T or NA(y, x) - H of an operator. The second spare row, 4 * n + 1,
holds the variables that a search of paths has reached or must not enter.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.equivalence.kernels_graph import (
    ADJACENT,
    CANDIDATES,
    CHILDREN,
    CHOSEN,
    GIVEN,
    NEIGHBOURS,
    NOTHING,
    PARENTS,
    SUBSET,
    are_adjacent_to,
    drop,
    has,
    is_inside,
    list_members,
    put,
    size_of,
)
from bnsearch.kernels.bits import lowest_bit
from bnsearch.kernels.compile import inner_kernel, kernel

INSERT, DELETE = np.int64(0), np.int64(1)


@inner_kernel
def find_kept(sets, kind, x, y, lists, size):
    """
    Write into the first spare row NA(y, x) + T for Insert, NA(y, x) - H for Delete.

    In the DAG of Corollary 16 or 18, these neighbours of y are its parents.

    lists : T or H is lists[SUBSET, :size]
    """
    n = size_of(sets)
    for w in range(sets.shape[1]):
        sets[4 * n, w] = sets[NEIGHBOURS * n + y, w] & sets[ADJACENT * n + x, w]
    for i in range(size):
        if kind == INSERT:
            put(sets, 4 * n, lists[SUBSET, i])
        else:
            drop(sets, 4 * n, lists[SUBSET, i])


@inner_kernel
def is_clique(sets, i):
    """Return True if the members of set i are pairwise adjacent."""
    return are_adjacent_to(sets, i, i)


@inner_kernel
def explore(sets, y, x, lists, before):
    """
    Add to the second spare row all variables that semi-directed paths (edges -> or -) from y reach.

    Paths do not enter variables that are in that row at the start. The search ends as soon as it reaches x; x may be
    NOTHING.

    lists : lists[GIVEN] is scratch
    before : int32[n, n]   written: before[y, v] is the variable before v on the path from y
    """
    n, words = size_of(sets), sets.shape[1]
    seen = 4 * n + 1
    put(sets, seen, y)
    lists[GIVEN, 0] = y
    height = 1
    while height > 0 and not (x >= 0 and has(sets, seen, x)):
        height -= 1
        v = lists[GIVEN, height]
        for w in range(words):
            word = (sets[CHILDREN * n + v, w] | sets[NEIGHBOURS * n + v, w]) & ~sets[seen, w]
            sets[seen, w] |= word
            while word != np.uint64(0):
                u = 64 * w + lowest_bit(word)
                lists[GIVEN, height] = u
                before[y, u] = v
                height += 1
                word &= word - np.uint64(1)


@inner_kernel
def is_known_path_open(sets, x, y, before):
    """Return True if the last path found from y to x still exists and has no node in the first spare row."""
    n = size_of(sets)
    v = x
    for _ in range(n):
        u = np.int64(before[y, v])
        if u < 0 or not (has(sets, CHILDREN * n + u, v) or has(sets, NEIGHBOURS * n + u, v)):
            return False
        if u == y:
            return True
        if has(sets, 4 * n, u):
            return False
        v = u
    return False


@inner_kernel
def is_blocked(sets, x, y, lists, before):
    """Return True if every semi-directed path from y to x has a node in the first spare row (Theorem 15)."""
    if is_known_path_open(sets, x, y, before):
        return False
    n = size_of(sets)
    for w in range(sets.shape[1]):
        sets[4 * n + 1, w] = sets[4 * n, w]
    explore(sets, y, x, lists, before)
    return not has(sets, 4 * n + 1, x)


@inner_kernel
def find_reach(sets, y, lists, before, reach):
    """
    Write into reach[y] all variables that semi-directed paths from y reach, y included.

    Write into the first spare row the variables x that are reached by paths without neighbours of y. No T blocks such a
    path, so no Insert(x, y, T) is valid for them.
    """
    n = size_of(sets)
    near, seen = NEIGHBOURS * n + y, 4 * n + 1
    for w in range(sets.shape[1]):
        sets[seen, w] = np.uint64(0)
    explore(sets, y, NOTHING, lists, before)
    for w in range(sets.shape[1]):
        reach[y, w] = sets[seen, w]
        sets[seen, w] = sets[near, w]
    explore(sets, y, NOTHING, lists, before)
    for w in range(sets.shape[1]):
        sets[4 * n, w] = sets[seen, w] & ~sets[near, w]


@kernel
def mark_stale(old, new, reach, known):
    """
    Set known[y] to False if a path from y reaches a variable whose outgoing edges differ between two graphs.

    old, new : the bit sets of the two graphs
    reach : uint64[n + 1, W]   from find_reach, for the old graph; the last row is scratch
    known : bool[n]            True if reach[y] is up to date
    """
    n = known.size
    moved = n  # the scratch row: variables whose outgoing edges differ
    for v in range(n):
        for w in range(reach.shape[1]):
            if (
                old[CHILDREN * n + v, w] != new[CHILDREN * n + v, w]
                or old[NEIGHBOURS * n + v, w] != new[NEIGHBOURS * n + v, w]
            ):
                put(reach, moved, v)
    for y in range(n):
        for w in range(reach.shape[1]):
            known[y] = known[y] and reach[y, w] & reach[moved, w] == np.uint64(0)
    for w in range(reach.shape[1]):
        reach[moved, w] = np.uint64(0)


@kernel
def is_valid_insert(sets, x, y, lists, size, before):
    """
    Return True if Insert(x, y, T) is valid (Theorem 15), where T is lists[SUBSET, :size].

    NA(y, x) + T is a clique, and every semi-directed path from y to x has a node in it. The caller ensures that x and y
    are not adjacent and that T are neighbours of y not adjacent to x.

    before : see `explore`
    """
    find_kept(sets, INSERT, x, y, lists, size)
    return is_clique(sets, 4 * size_of(sets)) and is_blocked(sets, x, y, lists, before)


@kernel
def is_valid_delete(sets, x, y, lists, size):
    """
    Return True if Delete(x, y, H) is valid (Theorem 17), where H is lists[SUBSET, :size]: NA(y, x) - H is a clique.

    The caller ensures that x -> y or x - y, and that H are neighbours of y adjacent to x.
    """
    find_kept(sets, DELETE, x, y, lists, size)
    return is_clique(sets, 4 * size_of(sets))


@inner_kernel
def find_candidates(sets, kind, x, y, lists):
    """
    Write into CANDIDATES the variables that T or H may contain; return their number.

    For Delete these are NA(y, x). For Insert these are the neighbours of y that are adjacent to all of NA(y, x) and not
    to x, because no others can form a clique with NA(y, x). If NA(y, x) is not a clique, no Insert is valid, and the
    result is NOTHING.
    """
    n = size_of(sets)
    find_kept(sets, kind, x, y, lists, np.int64(0))
    if kind == DELETE:
        return list_members(sets, 4 * n, lists, CANDIDATES)
    if not is_clique(sets, 4 * n):
        return NOTHING
    number = list_members(sets, NEIGHBOURS * n + y, lists, CANDIDATES)
    kept = np.int64(0)
    for i in range(number):
        v = lists[CANDIDATES, i]
        if not has(sets, ADJACENT * n + x, v) and is_inside(sets, 4 * n, NOTHING, ADJACENT * n + v):
            lists[CANDIDATES, kept] = v
            kept += 1
    return kept


@inner_kernel
def next_subset(number, limit, descend, lists, size):
    """
    Replace a subset of the candidates by the next one in depth-first order: {}, {0}, {0, 1}, ..., {1}, ...

    number : number of candidates
    limit : maximum size of a subset
    descend : False to skip all subsets that begin with the members of the current one
    lists : the subset: CHOSEN has ascending indices of candidates, SUBSET the variables
    size : size of the current subset

    Return the size of the next subset, or NOTHING after the last one.
    """
    first = lists[CHOSEN, size - 1] + 1 if size > 0 else 0
    if descend and size < limit and first < number:
        lists[CHOSEN, size] = first
        size += 1
    else:
        while size > 0 and lists[CHOSEN, size - 1] + 1 == number:
            size -= 1
        if size == 0:
            return NOTHING
        lists[CHOSEN, size - 1] += 1
    lists[SUBSET, size - 1] = lists[CANDIDATES, lists[CHOSEN, size - 1]]
    return size


@inner_kernel
def passes_clique_test(sets, kind, x, y, lists, size):
    """
    Return True if the operator with the current subset passes the clique test of Theorem 15 or 17.

    For Insert only the last member is tested against the others. The subset without it has passed the test, because
    `next_subset` extends no others, and all candidates are adjacent to NA(y, x).
    """
    if kind == DELETE:
        return is_valid_delete(sets, x, y, lists, size)
    for i in range(size - 1):
        if not has(sets, ADJACENT * size_of(sets) + lists[SUBSET, size - 1], lists[SUBSET, i]):
            return False
    return True


@inner_kernel
def find_given(sets, kind, x, y, lists, size):
    """
    Write into GIVEN the set B of Corollaries 16 and 18, in which x is added to or removed from the parents of y.

    B = Pa(y) + NA(y, x) + T for Insert; B = Pa(y) + (NA(y, x) - H) - x for Delete. Return the number of its members.
    """
    n = size_of(sets)
    find_kept(sets, kind, x, y, lists, size)
    for w in range(sets.shape[1]):
        sets[4 * n, w] |= sets[PARENTS * n + y, w]
    drop(sets, 4 * n, x)
    return list_members(sets, 4 * n, lists, GIVEN)
