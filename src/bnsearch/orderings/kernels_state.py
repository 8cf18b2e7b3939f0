"""
The state of an ordering, kept up to date under insertions.

Every kernel here takes two tuples. `index` is `Index.arrays`. `state` is

order, position : int32[n]    the variables from first to last, and where each stands
choice : int64[n]             each variable's row: its best set among the variables before it
delta : float64[slots]        what y's score changes by if only the order of its candidate x and y themselves changes
target : int32[slots]         the row that y then takes; -1 where it keeps its own
active : int32[slots]         of each variable, from `cand_begin` on, the candidates with a target, by number
n_active : int32[n]           how many there are
reach : int64[n]              the last row that `delta` and `target` of its candidates depend on
looked : int64[1]             looks so far: at a row, at a node of a tree, at four words of bits
behind, wanted : int32[n]     scratch, lists of candidates by number
path : int64[2, ...]          scratch, as kernels_tree wants it
words : uint64[2, n + 1]      each variable's random word; for each position, that of the set of those before it
rows : int64[..., 2]          memory: a word, and r + 1 where its best row is r, -r where it is none before r
seen : int64[..., 3 + ...]    memory: a word, `reach`, how many targets; these, each with its candidate

Both memories have a power of two of places, or none.

So a positive delta of (x, y) means that y stands before x and would rather have it before itself; a negative one, that
y's set holds x. A target with a delta of zero is another set of the same score.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import lowest_bit
from bnsearch.kernels.compile import inlined_kernel
from bnsearch.orderings.kernels_bits import list_behind, rows_with_one
from bnsearch.orderings.kernels_index import WORD
from bnsearch.orderings.kernels_memory import keep_targets, recall_best, recall_targets, word_of


@inlined_kernel
def last_parent(first, members, position, row):
    """Return the position of the last member of a row's set, -1 without any."""
    last = np.int64(-1)
    for i in range(first[row], first[row + 1]):
        last = max(last, np.int64(position[members[i]]))
    return last


@inlined_kernel
def set_target(index, state, child, slot, number, row):
    """Note what a candidate would make a variable take."""
    scores, cand_begin = index[1], index[5]
    choice, delta, target, active, n_active = state[2], state[3], state[4], state[5], state[6]
    target[slot] = row
    delta[slot] = scores[row] - scores[choice[child]]
    active[cand_begin[child] + n_active[child]] = number
    n_active[child] += 1


@inlined_kernel
def clear_targets(index, state, child):
    """Forget what a variable's candidates would make it take."""
    begin, cand_slot = index[5][child], index[7]
    delta, target, active, n_active = state[3], state[4], state[5], state[6]
    for i in range(n_active[child]):
        slot = cand_slot[begin + active[begin + i]]
        target[slot] = -1
        delta[slot] = 0.0
    n_active[child] = 0


@inlined_kernel
def find_gains(index, state, child):
    """Find the best set that each candidate behind a variable alone keeps it from, if better than its own."""
    begin, cand_begin, cand_slot, bits = index[0][child], index[5][child], index[7], index[12]
    behind, wanted, looked = state[9], state[10], state[8]
    own = state[2][child]
    if own == begin:
        return
    count = list_behind(index, state[1], child, behind)
    left = count
    for i in range(count):
        wanted[i] = behind[i]
    words = index[13][child]
    for row in range(begin, own, WORD):
        if left == 0:
            return
        alone = rows_with_one(bits, words, behind, count)
        if own - row < WORD:
            alone &= (np.uint64(1) << np.uint64(own - row)) - np.uint64(1)
        looked[0] += 1 + count // 4
        i = 0
        while alone and i < left:
            hit = bits[words + wanted[i]] & alone
            if hit:
                slot = cand_slot[cand_begin + wanted[i]]
                set_target(index, state, child, slot, wanted[i], row + lowest_bit(hit))
                left -= 1
                wanted[i] = wanted[left]
            else:
                i += 1
        words += index[5][child + 1] - cand_begin


@inlined_kernel
def find_losses(index, state, child):
    """Find the best set that is left to a variable without each member of its own; return the last row of them."""
    first, members, member_slot, slots = index[2], index[3], index[4], index[9]
    position, choice = state[1], state[2]
    own = choice[child]
    last = own
    for i in range(first[own], first[own + 1]):
        without = np.int64(members[i])
        row = recall_best(index, state, child, np.int64(position[child]), without, own + 1, index[0][child + 1])
        slot = member_slot[i]
        set_target(index, state, child, slot, slots[1, slot], row)
        last = max(last, row)
    return last


@inlined_kernel
def refresh(index, state, child):
    """Find what each candidate of a variable would make it take if it stood on its other side."""
    clear_targets(index, state, child)
    remembers = state[14].size > 0
    word = np.int64(0)
    if remembers:
        word = word_of(state, child, np.int64(state[1][child]), np.int64(-1))
        if recall_targets(index, state, child, word):
            return
    find_gains(index, state, child)
    state[7][child] = find_losses(index, state, child)
    if remembers:
        keep_targets(index, state, child, word)


@inlined_kernel
def choose(index, state, child, row):
    """Give a variable its best set, known not to stand before a row."""
    position = np.int64(state[1][child])
    state[2][child] = recall_best(index, state, child, position, np.int64(-1), row, index[0][child + 1])
