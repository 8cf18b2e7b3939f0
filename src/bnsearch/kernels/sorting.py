"""Sorting within kernels: insertion into short sorted arrays, and Shell sort."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compile import inlined_kernel, inner_borrowing_kernel


@inlined_kernel
def insert_ascending(values, begin, end, value):
    """Insert a value into the ascending values[begin:end], so that values[end] is used, too; return its index."""
    at = end
    while at > begin and values[at - 1] > value:
        values[at] = values[at - 1]
        at -= 1
    values[at] = value
    return at


@inlined_kernel
def insert_descending(values, end, value):
    """Insert a value into the descending values[:end], so that values[end] is used, too."""
    at = end
    while at > 0 and values[at - 1] < value:
        values[at] = values[at - 1]
        at -= 1
    values[at] = value


@inner_borrowing_kernel
def sort_by_score(items, scores, number):
    """
    Sort items by their scores, best first, and items of equal scores ascending (Shell sort).

    items, scores : int64[...], float64[...]   the first `number` of both are sorted
    """
    gap = 1
    while gap < number:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, number):
            score, item = scores[i], items[i]
            j = i
            while j >= gap and (scores[j - gap] < score or (scores[j - gap] == score and items[j - gap] > item)):
                scores[j] = scores[j - gap]
                items[j] = items[j - gap]
                j -= gap
            scores[j] = score
            items[j] = item
