"""Greedy search by swaps of adjacent variables with a tabu list: Teyssier & Koller (2005), section 3. See arrays.py."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import improves_on, tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels.arrays import EVALUATIONS, ORDER, POSITION, TOUCHED
from bnsearch.orderings.kernels.state import insert_variable
from bnsearch.orderings.kernels.swap import price_swaps

LEFT, RIGHT = 0, 1  # columns of `tabu`
STEPS, STALE = 0, 1  # entries of `counts`
CURRENT, BEST = 0, 1  # entries of `totals`


@inlined_kernel
def find_best_swap(state, changes, tabu, margin, at_random, random, barred):
    """
    Return the position of the best swap that is not tabu, -1 if all are tabu.

    Swaps within `margin` of the best one are ties. The first one is returned, or a random one if `at_random` is set.

    barred : bool[n]   scratch: all False, before and after
    """
    position, ties = state[POSITION], state[TOUCHED]
    n = changes.size
    for i in range(tabu.shape[0]):
        if tabu[i, LEFT] >= 0 and position[tabu[i, LEFT]] + 1 == position[tabu[i, RIGHT]]:
            barred[position[tabu[i, LEFT]]] = True
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
        if tabu[i, LEFT] >= 0:
            barred[position[tabu[i, LEFT]]] = False
    if number == 0:
        return np.int64(-1)
    return np.int64(ties[draw_below(random, number)] if at_random else ties[0])


@borrowing_kernel
def climb_by_swaps(
    index, state, changes, tabu, counts, totals, best_order, patience, max_steps, at_random, random, tolerance,
    max_evaluations, barred
):  # fmt: skip
    """
    Make the best swap that is not tabu, even if it loses, until the stopping rule holds.

    The search stops after `patience` swaps in a row without a new best ordering, after `max_steps` swaps, or, without a
    tabu list, at a local optimum. It returns True then. It returns False if it was interrupted, after about
    `max_evaluations` evaluations, and can be resumed with the same arrays.

    changes : float64[n]       score change of the swap at each position
    tabu : int32[size, 2]      the last pairs that were swapped, as they are ordered now; -1 in unused lines
    counts : int64[2]          STEPS, the swaps made; STALE, those since the best ordering was found; updated
    totals : float64[2]        CURRENT and BEST score; updated
    best_order : int32[n]      the best ordering; updated
    at_random : True to break ties at random, False to make the first of equally good swaps
    random : uint64[1]         state of the random number generator
    barred : bool[n]           scratch, all False
    """
    order, evaluations = state[ORDER], state[EVALUATIONS]
    n = order.size
    until = evaluations[0] + max_evaluations
    while evaluations[0] < until:
        if counts[STALE] >= patience or counts[STEPS] >= max_steps:
            return True
        margin = tie_margin(totals[CURRENT], tolerance)
        at = find_best_swap(state, changes, tabu, margin, at_random, random, barred)
        if at < 0 or (tabu.shape[0] == 0 and changes[at] <= margin):
            return True
        change, _, _ = insert_variable(index, state, np.int64(order[at]), at + 1)  # the swap
        totals[CURRENT] += change
        if tabu.shape[0] > 0:
            i = counts[STEPS] % tabu.shape[0]
            tabu[i, LEFT] = order[at]
            tabu[i, RIGHT] = order[at + 1]
        counts[STEPS] += 1
        counts[STALE] += 1
        price_swaps(index, state, at - 1, at + 2, changes)  # only the swap and its neighbours have changed
        evaluations[0] += 1 + n // 16
        if improves_on(totals[CURRENT], totals[BEST], tolerance):
            totals[BEST] = totals[CURRENT]
            counts[STALE] = 0
            for i in range(n):
                best_order[i] = order[i]
    return False
