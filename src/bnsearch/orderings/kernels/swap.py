"""The score changes of swaps of adjacent variables. `index` and `state` are described in arrays.py."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.arrays import CHILD, DELTA, EVALUATIONS, ORDER, SLOT_BEGIN, SLOTS


@inlined_kernel
def find_slot(index, variable, child):
    """Return the slot of a candidate and its child; -1 if the variable is not a candidate of the child."""
    slot_begin, slots = index[SLOT_BEGIN], index[SLOTS]
    low = slot_begin[variable]
    high = slot_begin[variable + 1]
    while low < high:
        middle = (low + high) >> 1
        if slots[CHILD, middle] < child:
            low = middle + 1
        else:
            high = middle
    if low < slot_begin[variable + 1] and slots[CHILD, low] == child:
        return low
    return np.int64(-1)


@inlined_kernel
def price_swap(index, state, at):
    """Return the score change of the swap of the variables at a position and the next one."""
    order, delta, evaluations = state[ORDER], state[DELTA], state[EVALUATIONS]
    left, right = order[at], order[at + 1]
    evaluations[0] += 2
    change = 0.0
    slot = find_slot(index, left, right)
    if slot >= 0:
        change += delta[slot]
    slot = find_slot(index, right, left)
    if slot >= 0:
        change += delta[slot]
    return change


@borrowing_kernel
def price_swaps(index, state, low, high, changes):
    """Write the score changes of the swaps at positions low to high - 1, if these exist, to float64[n] `changes`."""
    for at in range(max(low, 0), min(high, changes.size - 1)):
        changes[at] = price_swap(index, state, at)
