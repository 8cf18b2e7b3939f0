"""What a swap of neighbours would change the score by, and climbing by swaps. `index`, `state` as in state.py."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import improves_on, tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels.state import move


@inlined_kernel
def slot_of(index, variable, child):
    """Return the slot of a candidate and its child; -1 if it is none."""
    slot_begin, slots = index[8], index[9]
    low = slot_begin[variable]
    high = slot_begin[variable + 1]
    while low < high:
        middle = (low + high) >> 1
        if slots[0, middle] < child:
            low = middle + 1
        else:
            high = middle
    if low < slot_begin[variable + 1] and slots[0, low] == child:
        return low
    return np.int64(-1)


@inlined_kernel
def price_swap(index, state, at):
    """Return what the swap of the variables at a position and the next changes the score by."""
    order, delta, looked = state[0], state[3], state[8]
    left, right = order[at], order[at + 1]
    looked[0] += 2
    change = 0.0
    slot = slot_of(index, left, right)
    if slot >= 0:
        change += delta[slot]
    slot = slot_of(index, right, left)
    if slot >= 0:
        change += delta[slot]
    return change


@borrowing_kernel
def price_swaps(index, state, low, high, changes):
    """Price the swaps at the positions low to high - 1, as far as there are; changes : float64[n], written there."""
    for at in range(max(low, 0), min(high, changes.size - 1)):
        changes[at] = price_swap(index, state, at)


@inlined_kernel
def find_best_swap(state, changes, tabu, margin, at_random, random, barred, ties):
    """
    Return the position of the best swap that is not tabu, -1 if all are; of those within `margin` of it the first.

    at_random : whether one of these is drawn instead
    barred : bool[n]   False throughout, before and after
    ties : int32[n]    scratch
    """
    position = state[1]
    n = changes.size
    for i in range(tabu.shape[0]):
        if tabu[i, 0] >= 0 and position[tabu[i, 0]] + 1 == position[tabu[i, 1]]:
            barred[position[tabu[i, 0]]] = True
    best = -np.inf
    for at in range(n - 1):
        if changes[at] > best and not barred[at]:
            best = changes[at]
    number = 0
    for at in range(n - 1):
        if changes[at] >= best - margin and not barred[at]:
            ties[number] = at
            number += 1
    for i in range(tabu.shape[0]):
        if tabu[i, 0] >= 0:
            barred[position[tabu[i, 0]]] = False
    if number == 0:
        return np.int64(-1)
    return np.int64(ties[draw_below(random, number)] if at_random else ties[0])


@borrowing_kernel
def search_by_swaps(
    index, state, changes, tabu, made, totals, best_order, patience, most, at_random, random, tolerance, budget, barred,
    touched
):  # fmt: skip
    """
    Swap the neighbours that gain most, or lose least, again and again; not those swapped of late.

    changes : float64[n]       what the swap at each position changes the score by
    tabu : int32[size, 2]      the pairs swapped last, as they stand now; a pair is -1, -1 before there is one
    made : int64[2]            swaps made; those since the best ordering was found; updated
    totals : float64[2]        the scores of the ordering and of the best one; updated
    best_order : int32[n]      written
    patience : how many swaps in a row may be no improvement
    most : how many swaps may be made in all
    at_random : whether one of equally good swaps is drawn, or the first of them is made
    random : uint64[1]
    barred, touched : bool[n], int32[n]   scratch

    Returns whether it has ended: out of swaps or patience, or, without a tabu list, at a local optimum.
    """
    order, looked = state[0], state[8]
    n = order.size
    until = looked[0] + budget
    while looked[0] < until:
        if made[1] >= patience or made[0] >= most:
            return True
        least = tie_margin(totals[0], tolerance)
        best = find_best_swap(state, changes, tabu, least, at_random, random, barred, touched)
        if best < 0 or (tabu.shape[0] == 0 and changes[best] <= least):
            return True
        change, _, _ = move(index, state, np.int64(order[best]), best + 1, touched)
        totals[0] += change
        if tabu.shape[0] > 0:
            i = made[0] % tabu.shape[0]
            tabu[i, 0] = order[best]
            tabu[i, 1] = order[best + 1]
        made[0] += 1
        made[1] += 1
        price_swaps(index, state, best - 1, best + 2, changes)
        looked[0] += 1 + n // 16
        if improves_on(totals[0], totals[1], tolerance):
            totals[1] = totals[0]
            made[1] = 0
            for i in range(n):
                best_order[i] = order[i]
    return False
