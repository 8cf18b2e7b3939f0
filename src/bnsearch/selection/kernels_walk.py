"""The families of one size that no subset of their parents matches or beats."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_prefix import first_rank
from bnsearch.kernels.compare import improves_on, tie_margin
from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def rank_without(place, binomial, left, right, extra):
    """
    Return the rank of a prefix without the places at two indices, left < right; the prefix's length means none.

    place : int64[d]   descending
    extra : number of smaller places that follow the prefix
    """
    rank = np.int64(0)
    position = place.size + extra - (left < place.size) - (right < place.size)
    for t in range(place.size):
        if t == left:
            continue
        if t != right:
            rank += binomial[place[t], position]
            position -= 1
    return rank


@inner_kernel
def first_prefix(place, top, lowest, highest):
    """Write the first prefix of a piece, int64[d] descending places; return True if there is one."""
    d = place.size
    for t in range(1, d):
        place[t] = d - 1 - t
    place[0] = top
    if d > 1:
        place[1] = max(lowest, d - 2)
    return d == 1 or place[1] < highest


@inner_kernel
def next_prefix(place, highest):
    """Move to the next prefix of a piece; return True if there is one."""
    d = place.size
    t = d - 1
    while t > 0 and place[t] + 1 == (highest if t == 1 else place[t - 1]):
        t -= 1
    if t == 0:
        return False
    place[t] += 1
    for u in range(t + 1, d):
        place[u] = d - 1 - u
    return True


@inner_kernel
def write_family(child, rank, score, kept, kept_child, kept_rank, kept_score):
    """Write a family if there is room; return the new number of kept families."""
    if kept < kept_child.size:
        kept_child[kept] = child
        kept_rank[kept] = rank
        kept_score[kept] = score
    return kept + 1


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
    if now.shape[1] > 0:
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
    if now.shape[1] > 0:
        now[child, family : family + last] = best
    return kept


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
