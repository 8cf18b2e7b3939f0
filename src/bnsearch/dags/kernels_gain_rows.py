"""
Rows of lazy gains: a gain stays an estimate, its value before the family got its last parent, until it matters.

The row of a variable lists the further parents that improve its score, or seem to. All other variables either do not
improve the score, or their gain is unknown until all gains of the family are computed. Variables are numbered by place,
as in counting.Columns; `graph` as in kernels_parent_lists.

`pricer` and `rows` as in kernels_gain_lists.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_gain_lists import (
    ALLOWED,
    AT,
    BATCH,
    BEGIN,
    CANDIDATE,
    CANDIDATES,
    COUNT,
    DONE,
    EXACT,
    GAIN,
    GREW,
    LEVEL,
    NUMBER,
    OWN,
    PICKED,
    PRICER_BOUND,
    SCORES,
    SINGLE_BEGIN,
    SINGLE_GAIN,
    SINGLE_PARENT,
    STALE,
    UNFINISHED,
    UNKNOWN,
    VARIABLE,
    remove_losses,
    set_bound,
    write_row,
)
from bnsearch.dags.kernels_lazy_scores import count_useful, price_removals, score_candidates, score_parents
from bnsearch.dags.kernels_parent_lists import MEMBER, SIZE, find_parent
from bnsearch.kernels.compile import inner_kernel
from bnsearch.kernels.sorting import sort_by_score

SAMPLE_SIZE = 128  # sampled unknown gains: if 2 % of all are positive, the sample has one with a probability of 0.92
SAMPLE_PART = 4  # the sample is at most the row divided by this
FIRST_BATCH = 16  # first number of gains that are computed at a time: about the cost of grouping the rows by family


@inner_kernel
def list_estimates(pricer, graph, rows, y, useful):
    """
    Write y's listed gains as estimates into `candidates` and `scores`; return their number.

    If y lost a parent, or has no row yet, the gains of single parents are estimates, too: what the lost parent had
    explained may count again. Only the first `useful` places are listed.
    """
    candidates, scores, at = pricer[CANDIDATES], pricer[SCORES], pricer[AT]
    number = 0
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        x = np.int64(rows[CANDIDATE][e])
        if x < useful and find_parent(graph, x, y) < 0:
            at[x] = number
            candidates[number] = x
            scores[number] = rows[GAIN][e]
            number += 1
    if rows[STALE][y] != GREW:
        for e in range(pricer[SINGLE_BEGIN][y], pricer[SINGLE_BEGIN][y + 1]):
            x = np.int64(pricer[SINGLE_PARENT][e])
            if at[x] >= 0:
                scores[at[x]] = max(scores[at[x]], pricer[SINGLE_GAIN][e])
            elif x < useful and find_parent(graph, x, y) < 0:
                at[x] = number
                candidates[number] = x
                scores[number] = pricer[SINGLE_GAIN][e]
                number += 1
    for i in range(number):
        at[candidates[i]] = -1
    return number


@inner_kernel
def estimate_row(pricer, graph, rows, y, max_scores):
    """Estimate the gains of a family that has changed, and compute the best ones; return how many were computed."""
    own = score_parents(pricer, graph, y, -1)
    rows[OWN][y] = own
    size = graph[SIZE][y]
    if size == 0:
        rows[COUNT][y] = 0  # the gains of single parents are known
    useful = count_useful(pricer, graph, y, own)
    number = list_estimates(pricer, graph, rows, y, useful)
    write_row(pricer, rows, y, number, size == 0)
    rows[UNKNOWN][y] = 0
    rows[BATCH][y] = FIRST_BATCH
    if size == 0:
        set_bound(graph, rows, y)
        return 1
    rows[UNKNOWN][y] = useful - number - (y < useful)
    for i in range(size):
        rows[UNKNOWN][y] -= graph[MEMBER][y, i] < useful
    computed = 1 + price_removals(pricer, graph, y, own)
    return computed + compute_gains(pricer, graph, rows, y, -1, max_scores)


@inner_kernel
def sample_unknown(pricer, graph, rows, y, size):
    """
    Compute at most `size` of the gains that are not listed; return how many, and True if one of them is positive.

    Gains that were computed before and removed, because they are not positive, may be among them.
    """
    allowed, at, candidates, own = pricer[ALLOWED], pricer[AT], pricer[CANDIDATES], rows[OWN][y]
    useful = count_useful(pricer, graph, y, own)
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        at[rows[CANDIDATE][e]] = e
    size = min(size, max(1, useful // SAMPLE_PART))
    number, x, step = 0, np.int64(0), useful // size  # places at equal distances
    for _ in range(size):
        x = (x + step) % useful
        if x != y and at[x] < 0 and (allowed.size == 0 or allowed[y, x]) and find_parent(graph, x, y) < 0:
            candidates[number] = x
            number += 1
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        at[rows[CANDIDATE][e]] = -1
    if number == 0:
        return 0, False
    score_parents(pricer, graph, y, -1)
    score_candidates(pricer, graph, y, 0, number)
    for i in range(number):
        if pricer[SCORES][i] > own:
            return number, True
    return number, False


@inner_kernel
def compute_gains(pricer, graph, rows, y, wanted, max_scores):
    """
    Compute the best estimated gains of y's family, and remove those that are not positive; return how many.

    wanted : entry whose gain is computed in any case, if it is estimated; -1 means none
    max_scores : number of further gains, at most
    """
    picked, candidates, scores, exact = pricer[PICKED], pricer[CANDIDATES], pricer[SCORES], rows[EXACT]
    waiting = 0
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        if not exact[e] and e != wanted:
            picked[waiting] = e
            scores[waiting] = rows[GAIN][e]
            waiting += 1
    chosen = min(waiting, rows[BATCH][y], max_scores)
    if waiting > chosen:
        sort_by_score(picked, scores, waiting)
    if wanted >= 0 and not exact[wanted]:
        picked[chosen] = wanted
        chosen += 1
    if chosen > 0:
        own = score_parents(pricer, graph, y, -1)
        for i in range(chosen):
            candidates[i] = rows[CANDIDATE][picked[i]]
        score_candidates(pricer, graph, y, 0, chosen)
        for i in range(chosen):
            gain = scores[i] - own
            rows[GAIN][picked[i]] = gain if not np.isnan(gain) else -np.inf  # more cells than can be numbered
            exact[picked[i]] = True
        rows[BATCH][y] *= 2
        remove_losses(rows, y)
    set_bound(graph, rows, y)
    return chosen


@inner_kernel
def list_unknown(pricer, graph, y, own):
    """Write all further parents that may improve y's score `own` into `candidates`; return their number."""
    allowed, candidates = pricer[ALLOWED], pricer[CANDIDATES]
    useful = count_useful(pricer, graph, y, own)
    if pricer[PRICER_BOUND][LEVEL] > 0.0:  # the bound has counted cells in the scratch arrays
        score_parents(pricer, graph, y, -1)
    number = 0
    for x in range(useful):
        if x != y and (allowed.size == 0 or allowed[y, x]) and find_parent(graph, x, y) < 0:
            candidates[number] = x
            number += 1
    return number


@inner_kernel
def compute_row(pricer, graph, rows, y, max_scores):
    """
    Compute all gains of y's family; return how many.

    If there are more than `max_scores`, only these are computed. `unfinished` then keeps the state, and the next call
    continues; the graph must not change in between. The row is written at the end.
    """
    own = score_parents(pricer, graph, y, -1)
    scores, unfinished = pricer[SCORES], pricer[UNFINISHED]
    if unfinished[VARIABLE] != y:
        unfinished[VARIABLE] = y
        unfinished[NUMBER] = list_unknown(pricer, graph, y, own)
        unfinished[DONE] = 0
    first, number = unfinished[DONE], unfinished[NUMBER]
    stop = min(number, first + max_scores)
    if stop > first:
        score_candidates(pricer, graph, y, first, stop)
    unfinished[DONE] = stop
    if stop < number:
        return stop - first
    unfinished[VARIABLE] = -1
    for i in range(number):
        gain = scores[i] - own
        scores[i] = gain if not np.isnan(gain) else -np.inf
    write_row(pricer, rows, y, number, True)
    rows[UNKNOWN][y] = 0
    set_bound(graph, rows, y)
    return stop - first
