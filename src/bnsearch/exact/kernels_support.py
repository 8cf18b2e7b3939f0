"""
Kernels of the support: the rows with a relevant probability in the smoothed bound, with their parents.

The support is a tuple of arrays:

    begin : int64[n + 1]          the rows of variable v are begin[v]:begin[v + 1]
    probabilities : float64[...]  those of a variable sum to 1
    first : int64[... + 1]
    parents : int32[...]          the parents of row s are parents[first[s]:first[s + 1]]
    children : int32[...]         the variable of each row
    use_begin : int64[n + 1]
    uses : int64[...]             the rows that have u as a parent are uses[use_begin[u]:use_begin[u + 1]]
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import kernel


@kernel
def extract_support(begin, chosen, weights, first, members, least):
    """
    Return the support: the rows with a probability of at least `least`.

    begin, chosen, weights : rows that are taken into account, as in `compute_weights`
    first, members : of the candidate table
    """
    n = begin.size - 1
    rows = parents = np.int64(0)
    for i in range(chosen.size):
        if weights[i] >= least:
            rows += 1
            parents += first[chosen[i] + 1] - first[chosen[i]]
    own_begin, own_first, own_parents = (
        np.zeros(n + 1, np.int64),
        np.zeros(rows + 1, np.int64),
        np.empty(parents, np.int32),
    )
    probabilities, children = np.empty(rows), np.empty(rows, np.int32)
    row = at = np.int64(0)
    for v in range(n):
        total = 0.0
        for i in range(begin[v], begin[v + 1]):
            if weights[i] >= least:
                probabilities[row], children[row] = weights[i], v
                total += weights[i]
                for j in range(first[chosen[i]], first[chosen[i] + 1]):
                    own_parents[at] = members[j]
                    at += 1
                row += 1
                own_first[row] = at
        own_begin[v + 1] = row
        for i in range(own_begin[v], row):
            probabilities[i] /= total
    use_begin, uses = invert_rows(n, own_first, own_parents)
    return own_begin, probabilities, own_first, own_parents, children, use_begin, uses


@kernel
def invert_rows(n, first, parents):
    """Return the rows that contain each variable as a parent: int64[n + 1] and int64[...]."""
    use_begin = np.zeros(n + 1, np.int64)
    for j in range(parents.size):
        use_begin[parents[j] + 1] += 1
    for u in range(n):
        use_begin[u + 1] += use_begin[u]
    to, uses = use_begin[:-1].copy(), np.empty(parents.size, np.int64)
    for row in range(first.size - 1):
        for j in range(first[row], first[row + 1]):
            uses[to[parents[j]]] = row
            to[parents[j]] += 1
    return use_begin, uses
