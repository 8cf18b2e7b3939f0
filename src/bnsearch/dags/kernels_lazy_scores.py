"""
Scores of the families of lazy gains.

`pricer` and `rows` as in kernels_gain_lists, `graph` as in kernels_parent_lists.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES
from bnsearch.counting.kernels_expand import extend_family, occupied_cells, score_family
from bnsearch.counting.kernels_terms import terms_of_parents
from bnsearch.dags.kernels_gain_lists import (
    CANDIDATES,
    CLASSES,
    COLUMNS,
    JOINT_TERMS,
    LEVEL,
    LIMITS,
    PARENT_PLACES,
    PARENT_TERMS,
    PRICER_BOUND,
    REQUIRED_BEGIN,
    REQUIRED_PARENT,
    SCORES,
    SCRATCH,
    SLOPE,
)
from bnsearch.dags.kernels_parent_lists import DROP, MEMBER, SIZE
from bnsearch.kernels.compile import inner_kernel


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
def score_candidates(pricer, graph, y, first, stop):
    """Score y with its parents and each of the candidates first:stop, after score_parents."""
    terms = terms_of_parents(pricer[PARENT_TERMS], pricer[CLASSES][y])
    extend_family(
        pricer[COLUMNS], y, pricer[PARENT_PLACES][: graph[SIZE][y]], pricer[CANDIDATES][first:stop],
        pricer[JOINT_TERMS], terms, pricer[SCRATCH], pricer[SCORES][first:stop],
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
