"""
Counting over the rows: the numbers of rows that one bitmap has in common with many others.

Bitmaps are stored by item, or by word if they are short. Then the loop over the items, which is long, is the inner one.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import popcount
from bnsearch.kernels.compile import inner_kernel

MAX_WORDS = 16  # bitmaps of up to this many words are stored by word; measured
PADDING = 32  # sweep_words is fast if the number of items is a multiple of this; by_word has this many items more


@inner_kernel
def sweep_rows(counts, leaf, begin, end, projected, item, lanes):
    """Count the rows that the bitmap `leaf` has in common with each item from `item` on; four items at a time."""
    lane = 0
    while lane + 4 <= lanes:
        first, second = projected[item + lane], projected[item + lane + 1]
        third, fourth = projected[item + lane + 2], projected[item + lane + 3]
        a, b, c, d = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
        for w in range(end - begin):
            rows = leaf[w]
            a += popcount(rows & first[begin + w])
            b += popcount(rows & second[begin + w])
            c += popcount(rows & third[begin + w])
            d += popcount(rows & fourth[begin + w])
        counts[lane], counts[lane + 1], counts[lane + 2], counts[lane + 3] = a, b, c, d
        lane += 4
    while lane < lanes:
        column = projected[item + lane]
        total = np.uint64(0)
        for w in range(end - begin):
            total += popcount(leaf[w] & column[begin + w])
        counts[lane] = np.int32(total)
        lane += 1


@inner_kernel
def sweep_words(counts, leaf, by_word, item, lanes):
    """Do the same as sweep_rows, over all words, with bitmaps that are stored by word; faster for few words."""
    stop = item + lanes
    for lane in range(lanes):
        counts[lane] = 0
    w = 0
    while w + 4 <= leaf.size:
        a, b, c, d = leaf[w], leaf[w + 1], leaf[w + 2], leaf[w + 3]
        first, second = by_word[w, item:stop], by_word[w + 1, item:stop]
        third, fourth = by_word[w + 2, item:stop], by_word[w + 3, item:stop]
        for lane in range(lanes):
            low = popcount(a & first[lane]) + popcount(b & second[lane])
            high = popcount(c & third[lane]) + popcount(d & fourth[lane])
            counts[lane] += np.int32(low + high)
        w += 4
    while w < leaf.size:
        a, first = leaf[w], by_word[w, item:stop]
        for lane in range(lanes):
            counts[lane] += np.int32(popcount(a & first[lane]))
        w += 1


@inner_kernel
def pad(number):
    """Return the least multiple of PADDING that is not below a number."""
    return (number + PADDING - 1) // PADDING * PADDING


@inner_kernel
def order_by_word(projected, by_word):
    """Copy the first words of bitmaps, uint64[items, words], to uint64[first words, items + PADDING]; pad with 0."""
    items = projected.shape[0]
    for w in range(by_word.shape[0]):
        for item in range(items):
            by_word[w, item] = projected[item, w]
        for item in range(items, by_word.shape[1]):
            by_word[w, item] = np.uint64(0)
