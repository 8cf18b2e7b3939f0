"""
The state of an ordering, kept up to date under insertions.

Every kernel here takes two tuples. `index` is `Index.arrays`. `state` is

order, position : int32[n]    the variables from first to last, and where each stands
choice : int64[n]             each variable's row: its best set among the variables before it
delta : float64[slots]        what y's score changes by if only the order of its candidate x and y themselves changes
target : int32[slots]         the row that y then takes; -1 where it keeps its own
blocked, active : uint64[n, 2]  of each variable the candidates that stand behind it; those with a target (as bits;
                                only where it has at most 128 candidates)
reach : int64[n]              the last row that `delta` and `target` of its candidates depend on
looked : int64[1]             rows looked at so far

So a positive delta of (x, y) means that y stands before x and would rather have it before itself; a negative one, that
y's set holds x. A target with a delta of zero is another set of the same score.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_bits import popcount
from bnsearch.kernel import inlined_kernel
from bnsearch.orderings.kernels_index import WORD

NARROW = 2 * WORD  # as many candidates as a set's bits can hold


@inlined_kernel
def lowest_bit(word):
    """Return the number of the lowest one of a word that is not zero."""
    return np.int64(popcount(~word & (word - np.uint64(1))))


@inlined_kernel
def last_parent(first, members, position, row, limit):
    """Return the position of the last member of a row's set, -1 without any; `limit` once one stands there or later."""
    last = np.int64(-1)
    for i in range(first[row], first[row + 1]):
        at = np.int64(position[members[i]])
        if at >= limit:
            return np.int64(limit)
        last = max(last, at)
    return last


@inlined_kernel
def candidates_from(index, position, child, limit):
    """Return two words, the candidates of a variable that stand at a position or later, as bits."""
    cand_begin, cand = index[5], index[6]
    one = np.uint64(1)
    begin = cand_begin[child]
    low = np.uint64(0)
    high = np.uint64(0)
    for i in range(begin, min(begin + WORD, cand_begin[child + 1])):
        if position[cand[i]] >= limit:
            low |= one << np.uint64(i - begin)
    for i in range(begin + WORD, min(begin + NARROW, cand_begin[child + 1])):
        if position[cand[i]] >= limit:
            high |= one << np.uint64(i - begin - WORD)
    return low, high


@inlined_kernel
def set_targets(index, state, child, word, bits, row):
    """Note what the candidates with these bits would make a variable take."""
    cand_begin, cand_slot = index[5], index[7]
    choice, delta, target = state[2], state[3], state[4]
    change = index[1][row] - index[1][choice[child]]
    while bits:
        slot = cand_slot[cand_begin[child] + WORD * word + lowest_bit(bits)]
        target[slot] = row
        delta[slot] = change
        bits &= bits - np.uint64(1)


@inlined_kernel
def clear_targets(index, state, child, word):
    """Forget what a variable's candidates would make it take."""
    cand_begin, cand_slot = index[5], index[7]
    delta, target, active = state[3], state[4], state[6]
    bits = active[child, word]
    while bits:
        slot = cand_slot[cand_begin[child] + WORD * word + lowest_bit(bits)]
        target[slot] = -1
        delta[slot] = 0.0
        bits &= bits - np.uint64(1)


@inlined_kernel
def refresh_narrow(index, state, child):
    """Find delta and target of a variable's candidates; it has at most 128, and sets are compared as bits."""
    begin, masks = index[0], index[10]
    choice, blocked, active, reach = state[2], state[5], state[6], state[7]
    one = np.uint64(1)
    none = np.uint64(0)
    clear_targets(index, state, child, 0)
    clear_targets(index, state, child, 1)
    low, high = blocked[child, 0], blocked[child, 1]
    wanted_low, wanted_high = low, high  # blocked candidates for which no set was found yet
    own = choice[child]
    for row in range(begin[child], own):  # better sets that one candidate alone blocks
        a = masks[0, row] & low
        if a & (a - one):
            continue
        b = masks[1, row] & high
        if b & (b - one) or (a and b):
            continue
        a &= wanted_low
        b &= wanted_high
        if a != none:
            wanted_low &= ~a
            set_targets(index, state, child, 0, a, row)
        elif b != none:
            wanted_high &= ~b
            set_targets(index, state, child, 1, b, row)
    active[child, 0] = (low & ~wanted_low) | masks[0, own]
    active[child, 1] = (high & ~wanted_high) | masks[1, own]
    a, b = masks[0, own], masks[1, own]  # members for which no set without them was found yet
    row = own
    while a | b:
        row += 1
        if masks[0, row] & low or masks[1, row] & high:
            continue
        set_targets(index, state, child, 0, a & ~masks[0, row], row)
        set_targets(index, state, child, 1, b & ~masks[1, row], row)
        a &= masks[0, row]
        b &= masks[1, row]
    reach[child] = row


@inlined_kernel
def refresh_wide(index, state, child):
    """Find delta and target of a variable's candidates, of which there may be any number."""
    begin, scores, first, members, member_slot, cand_begin, cand_slot = index[0], index[1], index[2], index[3], index[4], index[5], index[7]  # fmt: skip  # noqa: E501
    position, choice, delta, target, reach = state[1], state[2], state[3], state[4], state[7]
    for i in range(cand_begin[child], cand_begin[child + 1]):
        target[cand_slot[i]] = -1
        delta[cand_slot[i]] = 0.0
    own = choice[child]
    at = position[child]
    for row in range(begin[child], own):
        blocker = -1
        blockers = 0
        for i in range(first[row], first[row + 1]):
            if position[members[i]] > at:
                blocker = i
                blockers += 1
                if blockers > 1:
                    break
        if blockers == 1 and target[member_slot[blocker]] < 0:
            target[member_slot[blocker]] = row
            delta[member_slot[blocker]] = scores[row] - scores[own]
    left = first[own + 1] - first[own]
    row = own
    while left > 0:
        row += 1
        if last_parent(first, members, position, row, at) == at:
            continue
        for i in range(first[own], first[own + 1]):
            inside = target[member_slot[i]] >= 0
            for j in range(first[row], first[row + 1]):
                inside = inside or members[j] == members[i]
            if not inside:
                target[member_slot[i]] = row
                delta[member_slot[i]] = scores[row] - scores[own]
                left -= 1
    reach[child] = row


@inlined_kernel
def refresh(index, state, child):
    """Find what each candidate of a variable would make it take if it stood on its other side."""
    if index[5][child + 1] - index[5][child] <= NARROW:
        refresh_narrow(index, state, child)
    else:
        refresh_wide(index, state, child)
    state[8][0] += state[7][child] - index[0][child] + 1


@inlined_kernel
def choose(index, state, child, row):
    """Give a variable its best set, known not to stand before a row."""
    first, members, masks = index[2], index[3], index[10]
    position, choice, blocked = state[1], state[2], state[5]
    if index[5][child + 1] - index[5][child] <= NARROW:
        while masks[0, row] & blocked[child, 0] or masks[1, row] & blocked[child, 1]:
            row += 1
    else:
        while last_parent(first, members, position, row, position[child]) == position[child]:
            row += 1
    choice[child] = row


@inlined_kernel
def block(index, state, child):
    """Find out which candidates of a variable stand behind it."""
    position, blocked = state[1], state[5]
    low, high = candidates_from(index, position, child, position[child])
    blocked[child, 0] = low
    blocked[child, 1] = high
