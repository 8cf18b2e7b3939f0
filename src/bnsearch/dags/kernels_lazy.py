"""
Lazy gains: a gain stays an estimate, its value before the family got its last parent, until it would be the best.

`pricer` as in kernels_family_gains, `gain_table` as in kernels_gain_cache, `graph` as in kernels_graph. `lazy` is

batch : int64[n]        number of gains of a family to compute the next time
estimated : bool[n]     families with gains that were estimated since all of them were last computed
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.dags.kernels_family_gains import (
    CANDIDATES,
    LIMITS,
    ORDER,
    PLACE,
    SCORES,
    SINGLE_GAINS,
    copy_single_gains,
    list_candidates,
    list_parents,
    price_deletions,
    score_candidates,
    score_parents,
    write_gains,
)
from bnsearch.dags.kernels_gain_cache import SHRANK, STARTED, UP_TO_DATE
from bnsearch.kernels.compile import inner_kernel
from bnsearch.kernels.sorting import sort_by_score

BATCH = 16  # first number of gains of a family that are computed at a time: about the cost of grouping the rows by it


@inner_kernel
def can_estimate(pricer, graph, gain_table, y):
    """Return True if the gains of y's family can be estimated, or are known because it has no parents."""
    _, _, sizes, _ = graph
    _, _, _, _, stale, _ = gain_table
    return pricer[SINGLE_GAINS].size > 0 and (sizes[y] == 0 or stale[y] != STARTED)


@inner_kernel
def estimate_gains(pricer, graph, gain_table, lazy, y):
    """Estimate the gains of a family that has changed, and compute the best ones; return how many were computed."""
    gains, own, _, _, stale, exact = gain_table
    batch, estimated = lazy
    gain = gains[y]
    number = list_parents(pricer, graph, y)
    own[y] = score_parents(pricer, y, number)
    if number == 0:
        copy_single_gains(pricer, y, gain)
        exact[y, :] = True
        mark_up_to_date(gain_table, y)
        return 1
    if stale[y] == SHRANK and pricer[LIMITS][y] > 0:  # what the lost parent had explained may count again
        for at in range(gain.size):
            x = pricer[ORDER][at]
            gain[x] = max(gain[x], pricer[SINGLE_GAINS][pricer[PLACE][y], at])
    exact[y, :] = True
    chosen = list_candidates(pricer, graph, y, number, own[y])
    for i in range(chosen):
        exact[y, pricer[ORDER][pricer[CANDIDATES][i]]] = False
    for x in range(gain.size):
        if exact[y, x]:
            gain[x] = min(gain[x], 0.0)
    computed = price_deletions(pricer, graph, y, number, own[y], gain)
    batch[y] = BATCH
    estimated[y] = True
    return 1 + computed + compute_gains(pricer, graph, gain_table, lazy, y, -1)


@inner_kernel
def compute_gains(pricer, graph, gain_table, lazy, y, wanted):
    """
    Compute the best estimated gains of y's family; return how many.

    wanted : a variable whose gain is computed in any case, if it is estimated; -1 means none
    """
    gains, own, _, _, _, exact = gain_table
    gain, place, candidates = gains[y], pricer[PLACE], pricer[CANDIDATES]
    batch, _ = lazy
    waiting = 0
    for x in range(gain.size):
        if not exact[y, x] and gain[x] > 0.0 and x != wanted:
            candidates[waiting] = x
            pricer[SCORES][waiting] = gain[x]
            waiting += 1
    sort_by_score(candidates, pricer[SCORES], waiting)
    chosen = min(waiting, batch[y])
    for i in range(chosen):
        candidates[i] = place[candidates[i]]
    if wanted >= 0 and not exact[y, wanted]:
        candidates[chosen] = place[wanted]
        chosen += 1
    if chosen > 0:
        number = list_parents(pricer, graph, y)
        score_parents(pricer, y, number)
        score_candidates(pricer, y, number, chosen)
        write_gains(pricer, chosen, own[y], gain)
        for i in range(chosen):
            exact[y, pricer[ORDER][candidates[i]]] = True
        batch[y] *= 2
    mark_up_to_date(gain_table, y)
    return chosen


@inner_kernel
def mark_up_to_date(gain_table, y):
    """Set the bounds of y's row, and mark it as up to date."""
    gains, _, top, bound, stale, _ = gain_table
    top[y] = gains[y].max()
    bound[y] = top[y]
    stale[y] = UP_TO_DATE


@inner_kernel
def find_estimated_family(gain_table, lazy):
    """Return the family of the lowest score that has estimated gains; -1 if none has."""
    _, own, _, _, _, exact = gain_table
    _, estimated = lazy
    while True:
        lowest = -1
        for y in range(own.size):
            if estimated[y] and (lowest < 0 or own[y] < own[lowest]):
                lowest = y
        if lowest < 0:
            return -1
        estimated[lowest] = False
        if not exact[lowest].all():
            return lowest
