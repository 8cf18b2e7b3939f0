"""
Iterated local search whose perturbation is one insertion: RINOBS.

`index` and `state` are described in arrays.py. `chain` is a tuple, addressed by the names below:

SAVED_ORDER : int32[n]       the last accepted ordering, to which a rejected step returns
SAVED_CHOICE : int64[n]      its CHOICE
BEST_ORDER : int32[n]        the best ordering so far
LOG : int32[n]               variables that the current step has touched
STAMP : int64[n]             the last step that touched each variable
QUEUE : int32[n]             ring buffer of variables whose best insertion is to be priced again
IS_QUEUED : bool[n]          True for the variables in the queue
COUNTS : int64[6]            STEPS made so far; LOGGED, the length of LOG; LOW and HIGH, the first and the last position
                             that the current step has changed; HEAD and TAIL of the queue, modulo n
TOTALS : float64[3]          CURRENT and BEST score; THRESHOLD, the loss up to which a step is accepted
RANDOM : uint64[1]           state of the random number generator
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import improves_on, tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels.arrays import (
    CAND,
    CAND_BEGIN,
    CAND_SLOT,
    CHILD,
    CHOICE,
    DELTA,
    EVALUATIONS,
    ORDER,
    POSITION,
    SLOT_BEGIN,
    SLOTS,
    TOUCHED,
)
from bnsearch.orderings.kernels.cache import update_prefix_hashes
from bnsearch.orderings.kernels.insertion import find_best_insertion
from bnsearch.orderings.kernels.state import insert_variable, update_targets

# The entries of `chain`.
SAVED_ORDER, SAVED_CHOICE, BEST_ORDER, LOG, STAMP = 0, 1, 2, 3, 4
QUEUE, IS_QUEUED, COUNTS, TOTALS, RANDOM = 5, 6, 7, 8, 9

STEPS, LOGGED, LOW, HIGH, HEAD, TAIL = 0, 1, 2, 3, 4, 5  # entries of COUNTS
CURRENT, BEST, THRESHOLD = 0, 1, 2  # entries of TOTALS
THRESHOLD_STEP = 0.05  # after a loss, log(threshold) rises by this times rate, or falls by this times (1 - rate)


@inlined_kernel
def enqueue_variable(chain, variable):
    """Add a variable to the queue unless it is there already."""
    queue, is_queued, counts = chain[QUEUE], chain[IS_QUEUED], chain[COUNTS]
    if not is_queued[variable]:
        is_queued[variable] = True
        queue[counts[TAIL] % queue.size] = variable
        counts[TAIL] += 1


@inlined_kernel
def dequeue_variable(chain):
    """Remove the first variable from the queue and return it."""
    queue, counts = chain[QUEUE], chain[COUNTS]
    variable = np.int64(queue[counts[HEAD] % queue.size])
    counts[HEAD] += 1
    chain[IS_QUEUED][variable] = False
    return variable


@inlined_kernel
def log_touched(chain, variable):
    """Add a variable to the log of the current step unless it is there already."""
    stamp, counts = chain[STAMP], chain[COUNTS]
    if stamp[variable] != counts[STEPS]:
        stamp[variable] = counts[STEPS]
        chain[LOG][counts[LOGGED]] = variable
        counts[LOGGED] += 1


@inlined_kernel
def insert_and_enqueue(index, state, chain, variable, to):
    """Insert a variable, enqueue those whose best insertion may have changed, and return the change of the score."""
    cand_begin, cand, cand_slot = index[CAND_BEGIN], index[CAND], index[CAND_SLOT]
    delta, touched, counts = state[DELTA], state[TOUCHED], chain[COUNTS]
    at = np.int64(state[POSITION][variable])
    counts[LOW] = min(counts[LOW], at, to)
    counts[HIGH] = max(counts[HIGH], at, to)
    change, front, back = insert_variable(index, state, variable, to)
    for i in range(back):
        log_touched(chain, touched[touched.size - 1 - i])
    for i in range(front):
        child = touched[i]
        log_touched(chain, child)
        enqueue_variable(chain, child)
        for j in range(cand_begin[child], cand_begin[child + 1]):
            if delta[cand_slot[j]] > 0.0:  # the child has a better row if the candidate moves in front of it
                enqueue_variable(chain, cand[j])
    return change


@inlined_kernel
def draw_insertion(index, state, random):
    """Return a random variable, and the position of a random candidate or child of it."""
    cand_begin, cand, slot_begin, slots = index[CAND_BEGIN], index[CAND], index[SLOT_BEGIN], index[SLOTS]
    position = state[POSITION]
    variable = draw_below(random, position.size)
    children = slot_begin[variable + 1] - slot_begin[variable]
    partners = children + cand_begin[variable + 1] - cand_begin[variable]
    if partners == 0:
        return variable, np.int64(position[variable])
    pick = draw_below(random, partners)
    if pick < children:
        partner = slots[CHILD, slot_begin[variable] + pick]
    else:
        partner = cand[cand_begin[variable] + pick - children]
    return variable, np.int64(position[partner])


@inlined_kernel
def insert_and_repair(index, state, chain, variable, to, total, tolerance):
    """Insert a variable, then make the best insertion of each queued one until the queue is empty; return the score."""
    counts = chain[COUNTS]
    while True:
        if to != state[POSITION][variable]:
            total += insert_and_enqueue(index, state, chain, variable, to)
        if counts[HEAD] == counts[TAIL]:
            return total
        variable = dequeue_variable(chain)
        _, to = find_best_insertion(index, state, variable, tie_margin(total, tolerance))
        state[EVALUATIONS][0] += 1


@borrowing_kernel
def undo_step(index, state, chain):
    """Restore the saved ordering."""
    order, position, choice = state[ORDER], state[POSITION], state[CHOICE]
    saved_order, saved_choice, log, counts = chain[SAVED_ORDER], chain[SAVED_CHOICE], chain[LOG], chain[COUNTS]
    for i in range(counts[LOW], counts[HIGH] + 1):
        order[i] = saved_order[i]
        position[order[i]] = i
    update_prefix_hashes(state, counts[LOW], counts[HIGH])
    for i in range(counts[LOGGED]):
        variable = np.int64(log[i])
        choice[variable] = saved_choice[variable]
        update_targets(index, state, variable)


@inlined_kernel
def save_ordering(state, chain, tolerance):
    """Save the ordering as the last accepted one, and as the best one if it improves on that."""
    order, choice = state[ORDER], state[CHOICE]
    log, counts, totals = chain[LOG], chain[COUNTS], chain[TOTALS]
    for i in range(counts[LOW], counts[HIGH] + 1):
        chain[SAVED_ORDER][i] = order[i]
    for i in range(counts[LOGGED]):
        chain[SAVED_CHOICE][log[i]] = choice[log[i]]
    if improves_on(totals[CURRENT], totals[BEST], tolerance):
        totals[BEST] = totals[CURRENT]
        for i in range(order.size):
            chain[BEST_ORDER][i] = order[i]


@inlined_kernel
def accept_step(totals, new, rate, tolerance):
    """
    Return True if a step to a new score is accepted, and adjust the threshold.

    Losses up to the threshold are accepted. The threshold grows when a loss is rejected and shrinks when one is
    accepted, so that in the long run the share `rate` of all losses is accepted.
    """
    loss = totals[CURRENT] - new
    if loss <= tie_margin(new, tolerance):
        return True
    is_accepted = loss <= totals[THRESHOLD]
    if totals[THRESHOLD] <= 0.0:  # the first loss sets the scale
        totals[THRESHOLD] = loss
    totals[THRESHOLD] *= np.exp(THRESHOLD_STEP * (rate - (1.0 if is_accepted else 0.0)))
    return is_accepted


@borrowing_kernel
def search_by_repair(index, state, chain, max_steps, rate, slope, tolerance, max_evaluations):
    """
    Make steps: a random insertion and its repair, undone if the loss is too high.

    max_steps : number of steps after which to return
    rate, slope : share of losses to accept, `rate` in the first step and `slope` less in each following one
    tolerance : an improvement must exceed the score times this number
    max_evaluations : approximate number of evaluations after which to return

    Returns the number of steps made.
    """
    evaluations, counts, totals = state[EVALUATIONS], chain[COUNTS], chain[TOTALS]
    until = evaluations[0] + max_evaluations
    done = 0
    while done < max_steps and evaluations[0] < until:
        counts[STEPS] += 1
        counts[LOGGED] = 0
        counts[LOW] = state[ORDER].size
        counts[HIGH] = -1
        variable, to = draw_insertion(index, state, chain[RANDOM])
        new = insert_and_repair(index, state, chain, variable, to, totals[CURRENT], tolerance)
        if accept_step(totals, new, rate - slope * done, tolerance):
            totals[CURRENT] = new
            save_ordering(state, chain, tolerance)
        else:
            undo_step(index, state, chain)
        done += 1
    return done
