"""Insert and Delete over CPDAGs: Theorems 15 and 17 and Corollaries 16 and 18 of Chickering (2002)."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_bits import popcount
from bnsearch.equivalence.kernels_graph import (
    ADJACENT,
    CHILDREN,
    NEIGHBOURS,
    PARENTS,
    apply_delete,
    apply_insert,
    drop,
    has,
    is_inside,
    is_inside_but_for,
    list_members,
    put,
)
from bnsearch.kernel import kernel
from bnsearch.scores.kernels import set_value

INSERT, DELETE = 0, 1


@kernel
def is_clique(graph, members):
    """Tell whether the variables of a set, uint64[W], are pairwise adjacent."""
    for w in range(members.size):
        word = members[w]
        while word != np.uint64(0):
            v = 64 * w + np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))
            word &= word - np.uint64(1)
            if not is_inside_but_for(members, v, graph[ADJACENT, v]):
                return False
    return True


@kernel
def is_blocked(graph, x, y, blocked):
    """Tell whether every semi-directed path from y to x meets a set of variables: edges are followed as -> or -."""
    words = graph.shape[2]
    seen = blocked.copy()
    put(seen, y)
    stack = np.empty(graph.shape[1], np.int64)
    stack[0] = y
    height = 1
    while height > 0:
        height -= 1
        v = stack[height]
        for w in range(words):
            word = (graph[CHILDREN, v, w] | graph[NEIGHBOURS, v, w]) & ~seen[w]
            seen[w] |= word
            while word != np.uint64(0):
                stack[height] = 64 * w + np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))
                height += 1
                word &= word - np.uint64(1)
        if has(seen, x):
            return False
    return True


@kernel
def find_shared(graph, x, y, shared):
    """Write NA(y, x), the neighbours of y that are adjacent to x."""
    for w in range(shared.size):
        shared[w] = graph[NEIGHBOURS, y, w] & graph[ADJACENT, x, w]


@kernel
def is_valid_insert(graph, x, y, tails):
    """
    Tell whether Insert(x, y, tails) is valid (Theorem 15).

    With NA = NA(y, x): NA + tails is a clique, and every semi-directed path from y to x has a node in it. It takes for
    granted that x and y are not adjacent and that tails are neighbours of y not adjacent to x.
    """
    chosen = np.empty(graph.shape[2], np.uint64)
    find_shared(graph, x, y, chosen)
    for i in range(tails.size):
        put(chosen, tails[i])
    return is_clique(graph, chosen) and is_blocked(graph, x, y, chosen)


@kernel
def is_valid_delete(graph, x, y, heads):
    """
    Tell whether Delete(x, y, heads) is valid (Theorem 17): NA(y, x) without heads is a clique.

    It takes for granted that x -> y or x - y, and that heads are neighbours of y adjacent to x.
    """
    chosen = np.empty(graph.shape[2], np.uint64)
    find_shared(graph, x, y, chosen)
    for i in range(heads.size):
        drop(chosen, heads[i])
    return is_clique(graph, chosen)


@kernel
def gain_of_arc(model, x, y, given, number):
    """
    Return s(y | given + x) - s(y | given), what an arc from x to y adds (Corollaries 16 and 18), from four set values.

    Written so that x and y may change places without changing the last bit.

    model : (columns, scratch, cache, terms, salt), as of scores.kernels.set_value
    x, y : places
    given : int64[number + 2 or more]   places; what stands behind the first `number` is overwritten
    """
    columns, scratch, cache, terms, salt = model
    none = set_value(columns, scratch, cache, given[:number], terms, salt)
    given[number] = y
    with_y = set_value(columns, scratch, cache, given[: number + 1], terms, salt)
    given[number] = x
    with_x = set_value(columns, scratch, cache, given[: number + 1], terms, salt)
    given[number + 1] = y
    both = set_value(columns, scratch, cache, given[: number + 2], terms, salt)
    return (both + none) - (with_x + with_y)


@kernel
def find_candidates(graph, kind, x, y, shared, candidates):
    """
    Write the variables from which T of Insert(x, y, T) or H of Delete(x, y, H) is taken; return their number.

    For Insert these are the neighbours of y not adjacent to x that are adjacent to all of NA(y, x): no other can be in
    a clique with it. -1 means that no operator is valid, as NA(y, x) is not a clique itself.

    shared : uint64[W]         written: NA(y, x)
    candidates : int64[n]      written, ascending
    """
    find_shared(graph, x, y, shared)
    if kind == DELETE:
        return list_members(shared, candidates)
    if not is_clique(graph, shared):
        return -1
    number = list_members(graph[NEIGHBOURS, y], candidates)
    kept = 0
    for i in range(number):
        v = candidates[i]
        if not has(graph[ADJACENT, x], v) and is_inside(shared, graph[ADJACENT, v]):
            candidates[kept] = v
            kept += 1
    return kept


@kernel
def next_subset(number, limit, descend, chosen, size):
    """
    Go on to the next subset of 0..number - 1 in depth-first order: {}, {0}, {0, 1}, ..., {1}, ...

    limit : the largest size
    descend : whether supersets of the present one that continue it may follow
    chosen : int64[...]   the present subset, ascending, in chosen[:size]; replaced

    Return the new size, or -1 when there are no more.
    """
    if descend and size < limit:
        first = chosen[size - 1] + 1 if size > 0 else 0
        if first < number:
            chosen[size] = first
            return size + 1
    while size > 0:
        chosen[size - 1] += 1
        if chosen[size - 1] < number:
            return size
        size -= 1
    return -1


@kernel
def passes_clique_test(graph, kind, shared, subset):
    """
    Tell whether an operator passes the clique test of Theorem 15 or 17.

    For Insert only the last member of the subset is looked at: the others have passed before it, and all candidates are
    adjacent to all of NA(y, x).

    shared : uint64[W]      NA(y, x)
    subset : int64[size]    T or H, variables
    """
    if kind == INSERT:
        for i in range(subset.size - 1):
            if not has(graph[ADJACENT, subset[subset.size - 1]], subset[i]):
                return False
        return True
    rest = shared.copy()
    for i in range(subset.size):
        drop(rest, subset[i])
    return is_clique(graph, rest)


@kernel
def find_given(graph, kind, x, y, subset, given):
    """
    Write the parents of y, x aside, in the DAGs that an operator stands for; return their number.

    Pa(y) + NA(y, x) + T for Insert; Pa(y) + (NA(y, x) - H) - x for Delete.

    subset : int64[size]     T or H
    given : int64[n + 2]     written, variables
    """
    words = graph.shape[2]
    members = np.empty(words, np.uint64)
    find_shared(graph, x, y, members)
    for w in range(words):
        members[w] |= graph[PARENTS, y, w]
    for i in range(subset.size):
        if kind == INSERT:
            put(members, subset[i])
        else:
            drop(members, subset[i])
    drop(members, x)
    return list_members(members, given)


@kernel
def gain_of(graph, model, place, kind, x, y, subset, given):
    """
    Return how much Insert(x, y, subset) or Delete(x, y, subset) adds to the score (Corollaries 16 and 18).

    model, place : as of gain_of_arc; the place of each variable
    given : int64[n + 2]     scratch
    """
    number = find_given(graph, kind, x, y, subset, given)
    for i in range(number):
        given[i] = place[given[i]]
    gain = gain_of_arc(model, place[x], place[y], given, number)
    return gain if kind == INSERT else -gain


@kernel
def apply_operator(graph, kind, x, y, subset):
    """Apply an operator to a CPDAG and complete it; return whether that could be done."""
    if kind == INSERT:
        return apply_insert(graph, x, y, subset)
    return apply_delete(graph, x, y, subset)
