"""
A variable's best set before a position, found in its tree or remembered.

What is remembered: a variable's best row, and its targets, where the same variables stand before it once more.
`index` and `state` as in state.py. A search comes back to the same few orderings, and to their neighbours, again
and again; where a variable has thousands of sets, to look that up is faster than to find it anew.

A set of variables is known by a word, the exclusive or of the random words of its members; sets with the same word are
taken to be the same, which in a search of an hour is wrong with a chance of one in a million. Each word has one place
in a memory, where what is found takes the place of what was there before.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.index import BEST, FEW, HASH, KIDS, MEMBER, ROW

WORD, REACH, COUNT, TARGETS = 0, 1, 2, 3  # columns of `seen`
NUMBER_BITS = 24  # of a target, for the candidate; the row stands above them


@inlined_kernel
def stands_before(index, position, row, limit, without):
    """Tell whether a row's members all stand before a position, another variable not among them."""
    first, members = index[2], index[3]
    for i in range(first[row], first[row + 1]):
        if position[members[i]] >= limit or members[i] == without:
            return False
    return True


@borrowing_kernel
def best_before(index, position, variable, limit, without, row, stop, path, looked):
    """
    Return the first row of a variable whose members all stand before a position, another variable not among them.

    index : as in state.py
    limit, without : that position; that variable, or -1
    row : no row before this one is known to be
    stop : returned where there is none before it
    path : int64[2, most members + 1]   scratch
    looked : int64[1]   the nodes visited are added
    """
    begin, tree = index[0][variable], index[11]
    near = min(row + FEW, stop)
    for i in range(row, near):
        if stands_before(index, position, i, limit, without):
            return i
    if near == stop:
        return stop
    found = stop - begin
    node = index[10][variable]
    found = min(found, np.int64(tree[node, ROW]))
    depth = 0
    path[0, 0] = tree[node, KIDS]
    path[1, 0] = tree[node + 1, KIDS]
    while depth >= 0:
        node = path[0, depth]
        if node == path[1, depth] or tree[node, BEST] >= found:  # nor is any that follows better
            depth -= 1
            continue
        path[0, depth] += 1
        looked[0] += 1
        member = tree[node, MEMBER]
        if position[member] < limit and member != without:
            found = min(found, np.int64(tree[node, ROW]))
            if tree[node, KIDS] < tree[node + 1, KIDS]:
                depth += 1
                path[0, depth] = tree[node, KIDS]
                path[1, depth] = tree[node + 1, KIDS]
    return begin + found


@inlined_kernel
def update_words(state, low, high):
    """Bring the words of the sets before the positions up to date after moves between two of them."""
    order, words, rows = state[0], state[12], state[13]
    if rows.size > 0:
        for i in range(low, high + 1):
            words[1, i + 1] = words[1, i] ^ words[0, order[i]]


@inlined_kernel
def word_of(state, variable, limit, without):
    """Return the word of a variable and of the set of those before a position, another variable not among them."""
    position, words = state[1], state[12]
    word = words[1, limit]
    if position[variable] < limit:
        word ^= words[0, variable]
    if without >= 0 and position[without] < limit:
        word ^= words[0, without]
    return np.int64(word ^ (np.uint64(variable + 1) * HASH))


@inlined_kernel
def place_of(word, memory):
    """Return the place of a word in a memory."""
    return (word >> 20) & (memory.shape[0] - 1)


@borrowing_kernel
def recall_best(index, state, variable, limit, without, row, stop):
    """Return what `best_before` would, from memory if it is there."""
    position, looked, path, rows = state[1], state[8], state[11], state[13]
    if rows.size == 0 or stop - row <= FEW:
        return best_before(index, position, variable, limit, without, row, stop, path, looked)
    word = word_of(state, variable, limit, without)
    at = place_of(word, rows)
    if rows[at, 0] == word:
        known = rows[at, 1]
        if known > 0:
            return min(known - 1, stop)
        if -known >= stop:
            return stop
        row = max(row, -known)
    found = best_before(index, position, variable, limit, without, row, stop, path, looked)
    rows[at, 0] = word
    rows[at, 1] = found + 1 if found < stop else -stop
    return found


@inlined_kernel
def keep_targets(index, state, child, word):
    """Keep what a variable's candidates would make it take, under the word of the set before it."""
    begin, cand_slot = index[5][child], index[7]
    target, active, n_active, reach, seen = state[4], state[5], state[6], state[7], state[14]
    at = place_of(word, seen)
    seen[at, WORD] = word
    seen[at, REACH] = reach[child]
    seen[at, COUNT] = n_active[child]
    for i in range(n_active[child]):
        number = np.int64(active[begin + i])
        seen[at, TARGETS + i] = (np.int64(target[cand_slot[begin + number]]) << NUMBER_BITS) | number


@inlined_kernel
def recall_targets(index, state, child, word):
    """Recall what a variable's candidates would make it take; return whether it was there."""
    scores, begin, cand_slot = index[1], index[5][child], index[7]
    choice, delta, target, active, n_active, reach, seen = (
        state[2], state[3], state[4], state[5], state[6], state[7], state[14],
    )  # fmt: skip
    at = place_of(word, seen)
    if seen[at, WORD] != word:
        return False
    reach[child] = seen[at, REACH]
    n_active[child] = seen[at, COUNT]
    for i in range(seen[at, COUNT]):
        kept = seen[at, TARGETS + i]
        number = kept & ((1 << NUMBER_BITS) - 1)
        slot = cand_slot[begin + number]
        active[begin + i] = number
        target[slot] = kept >> NUMBER_BITS
        delta[slot] = scores[kept >> NUMBER_BITS] - scores[choice[child]]
    return True
