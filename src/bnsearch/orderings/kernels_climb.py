"""Hill climbing by insertions. `index` and `state` as in kernels_state."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernel import borrowing_kernel
from bnsearch.orderings.kernels_move import move, settle
from bnsearch.orderings.kernels_price import price_insertion, price_positions
from bnsearch.orderings.kernels_random import draw_below

HYBRID, BEST, FIRST = 0, 1, 2


@borrowing_kernel
def climb(index, state, selection, untried, tried, total, random, tolerance, budget, places, deltas, touched):
    """
    Insert variables as long as that improves the score of `order`.

    selection : HYBRID, a random variable's best insertion; BEST, the best of all; FIRST, a random improving one
    untried : int32[n]           the variables; those in front of `tried` were tried since the last improvement
    tried : int64[3]             their number, -1 to set up the state first; the variable (-1 for none) and the
                                 position found so far; updated
    total : float64[2]           the score, and what the insertion found so far improves it by; updated
    random : uint64[1]
    tolerance : what an improvement must exceed, relative to the score
    budget : how many rows to look at, about, before coming back
    places, deltas, touched : int64[n], float64[n], int32[n]   scratch

    Returns whether a local optimum is reached.
    """
    position, looked = state[1], state[8]
    n = untried.size
    until = looked[0] + budget
    found = 0  # improving insertions, for FIRST
    if tried[0] < 0:
        total[0] = settle(index, state)
        tried[0] = 0
    while looked[0] < until or found > 0:
        if tried[1] >= 0 and (selection == HYBRID or tried[0] == n):
            change, _, _ = move(index, state, tried[1], tried[2], touched)
            total[0] += change
            total[1] = 0.0
            tried[0] = 0
            tried[1] = -1
            found = 0
            continue
        if tried[0] == n:
            return True
        pick = tried[0] + draw_below(random, n - tried[0])
        variable = untried[pick]
        untried[pick] = untried[tried[0]]
        untried[tried[0]] = variable
        tried[0] += 1
        least = max(total[1], tolerance * max(1.0, abs(total[0])))
        looked[0] += 1
        if selection == FIRST:
            price_positions(index, state, variable, deltas)
            for to in range(n):
                if deltas[to] > least and to != position[variable]:
                    found += 1
                    if draw_below(random, found) == 0:
                        tried[1] = variable
                        tried[2] = to
        else:
            change, to = price_insertion(index, state, variable, least, places, deltas)
            if to != position[variable]:
                tried[1] = variable
                tried[2] = to
                total[1] = change
    return False
