"""
Iterated local search: an insertion and its repair, again and again.

`index` and `state` are as in state.py; `chain` is

saved_order, saved_choice : int32[n], int64[n]   what a rejected step is undone from
best_order : int32[n]        the best ordering so far
log, stamp : int32[n], int64[n]   variables that this step has touched, and the step that last touched each
ring, queued : int32[n], bool[n]  variables to look at again, in the order in which they came, and whether they wait
counts : int64[6]            steps done; length of `log`; first and last position that this step has changed; begin
                             and end of the queue, to be taken modulo n
totals : float64[3]          the scores of the ordering and of the best one; the loss up to which a step is accepted
random : uint64[1]
places, deltas, touched : int64[n], float64[n], int32[n]   scratch
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import improves_on, tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels.best_set import update_words
from bnsearch.orderings.kernels.insertion import price_insertion
from bnsearch.orderings.kernels.state import move, refresh

STEPS, LOGGED, LOW, HIGH, HEAD, TAIL = 0, 1, 2, 3, 4, 5
CURRENT, BEST, THRESHOLD = 0, 1, 2


@inlined_kernel
def enqueue(chain, variable):
    """Have a variable looked at again, unless it waits already."""
    ring, queued, counts = chain[5], chain[6], chain[7]
    if not queued[variable]:
        queued[variable] = True
        ring[counts[TAIL] % ring.size] = variable
        counts[TAIL] += 1


@inlined_kernel
def dequeue(chain):
    """Take the variable that has waited longest."""
    ring, queued, counts = chain[5], chain[6], chain[7]
    variable = np.int64(ring[counts[HEAD] % ring.size])
    counts[HEAD] += 1
    queued[variable] = False
    return variable


@inlined_kernel
def log_touched(chain, variable):
    """Remember that this step has touched a variable."""
    log, stamp, counts = chain[3], chain[4], chain[7]
    if stamp[variable] != counts[STEPS]:
        stamp[variable] = counts[STEPS]
        log[counts[LOGGED]] = variable
        counts[LOGGED] += 1


@inlined_kernel
def move_and_queue(index, state, chain, variable, to):
    """Insert a variable; queue those whose families may want another place now; return the change of the score."""
    cand_begin, cand, cand_slot = index[5], index[6], index[7]
    position, delta = state[1], state[3]
    counts, touched = chain[7], chain[12]
    at = np.int64(position[variable])
    counts[LOW] = min(counts[LOW], at, to)
    counts[HIGH] = max(counts[HIGH], at, to)
    change, front, back = move(index, state, variable, to, touched)
    for i in range(back):
        log_touched(chain, touched[touched.size - 1 - i])
    for i in range(front):
        child = touched[i]
        log_touched(chain, child)
        enqueue(chain, child)
        for j in range(cand_begin[child], cand_begin[child + 1]):
            if delta[cand_slot[j]] > 0.0:  # it could give the child a better set
                enqueue(chain, cand[j])
    return change


@inlined_kernel
def draw_insertion(index, state, random):
    """Return a random variable, and the position of a random candidate or child of it."""
    cand_begin, cand, slot_begin, slots = index[5], index[6], index[8], index[9]
    position = state[1]
    variable = draw_below(random, position.size)
    children = slot_begin[variable + 1] - slot_begin[variable]
    partners = children + cand_begin[variable + 1] - cand_begin[variable]
    if partners == 0:
        return variable, np.int64(position[variable])
    pick = draw_below(random, partners)
    if pick < children:
        partner = slots[0, slot_begin[variable] + pick]
    else:
        partner = cand[cand_begin[variable] + pick - children]
    return variable, np.int64(position[partner])


@inlined_kernel
def repair(index, state, chain, variable, to, total, tolerance):
    """Insert a variable, then whoever is queued where it does best, until the queue is empty; return the new score."""
    position = state[1]
    counts, places, deltas = chain[7], chain[10], chain[11]
    while True:
        if to != position[variable]:
            total += move_and_queue(index, state, chain, variable, to)
        if counts[HEAD] == counts[TAIL]:
            return total
        variable = dequeue(chain)
        least = tie_margin(total, tolerance)
        _, to = price_insertion(index, state, variable, least, places, deltas)
        state[8][0] += 1


@borrowing_kernel
def undo(index, state, chain):
    """Bring back the saved ordering."""
    order, position, choice = state[0], state[1], state[2]
    saved_order, saved_choice, log, counts = chain[0], chain[1], chain[3], chain[7]
    for i in range(counts[LOW], counts[HIGH] + 1):
        order[i] = saved_order[i]
        position[order[i]] = i
    update_words(state, counts[LOW], counts[HIGH])
    for i in range(counts[LOGGED]):
        variable = np.int64(log[i])
        choice[variable] = saved_choice[variable]
        refresh(index, state, variable)


@inlined_kernel
def keep(state, chain, tolerance):
    """Save the ordering, also as the best if it is."""
    order, choice = state[0], state[2]
    saved_order, saved_choice, best_order, log, counts, totals = chain[0], chain[1], chain[2], chain[3], chain[7], chain[8]  # fmt: skip  # noqa: E501
    for i in range(counts[LOW], counts[HIGH] + 1):
        saved_order[i] = order[i]
    for i in range(counts[LOGGED]):
        saved_choice[log[i]] = choice[log[i]]
    if improves_on(totals[CURRENT], totals[BEST], tolerance):
        totals[BEST] = totals[CURRENT]
        for i in range(order.size):
            best_order[i] = order[i]


@inlined_kernel
def accepts(totals, new, rate, tolerance):
    """
    Tell whether to go on from a new score; adjust the threshold.

    Losses up to the threshold are accepted. It grows when one is rejected and shrinks when one is accepted, so that
    in the long run this share of all losses, `rate`, is accepted.
    """
    loss = totals[CURRENT] - new
    if loss <= tie_margin(new, tolerance):
        return True
    accepted = loss <= totals[THRESHOLD]
    if totals[THRESHOLD] <= 0.0:  # the first loss sets the scale
        totals[THRESHOLD] = loss
    totals[THRESHOLD] *= np.exp(0.05 * (rate - (1.0 if accepted else 0.0)))
    return accepted


@borrowing_kernel
def search_by_repair(index, state, chain, steps, rate, slope, tolerance, budget):
    """
    Take steps: a random insertion, its repair, and back again if the loss is too high.

    steps : how many
    rate, slope : which share of losses to accept: rate in the first step, less by slope in every further one
    tolerance : what an improvement must exceed, relative to the score
    budget : how many rows to look at, about, before coming back

    Returns how many steps were taken.
    """
    looked = state[8]
    counts, totals, random = chain[7], chain[8], chain[9]
    until = looked[0] + budget
    done = 0
    while done < steps and looked[0] < until:
        counts[STEPS] += 1
        counts[LOGGED] = 0
        counts[LOW] = state[0].size
        counts[HIGH] = -1
        variable, to = draw_insertion(index, state, random)
        new = repair(index, state, chain, variable, to, totals[CURRENT], tolerance)
        if accepts(totals, new, rate - slope * done, tolerance):
            totals[CURRENT] = new
            keep(state, chain, tolerance)
        else:
            undo(index, state, chain)
        done += 1
    return done
