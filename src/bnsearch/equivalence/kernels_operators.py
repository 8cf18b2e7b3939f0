"""Which Insert and Delete operators are valid on a CPDAG: Theorems 15 and 17 of Chickering (2002)."""

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
    Write into the first spare row the neighbours of y that an operator makes or leaves its parents.

    NA(y, x) + T for Insert, NA(y, x) - H for Delete, where NA(y, x) are the neighbours of y adjacent to x.

    lists : T or H stands in lists[SUBSET, :size]
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
    """Tell whether the members of set i are pairwise adjacent."""
    return are_adjacent_to(sets, i, i)


@inner_kernel
def explore(sets, y, x, lists, before):
    """
    Put into the second spare row all that semi-directed paths (edges followed as -> or -) lead to from y.

    What is in that row already is not entered. Ends as soon as x is found; x may be NOTHING.

    lists : lists[GIVEN] is scratch
    before : int32[n, n]   before[y, v] is written: where v was reached from
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
    """Tell whether the way on which y last led to x is still there and avoids the set in the first spare row."""
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
    """Tell whether every semi-directed path from y to x meets the set in the first spare row."""
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
    Write into reach[y] what semi-directed paths lead to from y.

    Those that avoid the neighbours of y are blocked by no T: what they lead to is written into the first spare row, and
    for x in that row no Insert(x, y, T) is valid.
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
    Mark the variables from which a path leads over one whose outgoing edges differ between two graphs.

    reach : uint64[n + 1, W]   from find_reach; y is in its own set
    known : bool[n]            cleared for them
    """
    n = known.size
    moved = n  # the last row of reach is free for use
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
    Tell whether Insert(x, y, T) is valid (Theorem 15), T being lists[SUBSET, :size].

    NA(y, x) + T is a clique, and every semi-directed path from y to x has a node in it. It takes for granted that x
    and y are not adjacent and that T are neighbours of y not adjacent to x. before : as of `explore`
    """
    find_kept(sets, INSERT, x, y, lists, size)
    return is_clique(sets, 4 * size_of(sets)) and is_blocked(sets, x, y, lists, before)


@kernel
def is_valid_delete(sets, x, y, lists, size):
    """
    Tell whether Delete(x, y, H) is valid (Theorem 17), H being lists[SUBSET, :size]: NA(y, x) - H is a clique.

    It takes for granted that x -> y or x - y, and that H are neighbours of y adjacent to x.
    """
    find_kept(sets, DELETE, x, y, lists, size)
    return is_clique(sets, 4 * size_of(sets))


@inner_kernel
def find_candidates(sets, kind, x, y, lists):
    """
    Write the variables from which T or H of the operators on x and y is taken; return their number.

    For Insert these are the neighbours of y not adjacent to x that are adjacent to all of NA(y, x): no other can be in
    a clique with it. -1 means that no operator is valid, as NA(y, x) is not a clique itself.
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
    Go on to the next subset of the candidates in depth-first order: {}, {0}, {0, 1}, ..., {1}, ...

    number : of candidates
    limit : the largest size
    descend : whether subsets that continue the present one may follow
    lists : CHOSEN holds the present subset as numbers of candidates, ascending, and SUBSET as variables; replaced

    Return the new size, or -1 when there are no more.
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
    Tell whether the operator of the present subset passes the clique test of Theorem 15 or 17.

    For Insert only the last member is looked at: those before it have passed, and all candidates suit NA(y, x).
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
    Write into GIVEN the parents of y, x aside, in the DAGs that an operator stands for; return their number.

    Pa(y) + NA(y, x) + T for Insert; Pa(y) + (NA(y, x) - H) - x for Delete (Corollaries 16 and 18).
    """
    n = size_of(sets)
    find_kept(sets, kind, x, y, lists, size)
    for w in range(sets.shape[1]):
        sets[4 * n, w] |= sets[PARENTS * n + y, w]
    drop(sets, 4 * n, x)
    return list_members(sets, 4 * n, lists, GIVEN)
