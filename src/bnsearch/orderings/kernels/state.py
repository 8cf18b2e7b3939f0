"""
The state of an ordering, kept up to date under insertions: set up, moved, brought up to date.

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
path : int64[2, ...]          scratch, as best_set.py wants it
words : uint64[2, n + 1]      each variable's random word; for each position, that of the set of those before it
rows : int64[..., 2]          memory: a word, and r + 1 where its best row is r, -r where it is none before r
seen : int64[..., 3 + ...]    memory: a word, `reach`, how many targets; these, each with its candidate

`listed` is a list of candidates of one variable, by number: int32[...], of which the first so many count.

Both memories have a power of two of places, or none.

So a positive delta of (x, y) means that y stands before x and would rather have it before itself; a negative one, that
y's set holds x. A target with a delta of zero is another set of the same score.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import lowest_bit
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.best_set import keep_targets, recall_best, recall_targets, update_words, word_of
from bnsearch.orderings.kernels.index import WORD


@inlined_kernel
def list_behind(index, position, child, listed):
    """List the candidates of a variable that stand behind it; return how many."""
    cand_begin, cand = index[5], index[6]
    begin = cand_begin[child]
    at = position[child]
    count = 0
    for i in range(begin, cand_begin[child + 1]):
        if position[cand[i]] > at:
            listed[count] = i - begin
            count += 1
    return count


@inlined_kernel
def rows_with_one(bits, words, listed, count):
    """Return a word, of the 64 rows whose words begin here those that have exactly one of the listed candidates."""
    one = np.uint64(0)
    more = np.uint64(0)
    for i in range(count):
        has = bits[words + listed[i]]
        more |= one & has
        one |= has
    return one & ~more


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


@borrowing_kernel
def settle(index, state):
    """Set up the state of `order`; return its score."""
    scores = index[1]
    order, position, choice, delta, target, n_active = state[0], state[1], state[2], state[3], state[4], state[6]
    for i in range(order.size):
        position[order[i]] = i
    update_words(state, 0, order.size - 1)
    for slot in range(delta.size):
        delta[slot] = 0.0
        target[slot] = -1
    total = 0.0
    for v in range(order.size):
        n_active[v] = 0
        choose(index, state, v, index[0][v])
        refresh(index, state, v)
        total += scores[choice[v]]
    return total


@inlined_kernel
def move_to(order, position, variable, to):
    """
    Move a variable to a position of an ordering; return where it stood.

    order, position : int32[n]   the variables from first to last, and where each stands; changed
    """
    at = np.int64(position[variable])
    step = 1 if to > at else -1
    for i in range(at, to, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[to] = variable
    position[variable] = to
    return at


@inlined_kernel
def shift(state, variable, to):
    """Insert a variable at a position; return the first and the last position of those it has passed."""
    at = move_to(state[0], state[1], variable, to)
    update_words(state, min(at, to), max(at, to))
    return min(at, to + 1), max(at, to - 1)


@inlined_kernel
def move(index, state, variable, to, touched):
    """
    Insert a variable at a position, and bring everything up to date.

    touched : int32[n]   written: from the front the variables whose candidates were looked at anew, the moved one the
                         last of them; from the back those with a candidate passed that does not matter

    Returns the change of the score, and how many stand at the front and at the back of `touched`.
    """
    scores, slot_begin, slots = index[1], index[8], index[9]
    position, choice, delta, target, reach = state[1], state[2], state[3], state[4], state[7]
    at = position[variable]
    low, high = shift(state, variable, to)
    change = 0.0
    front = 0
    back = 0
    for slot in range(slot_begin[variable], slot_begin[variable + 1]):
        child = slots[0, slot]
        if position[child] < low or position[child] > high:
            continue
        if target[slot] < 0 and slots[2, slot] > reach[child]:
            back += 1
            touched[touched.size - back] = child
            continue
        if target[slot] >= 0:
            change += delta[slot]
            choice[child] = target[slot]
        touched[front] = child
        front += 1
    before = scores[choice[variable]]
    choose(index, state, variable, choice[variable] if to < at else index[0][variable])
    change += scores[choice[variable]] - before
    touched[front] = variable
    front += 1
    for i in range(front):
        refresh(index, state, np.int64(touched[i]))
    return change, front, back
