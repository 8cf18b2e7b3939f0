"""
Kernels of row masks: the parent sets of a candidate table as bits, in planes.

The candidate parents of a variable are numbered from 0; 64 of them make a plane. The words of a plane lie next to each
other, one for each row of the variable, so that one pass tests all rows of a variable against a cluster.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import kernel


@kernel
def list_candidate_parents(begin, first, members, offsets, parents):
    """
    Write the candidate parents of each variable, in the order of their first appearance.

    begin, first, members : a candidate table
    offsets : int64[n + 1]   written: the candidate parents of v are parents[offsets[v]:offsets[v + 1]]
    parents : int32[...]     written, unless its size is 0: then they are only counted
    """
    n = begin.size - 1
    seen = np.full(n, -1, np.int64)
    offsets[0] = 0
    for v in range(n):
        to = offsets[v]
        for i in range(first[begin[v]], first[begin[v + 1]]):
            u = members[i]
            if seen[u] != v:
                seen[u] = v
                if parents.size > 0:
                    parents[to] = u
                to += 1
        offsets[v + 1] = to


@kernel
def write_row_masks(begin, first, members, offsets, parents, base, words):
    """
    Write the parent sets as bits.

    offsets, parents : written by `list_candidate_parents`
    base : int64[n + 1]   the planes of variable v start at base[v]
    words : uint64[...]   zeros; written
    """
    n = begin.size - 1
    place = np.empty(n, np.int64)
    for v in range(n):
        for i in range(offsets[v], offsets[v + 1]):
            place[parents[i]] = i - offsets[v]
        count = begin[v + 1] - begin[v]
        for row in range(begin[v], begin[v + 1]):
            for i in range(first[row], first[row + 1]):
                p = place[members[i]]
                words[base[v] + (p >> 6) * count + row - begin[v]] |= np.uint64(1) << np.uint64(p & 63)


@kernel
def take_rows_below(rows, offsets, costs, limit, taken_rows, chosen):
    """
    Write the masks of the rows whose reduced cost is at most `limit`.

    rows : (begin, base, words), the masks of all rows
    offsets : int64[n + 1]     candidate parents of each variable, as in `list_candidate_parents`
    costs : float64[...]       reduced costs of all rows
    taken_rows : (int64[n + 1], int64[n + 1], uint64[...])   written
    chosen : int64[...]        written: number of each row that is taken
    """
    begin, base, words = rows
    new_begin, new_base, new_words = taken_rows
    new_begin[0] = new_base[0] = 0
    for v in range(begin.size - 1):
        to = new_begin[v]
        for row in range(begin[v], begin[v + 1]):
            if costs[row] <= limit:
                chosen[to] = row
                to += 1
        new_begin[v + 1] = to
        count, new_count = begin[v + 1] - begin[v], to - new_begin[v]
        planes = (offsets[v + 1] - offsets[v] + 63) >> 6
        new_base[v + 1] = new_base[v] + planes * new_count
        for plane in range(planes):
            source = base[v] + plane * count - begin[v]
            target = new_base[v] + plane * new_count
            for i in range(new_count):
                new_words[target + i] = words[source + chosen[new_begin[v] + i]]
