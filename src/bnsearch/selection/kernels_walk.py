"""The families of one size that no subset of their parents matches or beats."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_prefix import first_rank
from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.selection.kernels_last_size import keep_last_of_top
from bnsearch.selection.kernels_prefix_order import first_prefix, next_prefix, rank_without, write_family


@inner_kernel
def find_improvements(score, best, tolerance):
    """Return the number of scores that improve on the best ones; both float64[...]."""
    number = 0
    for x in range(score.size):
        number += improves_on(score[x], best[x], tolerance)
    return number


@inner_kernel
def keep_smaller_children(
    last, values, parents, class_of, alone, without, before, now, tolerance, scratch,
    kept, kept_child, kept_rank, kept_score,
):  # fmt: skip
    """Keep families with a prefix as parents and a smaller place as the child; arguments as in keep_families."""
    score, best = scratch[0, :last], scratch[1, :last]
    if parents.shape[0] == 1:
        value = parents[0, alone]
        for x in range(last):
            score[x] = values[x] - value
    else:
        for x in range(last):
            score[x] = values[x] - parents[class_of[x], alone]
    column = before[:, without[0]]
    for x in range(last):
        best[x] = column[x]
    for i in range(1, without.size):
        column = before[:, without[i]]
        for x in range(last):
            best[x] = max(best[x], column[x])
    if find_improvements(score, best, tolerance) > 0:
        for x in range(last):
            if improves_on(score[x], best[x], tolerance):
                kept = write_family(x, alone, score[x], kept, kept_child, kept_rank, kept_score)
                best[x] = score[x]
    for x in range(last):
        now[x, alone] = best[x]
    return kept


@inner_kernel
def keep_child_of_prefix(
    last, values, parents, group, child, family, start, base, before, now, tolerance, scratch,
    kept, kept_child, kept_rank, kept_score,
):  # fmt: skip
    """
    Keep families with one place of a prefix as the child; its other places and a smaller place are the parents.

    group : group of the child (`Walk`)
    family : rank of the parents, to which the smaller place is added
    start : best score without the smaller place
    base : int64[...]          ranks of the parents without one of the prefix, to which the smaller place is added
    """
    score, best = scratch[0, :last], scratch[1, :last]
    value = parents[group, family : family + last]
    for x in range(last):
        score[x] = values[x] - value[x]
        best[x] = start
    for j in range(base.size):
        smaller = before[child, base[j] : base[j] + last]
        for x in range(last):
            best[x] = max(best[x], smaller[x])
    if find_improvements(score, best, tolerance) > 0:
        for x in range(last):
            if improves_on(score[x], best[x], tolerance):
                kept = write_family(child, family + x, score[x], kept, kept_child, kept_rank, kept_score)
                best[x] = score[x]
    now[child, family : family + last] = best
    return kept


@inner_kernel
def keep_families_of_top(
    size, top, lowest, highest, first, binomial, block, parents, class_of, before, now, tolerance,
    kept, kept_child, kept_rank, kept_score,
):  # fmt: skip
    """
    Do the same as keep_families for the sets of one top; return the new number of kept families.

    first : rank of the first set of the block
    kept : number of kept families of other tops
    """
    d = size - 1
    none, one = np.int64(0), np.int64(1)
    place = np.empty(d, np.int64)
    without = np.empty(d, np.int64)  # ranks of the prefix without one of its places
    base = np.empty(d - 1, np.int64)  # ranks of the prefix without the child and one more place, x to follow
    scratch = np.empty((2, top + 1))  # score and best score for each x; separate loops are compiled to vector code
    going = first_prefix(place, top, lowest, highest)
    while going:
        last = place[d - 1]
        values = block[rank_without(place, binomial, d, d, one) - first :]
        for i in range(d):
            without[i] = rank_without(place, binomial, i, d, none)
        kept = keep_smaller_children(
            last, values, parents, class_of, rank_without(place, binomial, d, d, none), without, before, now, tolerance,
            scratch, kept, kept_child, kept_rank, kept_score,
        )  # fmt: skip
        for i in range(d):
            for j in range(d - 1):
                other = j + (j >= i)
                base[j] = rank_without(place, binomial, min(i, other), max(i, other), one)
            child = place[i]
            kept = keep_child_of_prefix(
                last, values, parents, class_of[child], child, rank_without(place, binomial, i, d, one),
                before[child, without[i]], base, before, now, tolerance,
                scratch, kept, kept_child, kept_rank, kept_score,
            )  # fmt: skip
        going = next_prefix(place, highest)
    return kept


@kernel
def keep_families(
    size, bottom, top, lowest, highest, binomial, block, parents, class_of, before, now, tolerance,
    kept_child, kept_rank, kept_score,
):  # fmt: skip
    """
    Score the families over the sets of one piece; keep those that no subset of the parents matches or beats.

    Sets are visited as a prefix of descending places and every smaller place x, so all ranks increase with x by one.

    bottom, top, lowest, highest : the largest place, t, is in bottom:top + 1; the second in lowest:highest, below t
    block : float64[...]                        values of the sets, at their rank less that of the piece's first set
    parents : float64[groups, sets of size - 1]
    class_of : int64[places]                    group of each child
    before : float64[places, sets of size - 2]  each child's best score over all subsets of a parent set
    now : float64[places, sets of size - 1]     the same for the next size; written, unless it has no columns
    kept_child, kept_rank, kept_score : int32, int64, float64[capacity]   written: families that are kept

    Returns the number of kept families; if it exceeds the capacity, the last ones were not written.
    """
    first = first_rank(size, bottom, lowest, binomial)
    kept = np.int64(0)
    for t in range(bottom, top + 1):
        if now.shape[1] == 0:
            kept = keep_last_of_top(
                size, t, lowest, min(highest, t), first, binomial, block, parents, class_of, before, tolerance,
                kept, kept_child, kept_rank, kept_score,
            )  # fmt: skip
        else:
            kept = keep_families_of_top(
                size, t, lowest, min(highest, t), first, binomial, block, parents, class_of, before, now, tolerance,
                kept, kept_child, kept_rank, kept_score,
            )  # fmt: skip
    return kept
