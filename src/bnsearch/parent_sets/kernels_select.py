"""Which families of one size no subset of their parents matches or beats."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernel import kernel


@kernel
def rank_without(place, binomial, left, right, extra):
    """
    Return the rank of a prefix without two of its places (left < right; the prefix's length stands for none).

    place : int64[d]   descending
    extra : how many smaller places follow it
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


@kernel
def improves_on(score, best, tolerance):
    """Tell whether a score beats the best of its subsets by more than rounding."""
    return score > best + tolerance * max(1.0, abs(best))


@kernel
def keep_families(
    size, top, lowest, highest, binomial, block, parents, class_of, before, now, tolerance,
    kept_child, kept_rank, kept_score,
):  # fmt: skip
    """
    Score the families over the sets of one piece; keep those that no subset of the parents matches or beats.

    Sets are visited as a prefix of descending places and every smaller place x, so all ranks run on with x.

    block : float64[...]                        values of the sets, at their rank less binomial(top, size)
    parents : float64[classes, sets of size - 1]
    class_of : int64[places]                    the class of each child
    before : float64[places, sets of size - 2]  each child's best score over all subsets of a parent set
    now : float64[places, sets of size - 1]     the same for the next size; written, unless it has no columns
    kept_child, kept_rank, kept_score : int32, int64, float64[capacity]   written: families that are kept

    Returns how many are kept; more than the capacity means that the last ones were not written.
    """
    d = size - 1
    kept = 0
    update = now.shape[1] > 0
    offset = binomial[top, size]
    place = np.empty(d, np.int64)
    without = np.empty(d, np.int64)  # ranks of the prefix without one of its places
    base = np.empty(d, np.int64)  # ranks of the prefix without the child and one more place, x to follow
    place[0] = top
    if d > 1:
        for t in range(1, d):
            place[t] = d - 1 - t
        place[1] = max(lowest, d - 2)
        if place[1] >= highest:
            return 0
    while True:
        last = place[d - 1]
        whole = rank_without(place, binomial, d, d, 1) - offset
        alone = rank_without(place, binomial, d, d, 0)
        for i in range(d):
            without[i] = rank_without(place, binomial, i, d, 0)
        for x in range(last):  # the child is x, the parents are the prefix
            score = block[whole + x] - parents[class_of[x], alone]
            best = before[x, without[0]]
            for i in range(1, d):
                best = max(best, before[x, without[i]])
            if improves_on(score, best, tolerance):
                if kept < kept_child.size:
                    kept_child[kept] = x
                    kept_rank[kept] = alone
                    kept_score[kept] = score
                kept += 1
                best = score
            if update:
                now[x, alone] = best
        for i in range(d):  # the child is the i-th of the prefix, the parents are the others and x
            child = place[i]
            family = rank_without(place, binomial, i, d, 1)
            others = 0
            for j in range(d):
                if j != i:
                    base[others] = rank_without(place, binomial, min(i, j), max(i, j), 1)
                    others += 1
            start = before[child, without[i]]
            for x in range(last):
                score = block[whole + x] - parents[class_of[child], family + x]
                best = start
                for j in range(others):
                    best = max(best, before[child, base[j] + x])
                if improves_on(score, best, tolerance):
                    if kept < kept_child.size:
                        kept_child[kept] = child
                        kept_rank[kept] = family + x
                        kept_score[kept] = score
                    kept += 1
                    best = score
                if update:
                    now[child, family + x] = best
        t = d - 1
        while t > 0 and place[t] + 1 == (highest if t == 1 else place[t - 1]):
            t -= 1
        if t == 0:
            return kept
        place[t] += 1
        for u in range(t + 1, d):
            place[u] = d - 1 - u


@kernel
def unrank(size, ranks, binomial, order, members):
    """
    Write the sets of one size with the given ranks.

    order : int64[places]             the variable at each place
    members : int32[ranks * size]     written: variables, ascending within a set
    """
    for i in range(ranks.size):
        rank = ranks[i]
        high = order.size
        for k in range(size, 0, -1):
            low = k - 1
            while high - low > 1:  # binomial[low, k] <= rank < binomial[high, k]
                middle = (low + high) >> 1
                if binomial[middle, k] <= rank:
                    low = middle
                else:
                    high = middle
            rank -= binomial[low, k]
            j = i * size + size - k
            while j > i * size and members[j - 1] > order[low]:
                members[j] = members[j - 1]
                j -= 1
            members[j] = order[low]
            high = low
