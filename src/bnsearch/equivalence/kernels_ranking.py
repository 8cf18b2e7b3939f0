"""Orders of operators: the ranking of a row, and the row whose next operator is best."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel


@inner_kernel
def sift_down(levels, ranking, begin, root, number):
    """Restore the heap ranking[begin : begin + number], worst operator first, where only `root` may be too high."""
    moving = ranking[begin + root]
    level = levels[begin + moving]
    while 2 * root + 1 < number:
        child = 2 * root + 1
        offset = ranking[begin + child]
        lowest = levels[begin + offset]
        if child + 1 < number:
            other = ranking[begin + child + 1]
            value = levels[begin + other]
            if value < lowest or (value == lowest and other > offset):
                child, offset, lowest = child + 1, other, value
        if lowest > level or (lowest == level and offset < moving):
            break
        ranking[begin + root] = offset
        root = child
    ranking[begin + root] = moving


@inner_kernel
def rank_row(pool, begin, number):
    """Sort the offsets ranking[begin : begin + number] by level, highest first, equal ones ascending (heap sort)."""
    levels, ranking = pool[1], pool[4]
    for root in range(number // 2 - 1, -1, -1):
        sift_down(levels, ranking, begin, np.int64(root), np.int64(number))
    for last in range(number - 1, 0, -1):
        ranking[begin], ranking[begin + last] = ranking[begin + last], ranking[begin]
        sift_down(levels, ranking, begin, np.int64(0), np.int64(last))


# A tournament of rows: `bars`, float64[P] with P a power of two, holds the level of each row's next operator, and
# `tree`, int64[2 P], the winner of each match: tree[1] is the winner of all, tree[P + i] is i. Of two equal bars the
# lower row wins.


@inner_kernel
def play_match(tree, bars, i):
    """Let the winners of the two matches below match i play."""
    left, right = tree[2 * i], tree[2 * i + 1]
    tree[i] = right if bars[right] > bars[left] else left


@inner_kernel
def play_all(tree, bars):
    """Play the whole tournament."""
    for i in range(bars.size):
        tree[bars.size + i] = i
    for i in range(bars.size - 1, 0, -1):
        play_match(tree, bars, i)


@inner_kernel
def replay(tree, bars, row):
    """Play the matches of one row again, after its bar has changed."""
    i = (bars.size + row) >> 1
    while i > 0:
        play_match(tree, bars, i)
        i >>= 1
