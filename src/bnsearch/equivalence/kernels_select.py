"""The choice among the listed operators: the best, or the best after noise, of those that are valid."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.equivalence.kernels_constraints import leads_to_legal_class
from bnsearch.equivalence.kernels_graph import NOTHING, SUBSET, has, size_of
from bnsearch.equivalence.kernels_listing import CONSTRAINTS, LIMITS
from bnsearch.equivalence.kernels_operators import (
    DELETE,
    INSERT,
    find_candidates,
    find_kept,
    find_reach,
    is_blocked,
    next_subset,
    passes_clique_test,
)
from bnsearch.equivalence.kernels_ranking import play_all, rank_row, replay
from bnsearch.kernels.compile import inner_kernel, kernel

# An operator as it is returned, int64[5 + n]: its position in the pool, kind, x, y, the size of its subset, the members
# of the subset. `rows`, `pool`, `paths` and `options` are described in kernels_listing.
AT, KIND, TAIL, HEAD, SIZE, FIRST = range(6)


@inner_kernel
def recall(sets, kind, x, y, serial, limit, lists):
    """Find the subset of the operator on x and y with a serial number; return its size, and its members in SUBSET."""
    number = find_candidates(sets, kind, x, y, lists)
    size = np.int64(0)
    for _ in range(serial):
        valid = kind == DELETE or passes_clique_test(sets, kind, x, y, lists, size)
        size = next_subset(number, limit, valid, lists, size)
    return size


@kernel
def recall_if_valid(sets, kind, y, at, pool, options, lists, before, found, row):
    """
    Write a listed operator into found[row]; return True if it is valid.

    Listed operators have passed the clique tests of Theorems 15 and 17. What is left is the path test of Theorem 15.
    """
    x = np.int64(pool[2][at])
    size = recall(sets, kind, x, y, np.int64(pool[3][at]), options[LIMITS][0], lists)
    found[row, AT] = at
    found[row, KIND] = kind
    found[row, TAIL] = x
    found[row, HEAD] = y
    found[row, SIZE] = size
    for i in range(size):
        found[row, FIRST + i] = lists[SUBSET, i]
    if kind == DELETE:
        return True
    find_kept(sets, kind, x, y, lists, size)
    return is_blocked(sets, x, y, lists, before)


@inner_kernel
def is_legal(sets, found, row, options, lists):
    """Return True if the operator that `recall_if_valid` has just written leads to a class with a legal DAG."""
    kind, x, y, size = found[row, KIND], found[row, TAIL], found[row, HEAD], found[row, SIZE]
    return leads_to_legal_class(sets, kind, x, y, size, options[CONSTRAINTS], lists)


@inner_kernel
def rank_insertions(sets, y, rows, pool, paths, lists):
    """Rank the insertions into y that raise the score, without those that the paths from y forbid for every T."""
    begin, count, _, ranked, top = rows
    _, levels, tails, _, ranking = pool
    reach, known, before = paths
    first = begin[INSERT, y]
    find_reach(sets, y, lists, before, reach)
    number = np.int64(0)
    for i in range(count[INSERT, y]):
        if levels[first + i] > 0 and not has(sets, 4 * size_of(sets), np.int64(tails[first + i])):
            ranking[first + number] = i
            number += 1
    rank_row(pool, first, number)
    ranked[INSERT, y] = number
    top[INSERT, y] = 0
    known[y] = True


@inner_kernel
def find_bar(kind, y, at, rows, pool, paths):
    """
    Return the next entry of a ranking from `at` on that is not known to be invalid, and its level, 0 after the last.

    Without a ranking the level is that of the best operator of the row, an upper bound of what is valid.
    """
    begin, _, head, ranked, _ = rows
    levels, ranking = pool[1], pool[4]
    first = begin[kind, y]
    if kind == INSERT and not paths[1][y]:
        return at, levels[first + head[kind, y]] if head[kind, y] >= 0 else 0.0
    while at < ranked[kind, y] and ranking[first + at] < 0:
        at += 1
    return at, levels[first + ranking[first + at]] if at < ranked[kind, y] else 0.0


@kernel
def best_operators(sets, kinds, options, rows, pool, paths, lists, at, bars, tree, found):
    """
    Find the best valid operators that raise the score, best first; return their number.

    Ties are decided for Delete, then by y, x and the subset: the smaller number first. The paths from y are followed
    when an insertion into y would be chosen next. An insertion found invalid is not tried again until an edge on a
    path from y changes.

    kinds : bool[2]                  which kinds
    at, bars, tree : int64[2 n], float64[P], int64[2 P]   scratch: the next entry of each row's ranking, and the
        tournament of the rows, of which the deletions come first
    found : int64[wanted, 5 + n]     written
    """
    begin, top, ranking = rows[0], rows[4], pool[4]
    n = size_of(sets)
    for row in range(2 * n):
        kind, y = (DELETE, row) if row < n else (INSERT, row - n)
        at[row], bars[row] = find_bar(kind, y, top[kind, y], rows, pool, paths)
        bars[row] = bars[row] if kinds[kind] else 0.0
    play_all(tree, bars)
    number = np.int64(0)
    while number < found.shape[0] and bars[tree[1]] > 0:
        row = tree[1]
        kind, y = (DELETE, row) if row < n else (INSERT, row - n)
        if kind == INSERT and not paths[1][y]:
            rank_insertions(sets, y, rows, pool, paths, lists)
            at[row] = 0
        else:
            entry = begin[kind, y] + at[row]
            where = begin[kind, y] + np.int64(ranking[entry])
            if recall_if_valid(sets, kind, y, where, pool, options, lists, paths[2], found, number):
                if is_legal(sets, found, number, options, lists):  # if not, it may be after the next step
                    number += 1
            else:
                ranking[entry] = NOTHING
                top[kind, y] += top[kind, y] == at[row]
            at[row] += 1
        at[row], bars[row] = find_bar(kind, y, at[row], rows, pool, paths)
        replay(tree, bars, row)
    return number


@kernel
def list_gains(kind, rows, pool, gains):
    """Write the gains of the listed operators of a kind, row after row, into float64[operators]."""
    begin, count = rows[0], rows[1]
    number = np.int64(0)
    for y in range(begin.shape[1]):
        for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
            gains[number] = pool[0][i]
            number += 1


@kernel
def best_by_value(sets, kind, options, rows, pool, before, lists, values, found):
    """
    Find the valid operator of a kind whose value is highest; return True if there is one.

    values : float64[operators]   of the listed operators, row after row; minus infinity means that an operator is not
        to be chosen. It is written where the path test fails, or where the operator leads to no legal DAG
    found : int64[1, 5 + n]       written
    """
    begin, count = rows[0], rows[1]
    while True:
        best = -np.inf
        number, where, row, at = np.int64(0), NOTHING, NOTHING, NOTHING
        for y in range(begin.shape[1]):
            for i in range(begin[kind, y], begin[kind, y] + count[kind, y]):
                if values[number] > best:
                    best = values[number]
                    where, row, at = number, y, i
                number += 1
        if where < 0:
            return False
        valid = recall_if_valid(sets, kind, row, at, pool, options, lists, before, found, np.int64(0))
        if valid and is_legal(sets, found, np.int64(0), options, lists):
            return True
        values[where] = -np.inf
