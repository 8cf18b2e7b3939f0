"""
Rows of lazy gains: a gain stays an estimate, its value before the family got its last parent, until it matters.

The row of a variable lists the further parents that improve its score, or seem to. All other variables either do not
improve the score, or their gain is unknown until all gains of the family are computed. Variables are numbered by place,
as in counting.Columns; `graph` as in kernels_parent_lists.

`pricer` holds what gains are computed from:

columns : the fields of Columns, a plain tuple
joint_terms, parent_terms, classes : as in kernels_family_gains
limits : int64[n]           maximum number of parents of each variable
bound : float64[2]          SLOPE and LEVEL of the upper bound of scores.bounds.Bound
allowed : bool[n, n]        [y, x] is True if x may be a parent of y; of size 0 if all edges are allowed
required_begin, required_parent : int64[n + 1], int32[...]   required parents of each variable
single_begin, single_parent, single_gain : the fields begin, parent and gain of PairGains
parent_places, candidates, scores, picked, at : int64[n], int64[n], float64[n], int64[n], int64[n]   scratch; `at` is -1
scratch : as score_extensions takes it

`rows` are the rows, in a pool of entries:

begin, count, room : int64[n]   first entry of each row, number of its entries, and number of entries that fit there
candidate, gain, exact : int32[pool], float64[pool], bool[pool]   a variable, its gain, True if this is not an estimate
used : int64[1]             number of entries of the pool that were given to rows
own : float64[n]            local scores
bound : float64[n]          upper bound on the gain of each row's legal moves
stale : int8[n]             UP_TO_DATE, or what has happened to the family since its row was computed
batch : int64[n]            number of gains of a family to compute the next time
unknown : int64[n]          number of gains of each family that are not known, neither listed nor computed
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES
from bnsearch.counting.kernels_expand import extend_family, occupied_cells, score_family
from bnsearch.counting.kernels_terms import terms_of_parents
from bnsearch.dags.kernels_parent_lists import DROP, MEMBER, SIZE, find_parent
from bnsearch.kernels.compile import inner_kernel
from bnsearch.kernels.sorting import sort_by_score

(
    COLUMNS, JOINT_TERMS, PARENT_TERMS, CLASSES, LIMITS, PRICER_BOUND, ALLOWED, REQUIRED_BEGIN, REQUIRED_PARENT,
    SINGLE_BEGIN, SINGLE_PARENT, SINGLE_GAIN, PARENT_PLACES, CANDIDATES, SCORES, PICKED, AT, SCRATCH,
) = range(18)  # fmt: skip
SLOPE, LEVEL = range(2)  # of the bound
BEGIN, COUNT, ROOM, CANDIDATE, GAIN, EXACT, USED, OWN, BOUND, STALE, BATCH, UNKNOWN = range(12)
UP_TO_DATE, STARTED, GREW, SHRANK = range(4)  # values of `stale`
FIRST_BATCH = 16  # first number of gains that are computed at a time: about the cost of grouping the rows by family


@inner_kernel
def score_parents(pricer, graph, y, without):
    """Return the score of y with its parents, without the parent of one index (-1: with all); prepare extensions."""
    parents = pricer[PARENT_PLACES]
    number = 0
    for i in range(graph[SIZE][y]):
        if i != without:
            parents[number] = graph[MEMBER][y, i]
            number += 1
    terms = terms_of_parents(pricer[PARENT_TERMS], pricer[CLASSES][y])
    return score_family(
        pricer[COLUMNS], y, parents[:number], pricer[JOINT_TERMS], terms, pricer[SCRATCH], pricer[SCORES]
    )


@inner_kernel
def score_candidates(pricer, graph, y, chosen):
    """Score y with its parents and each of the first candidates, after score_parents."""
    terms = terms_of_parents(pricer[PARENT_TERMS], pricer[CLASSES][y])
    extend_family(
        pricer[COLUMNS], y, pricer[PARENT_PLACES][: graph[SIZE][y]], pricer[CANDIDATES][:chosen], pricer[JOINT_TERMS],
        terms, pricer[SCRATCH], pricer[SCORES][:chosen],
    )  # fmt: skip


@inner_kernel
def price_removals(pricer, graph, y, own):
    """Write the gain of y without each parent that it may lose; return the number of computed scores."""
    first, last = pricer[REQUIRED_BEGIN][y], pricer[REQUIRED_BEGIN][y + 1]
    computed = 0
    for i in range(graph[SIZE][y]):
        is_required = False
        for j in range(first, last):
            is_required = is_required or pricer[REQUIRED_PARENT][j] == graph[MEMBER][y, i]
        graph[DROP][y, i] = -np.inf
        if not is_required:
            graph[DROP][y, i] = score_parents(pricer, graph, y, i) - own
            computed += 1
    return computed


@inner_kernel
def count_useful(pricer, graph, y, own):
    """
    Return the number of first places that may improve y's score `own`, by the upper bound on larger families.

    Places are in ascending order of arity, and the bound decreases with the arity of a further parent.
    """
    arities, bound = pricer[COLUMNS][ARITIES], pricer[PRICER_BOUND]
    size = graph[SIZE][y]
    if size >= pricer[LIMITS][y]:
        return 0
    cost, level = bound[SLOPE] * (arities[y] - 1.0), 0.0
    for i in range(size):
        pricer[PARENT_PLACES][i] = graph[MEMBER][y, i]
        cost *= arities[graph[MEMBER][y, i]]
    if bound[LEVEL] > 0.0:
        occupied = occupied_cells(pricer[COLUMNS], y, pricer[PARENT_PLACES][:size], pricer[SCRATCH])
        level = -bound[LEVEL] * math.log(arities[y]) * occupied
    low, high = 0, arities.size
    while low < high:
        middle = (low + high) >> 1
        if level + cost * arities[middle] > own:
            low = middle + 1
        else:
            high = middle
    return low


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
def write_row(pricer, rows, y, number, is_exact):
    """Write the positive gains of the first candidates as y's row; there must be room in the pool."""
    used = rows[USED]
    kept = 0
    for i in range(number):
        kept += pricer[SCORES][i] > 0.0
    if kept > rows[ROOM][y]:
        rows[BEGIN][y] = used[0]
        rows[ROOM][y] = kept
        used[0] += kept
    e = rows[BEGIN][y]
    for i in range(number):
        if pricer[SCORES][i] > 0.0:
            rows[CANDIDATE][e] = pricer[CANDIDATES][i]
            rows[GAIN][e] = pricer[SCORES][i]
            rows[EXACT][e] = is_exact
            e += 1
    rows[COUNT][y] = kept


@inner_kernel
def set_bound(graph, rows, y):
    """Set the bound of y's row and of its parents' rows, and mark the row as up to date."""
    reset_bound(graph, rows, y)
    for i in range(graph[SIZE][y]):  # the gains of reversed edges have changed
        reset_bound(graph, rows, np.int64(graph[MEMBER][y, i]))
    rows[STALE][y] = UP_TO_DATE


@inner_kernel
def reset_bound(graph, rows, y):
    """Set the bound of y's row to its highest gain, legal or not."""
    top = -np.inf
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        top = max(top, rows[GAIN][e])
    for i in range(graph[SIZE][y]):
        top = max(top, graph[DROP][y, i])
    rows[BOUND][y] = top


@inner_kernel
def estimate_row(pricer, graph, rows, y):
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
    return computed + compute_gains(pricer, graph, rows, y, -1)


@inner_kernel
def compute_gains(pricer, graph, rows, y, wanted):
    """
    Compute the best estimated gains of y's family, and remove those that are not positive; return how many.

    wanted : entry whose gain is computed in any case, if it is estimated; -1 means none
    """
    picked, candidates, scores, exact = pricer[PICKED], pricer[CANDIDATES], pricer[SCORES], rows[EXACT]
    waiting = 0
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        if not exact[e] and e != wanted:
            picked[waiting] = e
            scores[waiting] = rows[GAIN][e]
            waiting += 1
    chosen = min(waiting, rows[BATCH][y])
    if waiting > chosen:
        sort_by_score(picked, scores, waiting)
    if wanted >= 0 and not exact[wanted]:
        picked[chosen] = wanted
        chosen += 1
    if chosen > 0:
        own = score_parents(pricer, graph, y, -1)
        for i in range(chosen):
            candidates[i] = rows[CANDIDATE][picked[i]]
        score_candidates(pricer, graph, y, chosen)
        for i in range(chosen):
            gain = scores[i] - own
            rows[GAIN][picked[i]] = gain if not np.isnan(gain) else -np.inf  # more cells than can be numbered
            exact[picked[i]] = True
        rows[BATCH][y] *= 2
        remove_losses(rows, y)
    set_bound(graph, rows, y)
    return chosen


@inner_kernel
def remove_losses(rows, y):
    """Remove the entries of y's row whose gains are not positive."""
    candidate, gain, exact = rows[CANDIDATE], rows[GAIN], rows[EXACT]
    to = rows[BEGIN][y]
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        if gain[e] > 0.0:
            candidate[to], gain[to], exact[to] = candidate[e], gain[e], exact[e]
            to += 1
    rows[COUNT][y] = to - rows[BEGIN][y]


@inner_kernel
def compute_row(pricer, graph, rows, y):
    """Compute all gains of y's family; return how many."""
    own = score_parents(pricer, graph, y, -1)
    useful = count_useful(pricer, graph, y, own)
    if pricer[PRICER_BOUND][LEVEL] > 0.0:  # the bound has counted cells in the scratch arrays
        score_parents(pricer, graph, y, -1)
    allowed, candidates, scores = pricer[ALLOWED], pricer[CANDIDATES], pricer[SCORES]
    number = 0
    for x in range(useful):
        if x != y and (allowed.size == 0 or allowed[y, x]) and find_parent(graph, x, y) < 0:
            candidates[number] = x
            number += 1
    if number > 0:
        score_candidates(pricer, graph, y, number)
    for i in range(number):
        gain = scores[i] - own
        scores[i] = gain if not np.isnan(gain) else -np.inf
    write_row(pricer, rows, y, number, True)
    rows[UNKNOWN][y] = 0
    set_bound(graph, rows, y)
    return number
