"""Setting up an ordering, and moving a variable in it. `index` and `state` as in kernels_state."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernel import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels_index import WORD
from bnsearch.orderings.kernels_state import NARROW, block, choose, refresh


@borrowing_kernel
def settle(index, state):
    """Set up the state of `order`; return its score."""
    begin, scores = index[0], index[1]
    order, position, choice, delta, target, active, looked = state[0], state[1], state[2], state[3], state[4], state[6], state[8]  # fmt: skip  # noqa: E501
    for i in range(order.size):
        position[order[i]] = i
    for slot in range(delta.size):
        delta[slot] = 0.0
        target[slot] = -1
    total = 0.0
    for v in range(order.size):
        active[v, 0] = 0
        active[v, 1] = 0
        block(index, state, v)
        choose(index, state, v, begin[v])
        looked[0] += choice[v] - begin[v] + 1
        refresh(index, state, v)
        total += scores[choice[v]]
    return total


@inlined_kernel
def shift(state, variable, to):
    """Insert a variable at a position; return the first and the last position of those it has passed."""
    order, position = state[0], state[1]
    at = np.int64(position[variable])
    step = 1 if to > at else -1
    for i in range(at, to, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[to] = variable
    position[variable] = to
    return min(at, to + 1), max(at, to - 1)


@inlined_kernel
def flip(blocked, child, number):
    """Note that a candidate has passed a variable."""
    if number < NARROW:
        blocked[child, number // WORD] ^= np.uint64(1) << np.uint64(number % WORD)


@inlined_kernel
def move(index, state, variable, to, touched):
    """
    Insert a variable at a position, and bring everything up to date.

    touched : int32[n]   written: from the front the variables whose candidates were looked at anew, the moved one the
                         last of them; from the back those with a candidate passed that does not matter

    Returns the change of the score, and how many stand at the front and at the back of `touched`.
    """
    begin, scores, cand_begin, cand, slot_begin, slots = index[0], index[1], index[5], index[6], index[8], index[9]
    position, choice, delta, target, blocked, reach = state[1], state[2], state[3], state[4], state[5], state[7]
    at = position[variable]
    low, high = shift(state, variable, to)
    change = 0.0
    front = 0
    back = 0
    for slot in range(slot_begin[variable], slot_begin[variable + 1]):
        child = slots[0, slot]
        if position[child] < low or position[child] > high:
            continue
        flip(blocked, child, slots[1, slot])
        if target[slot] < 0 and slots[2, slot] > reach[child]:
            back += 1
            touched[touched.size - back] = child
            continue
        if target[slot] >= 0:
            change += delta[slot]
            choice[child] = target[slot]
        touched[front] = child
        front += 1
    for i in range(cand_begin[variable], cand_begin[variable + 1]):
        if low <= position[cand[i]] <= high:
            flip(blocked, variable, i - cand_begin[variable])
    before = scores[choice[variable]]
    choose(index, state, variable, choice[variable] if to < at else begin[variable])
    change += scores[choice[variable]] - before
    touched[front] = variable
    front += 1
    for i in range(front):
        refresh(index, state, touched[i])
    return change, front, back
