"""Setting up an ordering, and moving a variable in it. `index` and `state` as in kernels_state."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels_memory import update_words
from bnsearch.orderings.kernels_state import choose, refresh


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
