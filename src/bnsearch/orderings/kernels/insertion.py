"""
The score changes of insertions: of one insertion, and of the best insertion of a variable.

`index` and `state` are described in arrays.py. An insertion of x changes only the local scores of x and of those passed
variables that have x as a candidate. DELTA has the changes of the latter. So all n - 1 insertions of x are priced in
one pass over its slots and a few of its rows. Lee & van Beek (2017), Fig. 1, price them by n - 1 adjacent swaps, with
the same result.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.arrays import (
    AFFECTED_AT,
    AFFECTED_DELTA,
    BEGIN,
    CHILD,
    CHOICE,
    DELTA,
    FIRST,
    MEMBERS,
    POSITION,
    SCORES,
    SLOT_BEGIN,
    SLOTS,
)
from bnsearch.orderings.kernels.cache import find_best_row_cached
from bnsearch.orderings.kernels.state import find_last_parent


@inlined_kernel
def list_affected_children(index, state, variable):
    """
    List the children that gain if a variable moves in front of them, and those that lose if it moves behind them.

    AFFECTED_AT and AFFECTED_DELTA get their positions and score changes: those that gain from the front of the arrays,
    those that lose from the back. Returns the number of each, and the sum of all gains.
    """
    slot_begin, slots = index[SLOT_BEGIN], index[SLOTS]
    position, delta, places, changes = state[POSITION], state[DELTA], state[AFFECTED_AT], state[AFFECTED_DELTA]
    gainers = 0
    losers = 0
    gains = 0.0
    for slot in range(slot_begin[variable], slot_begin[variable + 1]):
        change = delta[slot]
        if change > 0.0:
            places[gainers] = position[slots[CHILD, slot]]
            changes[gainers] = change
            gainers += 1
            gains += change
        elif change < 0.0:
            losers += 1
            places[places.size - losers] = position[slots[CHILD, slot]]
            changes[places.size - losers] = change
    return gainers, losers, gains


@inlined_kernel
def find_first_not_above(scores, row, end, value):
    """Return the first row from `row` on whose score is not above a value; `end` if there is none before it."""
    step = 1
    while row + step < end and scores[row + step] > value:
        row += step
        step *= 2
    low, high = row, min(row + step, end)  # the score of `high` is not above the value, or `high` is the end
    while high - low > 1:
        middle = (low + high) >> 1
        if scores[middle] > value:
            low = middle
        else:
            high = middle
    return high if low < end and scores[low] > value else low


@inlined_kernel
def find_best_forward(index, state, variable, min_change, gainers, gains):
    """
    Return the best change above `min_change` from moving a variable towards the front, and the nearest such position.

    With its present row, the variable can move up to the position after its last parent, and the children that it
    passes gain. To reach the next child that gains, in front of that parent, it needs another row: the best one that
    is feasible there. This is repeated until the gains cannot exceed the loss of the row.
    """
    begin, scores, first, members = index[BEGIN], index[SCORES], index[FIRST], index[MEMBERS]
    position, places, changes = state[POSITION], state[AFFECTED_AT], state[AFFECTED_DELTA]
    at = np.int64(position[variable])
    best = min_change
    where = at
    own = state[CHOICE][variable]
    row = own
    end = begin[variable + 1]
    if gains <= best:
        return best, where
    while True:
        last = find_last_parent(first, members, position, row)
        change = scores[row] - scores[own]
        to = at
        next_gainer = np.int64(-1)  # position of the nearest child that gains beyond the last parent
        for i in range(gainers):
            if places[i] > last:
                change += changes[i]
                to = min(to, places[i])
            else:
                next_gainer = max(next_gainer, places[i])
        if change > best:
            best = change
            where = to
        if next_gainer < 0 or scores[row] - scores[own] + gains <= best:
            return best, where
        end = find_first_not_above(scores, row, end, scores[own] + best - gains)
        row = find_best_row_cached(index, state, variable, next_gainer, np.int64(-1), row + 1, end)
        if row == end:
            return best, where


@inlined_kernel
def find_loss_limit(state, losers, max_loss):
    """Return the first position such that the children up to it lose `max_loss` in total; n if there is none."""
    places, changes = state[AFFECTED_AT], state[AFFECTED_DELTA]
    n = places.size
    limit = np.int64(n)
    for i in range(n - losers, n):
        if places[i] < limit:
            loss = 0.0
            for j in range(n - losers, n):
                if places[j] <= places[i]:
                    loss -= changes[j]
            if loss >= max_loss:
                limit = places[i]
    return limit


@inlined_kernel
def find_best_backward(index, state, variable, min_change, losers):
    """
    Return the best change above `min_change` from moving a variable towards the back, and a position that has it.

    The variable's better rows are visited best first. With each of them, it moves just behind the last parent of the
    row. A worse row can be of use only if its last parent comes earlier, so that fewer children are passed and lose.
    """
    begin, scores, first, members = index[BEGIN], index[SCORES], index[FIRST], index[MEMBERS]
    position, places, changes = state[POSITION], state[AFFECTED_AT], state[AFFECTED_DELTA]
    own = state[CHOICE][variable]
    best = min_change
    where = np.int64(position[variable])
    row = begin[variable]
    if row == own or scores[row] - scores[own] <= min_change:
        return best, where
    limit = find_loss_limit(state, losers, scores[row] - scores[own] - min_change)
    n = places.size
    end = own
    while True:
        end = find_first_not_above(scores, row, end, scores[own] + best)
        row = find_best_row_cached(index, state, variable, limit, np.int64(-1), row, end)
        if row == end:
            return best, where
        limit = find_last_parent(first, members, position, row)
        change = scores[row] - scores[own]
        for i in range(n - losers, n):
            if places[i] <= limit:
                change += changes[i]
        if change > best:
            best = change
            where = limit


@inlined_kernel
def find_best_insertion(index, state, variable, min_change):
    """
    Return the best score change above `min_change` of all insertions of a variable, and its position.

    Returns `min_change` and the variable's own position if there is none. Among equally good positions it returns the
    nearest one towards the front; if all are towards the back, any of them.
    """
    gainers, losers, gains = list_affected_children(index, state, variable)
    best, where = find_best_forward(index, state, variable, min_change, gainers, gains)
    change, to = find_best_backward(index, state, variable, best, losers)
    if change > best:
        return change, to
    return best, where


@borrowing_kernel
def price_insertion(index, state, variable, to, min_change):
    """
    Return the score change of the insertion of a variable at another position.

    If the change is not above `min_change`, the result is some number that is not above it either.
    """
    begin, scores, slot_begin, slots = index[BEGIN], index[SCORES], index[SLOT_BEGIN], index[SLOTS]
    position, delta = state[POSITION], state[DELTA]
    at = np.int64(position[variable])
    own = state[CHOICE][variable]
    change = 0.0
    for slot in range(slot_begin[variable], slot_begin[variable + 1]):
        if delta[slot] > 0.0 and to <= position[slots[CHILD, slot]]:
            change += delta[slot]
        elif delta[slot] < 0.0 and to >= position[slots[CHILD, slot]]:
            change += delta[slot]
    if to < at:
        if change <= min_change:  # towards the front, its own row cannot become better
            return change
        row = find_best_row_cached(index, state, variable, np.int64(to), np.int64(-1), own, begin[variable + 1])
    else:
        if change + scores[begin[variable]] - scores[own] <= min_change:
            return change
        row = find_best_row_cached(index, state, variable, np.int64(to + 1), np.int64(-1), begin[variable], own)
    return change + scores[row] - scores[own]
