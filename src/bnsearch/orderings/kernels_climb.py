"""Hill climbing by insertions. `index` and `state` as in kernels_state."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels_move import move
from bnsearch.orderings.kernels_price import price_insertion, price_position

HYBRID, BEST = 0, 1
SLACK = 0.999  # of the least improvement: two ways to add up the same changes differ by much less


@borrowing_kernel
def climb(index, state, selection, untried, tried, total, random, tolerance, budget, places, deltas, touched):
    """
    Insert variables as long as that improves the score of `order`.

    selection : HYBRID, a random variable's best insertion; BEST, the best of all
    untried : int32[n]           the variables; those in front of `tried` were tried since the last improvement
    tried : int64[4]             their number; the variable (-1 for none) and the position found so far; the insertions
                                 made; updated
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
    while looked[0] < until:
        if tried[1] >= 0 and (selection == HYBRID or tried[0] == n):
            change, _, _ = move(index, state, tried[1], tried[2], touched)
            total[0] += change
            total[1] = 0.0
            tried[0] = 0
            tried[1] = -1
            tried[3] += 1
            continue
        if tried[0] == n:
            return True
        pick = tried[0] + draw_below(random, n - tried[0])
        variable = untried[pick]
        untried[pick] = untried[tried[0]]
        untried[tried[0]] = variable
        tried[0] += 1
        least = max(total[1], tie_margin(total[0], tolerance))
        looked[0] += 1
        change, to = price_insertion(index, state, variable, least, places, deltas)
        if to != position[variable]:
            tried[1] = variable
            tried[2] = to
            total[1] = change
    return False


@borrowing_kernel
def climb_by_first(index, state, untried, tried, total, random, tolerance, budget, places, deltas, touched):
    """
    Draw insertions at random, and make each that improves the score, until none does.

    Each insertion is as likely to be drawn, so each improving one is as likely to be the first of these. When a
    variable is drawn for the first time since the last improvement, its best insertion is priced: if that is none, the
    variable is not drawn any more.

    untried : int32[n]   the variables: first those that no insertion of would improve the score, then those of which
                         one does
    tried : int64[4]     how many there are of either; unused; the insertions made; updated
    total : float64[2]   the score; unused; updated

    All else as in `climb`. Returns whether a local optimum is reached.
    """
    position, looked = state[1], state[8]
    n = untried.size
    until = looked[0] + budget
    while looked[0] < until:
        barren, fertile = tried[0], tried[1]
        if barren == n:
            return True
        pick = barren + draw_below(random, n - barren)
        variable = untried[pick]
        least = tie_margin(total[0], tolerance)
        looked[0] += 1
        if pick >= barren + fertile:
            _, to = price_insertion(index, state, variable, least, places, deltas)
            untried[pick] = untried[barren + fertile]
            untried[barren + fertile] = variable
            if to == position[variable]:
                untried[barren + fertile] = untried[barren]
                untried[barren] = variable
                tried[0] += 1
                continue
            tried[1] += 1
        to = draw_below(random, n - 1)
        to += to >= position[variable]
        if price_position(index, state, variable, to, SLACK * least) > SLACK * least:
            change, _, _ = move(index, state, variable, to, touched)
            total[0] += change
            tried[0] = 0
            tried[1] = 0
            tried[3] += 1
    return False
