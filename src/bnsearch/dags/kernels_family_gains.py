"""
Gains of one family: of all additions of a parent at once, and of its deletions one by one.

`pricer` holds what gains are computed from, a plain tuple. Columns and what is derived from them are by place, as in
counting.Columns:

columns : the fields of Columns, a plain tuple
joint_terms : the terms of a family's whole set
parent_terms : the terms of the parents, stacked, as terms_of_parents takes them
classes : int64[n]          class of each place as a child
place, order : int64[n]     place of each variable, and variable of each place
allowed : bool[n, n]        [y, x] is True if x may be a parent of y; False on the diagonal
limits : int64[n]           maximum number of parents of each variable
required : bool[n, n]       edges that are never removed
bound : float64[3]          IS_BOUNDED, SLOPE, LEVEL: whether parents that cannot improve a family by a sound bound are
    left out; slope and level of the bound (scores.bounds.Bound)
parent_places, candidates, scores : int64[n], int64[n], float64[n]   scratch
unfinished : int64[3]       a row of gains of which only a part is computed: its variable, -1 if there is none; number
    of candidates in `candidates`; number of those that have their score in `scores`
scratch : as score_extensions takes it
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.counting.kernels_expand import extend_family, occupied_cells, score_family
from bnsearch.counting.kernels_terms import terms_of_parents
from bnsearch.dags.kernels_graph import PARENTS, list_members
from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import inner_kernel

(
    COLUMNS, JOINT_TERMS, PARENT_TERMS, CLASSES, PLACE, ORDER, ALLOWED, LIMITS, REQUIRED, BOUND,
    PARENT_PLACES, CANDIDATES, SCORES, UNFINISHED, SCRATCH,
) = range(15)  # fmt: skip
ARITIES = 3  # field of the columns
IS_BOUNDED, SLOPE, LEVEL = range(3)  # of the bound
VARIABLE, NUMBER, DONE = range(3)  # of `unfinished`


@inner_kernel
def list_parents(pricer, graph, y):
    """Write the places of y's parents; return how many there are."""
    parents, place = pricer[PARENT_PLACES], pricer[PLACE]
    number = list_members(graph[PARENTS][y], parents)
    for i in range(number):
        parents[i] = place[parents[i]]
    return number


@inner_kernel
def score_parents(pricer, y, number):
    """Return the score of y with the listed parents, and prepare its extensions."""
    child = pricer[PLACE][y]
    terms = terms_of_parents(pricer[PARENT_TERMS], pricer[CLASSES][child])
    parents = pricer[PARENT_PLACES][:number]
    return score_family(pricer[COLUMNS], child, parents, pricer[JOINT_TERMS], terms, pricer[SCRATCH], pricer[SCORES])


@inner_kernel
def score_candidates(pricer, y, number, first, stop):
    """Score y with its parents and each of the listed candidates first:stop, after score_parents."""
    child = pricer[PLACE][y]
    terms = terms_of_parents(pricer[PARENT_TERMS], pricer[CLASSES][child])
    extend_family(
        pricer[COLUMNS], child, pricer[PARENT_PLACES][:number], pricer[CANDIDATES][first:stop], pricer[JOINT_TERMS],
        terms, pricer[SCRATCH], pricer[SCORES][first:stop],
    )  # fmt: skip


@inner_kernel
def compute_bound(pricer, y, number):
    """Return two parts of the upper bound on all larger families of y: its level, and the cost of a cell."""
    arities, bound = pricer[COLUMNS][ARITIES], pricer[BOUND]
    child = pricer[PLACE][y]
    cost = bound[SLOPE] * (arities[child] - 1.0)
    for i in range(number):
        cost *= arities[pricer[PARENT_PLACES][i]]
    if bound[LEVEL] == 0.0:
        return 0.0, cost
    occupied = occupied_cells(pricer[COLUMNS], child, pricer[PARENT_PLACES][:number], pricer[SCRATCH])
    return -bound[LEVEL] * math.log(arities[child]) * occupied, cost


@inner_kernel
def list_candidates(pricer, graph, y, number, own):
    """Write the places of the parents that y may get and that can improve its score `own`; return how many."""
    candidates, arities = pricer[CANDIDATES], pricer[COLUMNS][ARITIES]
    is_bounded = pricer[BOUND][IS_BOUNDED] > 0.0
    if number >= pricer[LIMITS][y]:
        return 0
    level, cost = compute_bound(pricer, y, number) if is_bounded else (0.0, 0.0)
    chosen = 0
    for x in range(arities.size):
        at = pricer[PLACE][x]
        if pricer[ALLOWED][y, x] and not has_bit(graph[PARENTS][y], x):
            if not is_bounded or level + cost * arities[at] > own:
                candidates[chosen] = at
                chosen += 1
    return chosen


@inner_kernel
def price_deletions(pricer, graph, y, number, own, row):
    """Write the gain of y without each parent that it may lose; return how many scores were computed."""
    parents, order = pricer[PARENT_PLACES], pricer[ORDER]
    computed = 0
    for i in range(number):
        x = order[parents[i]]
        if pricer[REQUIRED][y, x]:
            row[x] = -np.inf
            continue
        parents[i], parents[number - 1] = parents[number - 1], parents[i]
        row[x] = score_parents(pricer, y, number - 1) - own
        parents[i], parents[number - 1] = parents[number - 1], parents[i]
        computed += 1
    return computed


@inner_kernel
def price_row(pricer, graph, y, row, max_scores):
    """
    Compute the gains of all changes of y's family; return how many scores were computed.

    If there are more than about `max_scores`, only these are computed. `unfinished` then keeps the state, and the next
    call continues; the graph must not change in between. The row is written at the end.

    row : float64[n + 1]   gain of y's score when x becomes its parent or ceases to be one, minus infinity where that is
        not allowed; and the score itself
    """
    number = list_parents(pricer, graph, y)
    own = score_parents(pricer, y, number)
    unfinished = pricer[UNFINISHED]
    if unfinished[VARIABLE] != y:
        unfinished[VARIABLE] = y
        unfinished[NUMBER] = list_candidates(pricer, graph, y, number, own)
        unfinished[DONE] = 0
        if pricer[BOUND][LEVEL] > 0.0 and unfinished[NUMBER] > 0:  # the bound has counted cells in the scratch arrays
            score_parents(pricer, y, number)
    first, chosen = unfinished[DONE], unfinished[NUMBER]
    stop = min(chosen, first + max_scores)
    if stop > first:
        score_candidates(pricer, y, number, first, stop)
    unfinished[DONE] = stop
    if stop < chosen:
        return 1 + stop - first
    unfinished[VARIABLE] = -1
    n = row.size - 1
    row[n] = own
    for x in range(n):
        row[x] = -np.inf
    write_gains(pricer, chosen, own, row)
    return 1 + stop - first + price_deletions(pricer, graph, y, number, own, row)


@inner_kernel
def write_gains(pricer, chosen, own, row):
    """Write the gains of the listed candidates, minus infinity where there are more cells than can be numbered."""
    for i in range(chosen):
        gain = pricer[SCORES][i] - own
        row[pricer[ORDER][pricer[CANDIDATES][i]]] = gain if not np.isnan(gain) else -np.inf
