"""
Gains that are estimated until they matter: by what they were before the family got its last parent.

`pricer` as in kernels_price, `prices` as in kernels_prices, `graph` as in kernels_graph. `lazy` is

batch : int64[n]        how many gains of a family to compute the next time
estimated : bool[n]     families whose gains were estimated since they were priced in full
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_price import (
    CANDIDATES,
    FIRST,
    LIMITS,
    ORDER,
    PLACE,
    copy_first_row,
    list_candidates,
    list_parents,
    price_deletions,
    score_candidates,
    score_parents,
    write_gains,
)
from bnsearch.dags.kernels_prices import SHRANK, STARTED, UP_TO_DATE
from bnsearch.kernels.compile import inner_kernel

BATCH = 16  # gains of a family that are computed at a time, at first: about as much work as to group the rows by it


@inner_kernel
def can_estimate(pricer, graph, prices, y):
    """Tell whether the gains of y's family can be estimated, or need not be: it has no parents."""
    _, _, sizes, _ = graph
    _, _, _, _, stale, _ = prices
    return pricer[FIRST].size > 0 and (sizes[y] == 0 or stale[y] != STARTED)


@inner_kernel
def estimate(pricer, graph, prices, lazy, y):
    """Estimate the gains of a family that has changed, and compute the best ones; return how many were computed."""
    gains, own, _, _, stale, exact = prices
    batch, estimated = lazy
    gain = gains[y]
    number = list_parents(pricer, graph, y)
    own[y] = score_parents(pricer, y, number)
    if number == 0:
        copy_first_row(pricer, y, gain)
        exact[y, :] = True
        finish(prices, y)
        return 1
    if stale[y] == SHRANK and pricer[LIMITS][y] > 0:  # what the lost parent had explained may count again
        for at in range(gain.size):
            x = pricer[ORDER][at]
            gain[x] = max(gain[x], pricer[FIRST][pricer[PLACE][y], at])
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
    return 1 + computed + compute(pricer, graph, prices, lazy, y, -1)


@inner_kernel
def compute(pricer, graph, prices, lazy, y, wanted):
    """
    Compute the best gains of y's family that are estimated; return how many.

    wanted : a variable whose gain is computed in any case, if it is estimated; -1 means none
    """
    gains, own, _, _, _, exact = prices
    gain, place, candidates = gains[y], pricer[PLACE], pricer[CANDIDATES]
    batch, _ = lazy
    waiting = 0
    for x in range(gain.size):
        if not exact[y, x] and gain[x] > 0.0 and x != wanted:
            candidates[waiting] = x
            waiting += 1
    ranked = np.argsort(-gain[candidates[:waiting]])
    chosen = min(waiting, batch[y])
    variables = candidates[ranked[:chosen]]
    for i in range(chosen):
        candidates[i] = place[variables[i]]
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
    finish(prices, y)
    return chosen


@inner_kernel
def finish(prices, y):
    """Take note that the gains of y's family are up to date."""
    gains, _, top, bound, stale, _ = prices
    top[y] = gains[y].max()
    bound[y] = top[y]
    stale[y] = UP_TO_DATE


@inner_kernel
def next_estimated(prices, lazy):
    """Return the family of the lowest score that has estimated gains; -1 if none has."""
    _, own, _, _, _, exact = prices
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
