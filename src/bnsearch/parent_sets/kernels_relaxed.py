"""The kernel of the relaxed solution: the best set of each variable."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compile import kernel
from bnsearch.parent_sets.kernels_domination import is_subset


@kernel
def take_best(begin, scores, first, members, best_first, parents, weights):
    """
    Copy each variable's best set; the weight of a member is the loss to the best subset without it.

    begin, scores, first, members : a candidate table
    best_first : int64[n + 1]   written: index of each variable's first member
    parents : int32[...]        written
    weights : float64[...]      all -1; written
    """
    best_first[0] = 0
    for v in range(begin.size - 1):
        best = begin[v]
        to = best_first[v]
        size = first[best + 1] - first[best]
        best_first[v + 1] = to + size
        for i in range(size):
            parents[to + i] = members[first[best] + i]
        unknown = size
        for row in range(best + 1, begin[v + 1]):
            if unknown == 0:
                break
            if not is_subset(first, members, row, best):
                continue
            j = first[row]
            for i in range(to, to + size):
                if j < first[row + 1] and members[j] == parents[i]:
                    j += 1
                elif weights[i] < 0.0:
                    weights[i] = scores[best] - scores[row]
                    unknown -= 1
