"""
The families of the last size that no subset of their parents matches or beats.

No larger size follows, so the best scores over all subsets need not be stored. Most families can then be discarded
after a comparison with one subset.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import improves_on, tie_margin
from bnsearch.kernels.compile import inner_kernel
from bnsearch.selection.kernels_prefix_order import first_prefix, next_prefix, rank_without, write_family


@inner_kernel
def improves_on_each(score, before, child, ranks, shift, tolerance):
    """Return True if a score improves on the child's best scores over all given sets; their ranks are ranks + shift."""
    for rank in ranks:
        if not improves_on(score, before[child, rank + shift], tolerance):
            return False
    return True


@inner_kernel
def find_thresholds(before, rank, tolerance, thresholds):
    """Write what the score of each smaller place must exceed to improve on its best score over a set of parents."""
    for x in range(thresholds.size):
        thresholds[x] = before[x, rank] + tie_margin(before[x, rank], tolerance)


@inner_kernel
def mark_promising(values, parents, class_of, place, alone, family, start, thresholds, tolerance, marks):
    """
    Mark the smaller places x with which some family improves on one subset of its parents.

    Few families do, and only they are compared with all subsets.

    alone : rank of the prefix
    family : int64[d]          for each child of the prefix, the rank of its parents, to which x is added
    start : float64[d]         for each child of the prefix, the best score without x
    thresholds : float64[x]    from find_thresholds, for the prefix without its last place
    marks : uint8[x]           written: 1 or 0
    """
    if parents.shape[0] == 1:
        value = parents[0, alone]
        for x in range(values.size):
            marks[x] = values[x] - value > thresholds[x]
    else:
        for x in range(values.size):
            marks[x] = values[x] - parents[class_of[x], alone] > thresholds[x]
    for i in range(place.size):
        threshold = start[i] + tie_margin(start[i], tolerance)
        of_parents = parents[class_of[place[i]], family[i] : family[i] + values.size]
        for x in range(values.size):
            marks[x] |= values[x] - of_parents[x] > threshold


@inner_kernel
def list_marked(marks, eight_marks, number, marked):
    """
    Write the indices of the marks that are 1, of the first `number` marks; return how many there are.

    eight_marks : uint64[...]   the same memory as `marks`: eight marks at a time are compared with 0
    """
    to = 0
    for first in range(0, number, 8):
        if eight_marks[first >> 3]:
            for x in range(first, min(first + 8, number)):
                marked[to] = x
                to += marks[x]
    return to


@inner_kernel
def keep_last_of_top(
    size, top, lowest, highest, first, binomial, block, parents, class_of, before, tolerance,
    kept, kept_child, kept_rank, kept_score,
):  # fmt: skip
    """Do the same as keep_families_of_top for the last size, which needs no best scores for a larger one."""
    d = size - 1
    none, one = np.int64(0), np.int64(1)
    place = np.empty(d, np.int64)
    without = np.empty(d, np.int64)  # ranks of the prefix without one of its places
    base = np.empty((d, d - 1), np.int64)  # for each child: ranks of the prefix without it and one more, x to follow
    family, start = np.empty(d, np.int64), np.empty(d)  # see mark_promising
    thresholds = np.empty(top + 1)
    eight_marks = np.empty(top // 8 + 1, np.uint64)
    marks = eight_marks.view(np.uint8)
    marked = np.empty(top + 1, np.int64)
    compared = np.int64(-1)  # rank of the set of `thresholds`
    going = first_prefix(place, top, lowest, highest)
    while going:
        last = place[d - 1]
        begin = rank_without(place, binomial, d, d, one) - first
        values = block[begin : begin + last]
        alone = rank_without(place, binomial, d, d, none)
        for i in range(d):
            without[i] = rank_without(place, binomial, i, d, none)
            family[i] = rank_without(place, binomial, i, d, one)
            start[i] = before[place[i], without[i]]
            for j in range(d - 1):
                other = j + (j >= i)
                base[i, j] = rank_without(place, binomial, min(i, other), max(i, other), one)
        if without[d - 1] != compared:
            compared = without[d - 1]
            find_thresholds(before, compared, tolerance, thresholds[: place[d - 2] if d > 1 else top])
        mark_promising(values, parents, class_of, place, alone, family, start, thresholds, tolerance, marks)
        for h in range(list_marked(marks, eight_marks, last, marked)):
            x = marked[h]
            score = values[x] - parents[class_of[x], alone]
            if improves_on_each(score, before, x, without, none, tolerance):
                kept = write_family(x, alone, score, kept, kept_child, kept_rank, kept_score)
            for i in range(d):
                score = values[x] - parents[class_of[place[i]], family[i] + x]
                is_better = improves_on(score, start[i], tolerance)
                if is_better and improves_on_each(score, before, place[i], base[i], x, tolerance):
                    kept = write_family(place[i], family[i] + x, score, kept, kept_child, kept_rank, kept_score)
        going = next_prefix(place, highest)
    return kept
