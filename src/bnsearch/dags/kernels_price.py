"""
What one change of a family gains: its additions, all at once, and its deletions.

`pricer` is what gains are computed from; columns and all that comes from them are by place, as in counting.Columns:

columns : the fields of Columns, a plain tuple
joint : the terms of a family's whole set
others : those of its parents, stacked, as terms_of_parents takes them
classes : int64[n]          the class of each place as a child
place, order : int64[n]     the place of each variable, and the variable of each place
allowed : bool[n, n]        [y, x] tells whether x may be a parent of y, never y itself
limits : int64[n]           the most parents of each variable
required : bool[n, n]       edges that are never taken away
bound : float64[3]          whether to leave out parents that cannot improve a family, by a sound bound; its slope and
    its level (scores.bounds.Bound)
first : float64[n, n]       by place, what single parents add to the score of a child without any; of size 0 if unknown
parents, candidates, scores : int64[n], int64[n], float64[n]   scratch
scratch : as score_extensions wants it
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.counting.kernels_expand import extend_family, occupied_cells, score_family
from bnsearch.counting.kernels_terms import terms_of_parents
from bnsearch.dags.kernels_graph import members_of
from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import inner_kernel

(
    COLUMNS, JOINT, OTHERS, CLASSES, PLACE, ORDER, ALLOWED, LIMITS, REQUIRED, BOUND, FIRST, PARENTS, CANDIDATES, SCORES,
    SCRATCH,
) = range(15)  # fmt: skip
ARITIES = 3  # among the columns


@inner_kernel
def list_parents(pricer, graph, y):
    """Write the places of y's parents; return how many."""
    parents, place = pricer[PARENTS], pricer[PLACE]
    number = members_of(graph[0][y], parents)
    for i in range(number):
        parents[i] = place[parents[i]]
    return number


@inner_kernel
def score_parents(pricer, y, number):
    """Return the score of y with the parents that are listed, and prepare its extensions."""
    child = pricer[PLACE][y]
    others = terms_of_parents(pricer[OTHERS], pricer[CLASSES][child])
    parents = pricer[PARENTS][:number]
    return score_family(pricer[COLUMNS], child, parents, pricer[JOINT], others, pricer[SCRATCH], pricer[SCORES])


@inner_kernel
def score_candidates(pricer, y, number, chosen):
    """Score y with its parents and each of the candidates that are listed, after score_parents."""
    child = pricer[PLACE][y]
    others = terms_of_parents(pricer[OTHERS], pricer[CLASSES][child])
    extend_family(
        pricer[COLUMNS], child, pricer[PARENTS][:number], pricer[CANDIDATES][:chosen], pricer[JOINT], others,
        pricer[SCRATCH], pricer[SCORES][:chosen],
    )  # fmt: skip


@inner_kernel
def ceiling_of(pricer, y, number):
    """Return what the parents of y give to the bound of all larger families: its level, and what a cell costs."""
    arities, bound = pricer[COLUMNS][ARITIES], pricer[BOUND]
    child = pricer[PLACE][y]
    cost = bound[1] * (arities[child] - 1.0)
    for i in range(number):
        cost *= arities[pricer[PARENTS][i]]
    if bound[2] == 0.0:
        return 0.0, cost
    occupied = occupied_cells(pricer[COLUMNS], child, pricer[PARENTS][:number], pricer[SCRATCH])
    return -bound[2] * math.log(arities[child]) * occupied, cost


@inner_kernel
def list_candidates(pricer, graph, y, number, own):
    """Write the places of the parents that y may get and that can improve its score, own; return how many."""
    candidates, arities = pricer[CANDIDATES], pricer[COLUMNS][ARITIES]
    bounded = pricer[BOUND][0] > 0.0
    if number >= pricer[LIMITS][y]:
        return 0
    level, cost = ceiling_of(pricer, y, number) if bounded else (0.0, 0.0)
    chosen = 0
    for x in range(arities.size):
        at = pricer[PLACE][x]
        if pricer[ALLOWED][y, x] and not has_bit(graph[0][y], x):
            if not bounded or level + cost * arities[at] > own:
                candidates[chosen] = at
                chosen += 1
    return chosen


@inner_kernel
def price_deletions(pricer, graph, y, number, own, row):
    """Write what y gains without each parent that it may lose; return how many scores were computed."""
    parents, order = pricer[PARENTS], pricer[ORDER]
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
def copy_first_row(pricer, y, row):
    """Write what single parents add to the score of y, which has none."""
    order, child = pricer[ORDER], pricer[PLACE][y]
    for at in range(order.size):
        row[order[at]] = pricer[FIRST][child, at] if pricer[LIMITS][y] > 0 else -np.inf


@inner_kernel
def price_row(pricer, graph, y, row):
    """
    Price all changes of y's family; return how many scores were computed.

    row : float64[n + 1]   what the score of y gains when x becomes its parent or ceases to be one, minus infinity where
        that is not allowed; and the score itself
    """
    number = list_parents(pricer, graph, y)
    own = score_parents(pricer, y, number)
    n = row.size - 1
    row[n] = own
    if number == 0 and pricer[FIRST].size > 0:
        copy_first_row(pricer, y, row)
        return 1
    chosen = list_candidates(pricer, graph, y, number, own)
    if pricer[BOUND][2] > 0.0 and chosen > 0:  # the cells were counted in between
        score_parents(pricer, y, number)
    for x in range(n):
        row[x] = -np.inf
    if chosen > 0:
        score_candidates(pricer, y, number, chosen)
        write_gains(pricer, chosen, own, row)
    return 1 + chosen + price_deletions(pricer, graph, y, number, own, row)


@inner_kernel
def write_gains(pricer, chosen, own, row):
    """Write what the candidates add, minus infinity where there are more cells than can be numbered."""
    for i in range(chosen):
        gain = pricer[SCORES][i] - own
        row[pricer[ORDER][pricer[CANDIDATES][i]]] = gain if not np.isnan(gain) else -np.inf
