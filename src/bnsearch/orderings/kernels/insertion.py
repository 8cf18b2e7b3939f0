"""What an insertion would change the score by; hill climbing by insertions. `index` and `state` as in state.py."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels.best_set import recall_best
from bnsearch.orderings.kernels.state import last_parent, move

HYBRID, BEST = 0, 1
SLACK = 0.999  # of the least improvement: two ways to add up the same changes differ by much less


@inlined_kernel
def gather(index, state, variable, places, deltas):
    """
    List the variables that would gain if this one stood before them (from the front) or lose if behind (from the back).

    places, deltas : int64[n], float64[n]   written: where they stand, and what they gain or lose

    Returns how many of each, and all gains together.
    """
    slot_begin, slots = index[8], index[9]
    position, delta = state[1], state[3]
    gainers = 0
    losers = 0
    gains = 0.0
    for slot in range(slot_begin[variable], slot_begin[variable + 1]):
        change = delta[slot]
        if change > 0.0:
            places[gainers] = position[slots[0, slot]]
            deltas[gainers] = change
            gainers += 1
            gains += change
        elif change < 0.0:
            losers += 1
            places[places.size - losers] = position[slots[0, slot]]
            deltas[places.size - losers] = change
    return gainers, losers, gains


@inlined_kernel
def first_below(scores, row, end, value):
    """Return the first row from this one on that does not score above a value; `end` if there is none before it."""
    step = 1
    while row + step < end and scores[row + step] > value:
        row += step
        step *= 2
    low, high = row, min(row + step, end)  # row scores above it, or is the first; high does not, or is the end
    while high - low > 1:
        middle = (low + high) >> 1
        if scores[middle] > value:
            low = middle
        else:
            high = middle
    return high if low < end and scores[low] > value else low


@inlined_kernel
def price_forward(index, state, variable, least, gainers, gains, places, deltas):
    """
    Return the best change above `least` from moving a variable towards the front, and the position nearest to it.

    With its set, a variable can move up to the last parent in it, and whoever gains on the way gains; beyond, up to the
    next one who would gain, it takes the best set that is left to it there.
    """
    begin, scores, first, members = index[0], index[1], index[2], index[3]
    position, choice = state[1], state[2]
    at = np.int64(position[variable])
    best = least
    where = at
    own = choice[variable]
    row = own
    end = begin[variable + 1]
    if gains <= best:
        return best, where
    while True:
        last = last_parent(first, members, position, row)
        change = scores[row] - scores[own]
        to = at
        further = np.int64(-1)  # the next one who would gain
        for i in range(gainers):
            if places[i] > last:
                change += deltas[i]
                to = min(to, places[i])
            else:
                further = max(further, places[i])
        if change > best:
            best = change
            where = to
        if further < 0 or scores[row] - scores[own] + gains <= best:
            return best, where
        end = first_below(scores, row, end, scores[own] + best - gains)
        row = recall_best(index, state, variable, further, np.int64(-1), row + 1, end)
        if row == end:
            return best, where


@inlined_kernel
def first_ruin(losers, most, places, deltas):
    """Return the first position where those who have lost by then have lost `most` together; n if there is none."""
    n = places.size
    ruin = np.int64(n)
    for i in range(n - losers, n):
        if places[i] < ruin:
            lost = 0.0
            for j in range(n - losers, n):
                if places[j] <= places[i]:
                    lost -= deltas[j]
            if lost >= most:
                ruin = places[i]
    return ruin


@inlined_kernel
def price_backward(index, state, variable, least, losers, places, deltas):
    """
    Return the best change above `least` from moving a variable towards the back, and a position where it is reached.

    Walks the variable's better sets, best first, keeping those whose last parent stands earlier than any kept before.
    """
    begin, scores, first, members = index[0], index[1], index[2], index[3]
    position, choice = state[1], state[2]
    own = choice[variable]
    best = least
    where = np.int64(position[variable])
    row = begin[variable]
    if row == own or scores[row] - scores[own] <= least:
        return best, where
    limit = first_ruin(losers, scores[row] - scores[own] - least, places, deltas)
    n = places.size
    end = own
    while True:
        end = first_below(scores, row, end, scores[own] + best)
        row = recall_best(index, state, variable, limit, np.int64(-1), row, end)
        if row == end:
            return best, where
        limit = last_parent(first, members, position, row)
        change = scores[row] - scores[own]
        for i in range(n - losers, n):
            if places[i] <= limit:
                change += deltas[i]
        if change > best:
            best = change
            where = limit


@inlined_kernel
def price_insertion(index, state, variable, least, places, deltas):
    """
    Return the best change above `least` that an insertion of a variable makes, and its position.

    Without any, `least` and the variable's own position. Of equally good positions the nearest one towards the front;
    if there are none, any towards the back.

    places, deltas : int64[n], float64[n]   scratch
    """
    gainers, losers, gains = gather(index, state, variable, places, deltas)
    best, where = price_forward(index, state, variable, least, gainers, gains, places, deltas)
    more, there = price_backward(index, state, variable, best, losers, places, deltas)
    if more > best:
        return more, there
    return best, where


@borrowing_kernel
def price_position(index, state, variable, to, least):
    """
    Return what the insertion of a variable at another position changes the score by.

    Where that is not above `least`, any number that is not above it is returned.
    """
    begin, scores, slot_begin, slots = index[0], index[1], index[8], index[9]
    position, choice, delta = state[1], state[2], state[3]
    at = np.int64(position[variable])
    own = choice[variable]
    change = 0.0
    for slot in range(slot_begin[variable], slot_begin[variable + 1]):
        if delta[slot] > 0.0 and to <= position[slots[0, slot]]:
            change += delta[slot]
        elif delta[slot] < 0.0 and to >= position[slots[0, slot]]:
            change += delta[slot]
    if to < at:
        if change <= least:  # its own set cannot become better
            return change
        row = recall_best(index, state, variable, np.int64(to), np.int64(-1), own, begin[variable + 1])
    else:
        if change + scores[begin[variable]] - scores[own] <= least:
            return change
        row = recall_best(index, state, variable, np.int64(to + 1), np.int64(-1), begin[variable], own)
    return change + scores[row] - scores[own]


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
