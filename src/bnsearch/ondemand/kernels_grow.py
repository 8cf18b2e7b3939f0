"""
Growth of a parent set along an ordering: add, drop or exchange one parent while that improves the score.

`source` as in kernels_rows, `rows` as in kernels_row_cache.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import inlined_kernel, noinline_kernel
from bnsearch.kernels.sorting import insert_ascending
from bnsearch.ondemand.kernels_row_cache import BEGIN, CANDIDATE, COUNT, EVALUATIONS, FAMILY_SCORE, GAIN, HEAD, LIMIT
from bnsearch.ondemand.kernels_rows import find_row
from bnsearch.scores.score import TOLERANCE


@inlined_kernel
def drop_member(members, size, at):
    """Remove the parent at an index of a list of some size."""
    for i in range(at, size - 1):
        members[i] = members[i + 1]


@inlined_kernel
def best_addition(rows, slot, position, limit, barred, examined):
    """Return the best entry of a row before position `limit` that is not the barred variable; -1 if there is none."""
    candidate = rows[CANDIDATE]
    begin = rows[BEGIN][slot] % candidate.size
    for i in range(begin, begin + rows[COUNT][slot]):
        if position[candidate[i]] < limit and candidate[i] != barred:
            examined[0] += i - begin
            return i
    examined[0] += rows[COUNT][slot]
    return np.int64(-1)


@noinline_kernel
def grow_parents(source, rows, child, members, size, limit, position, required, max_parents, spare, examined):
    """
    Improve the parents of a child among the variables before position `limit`, one change after another.

    members : int32[P]      parents, ascending, all before the limit; changed
    required : uint64[W]    bits of the required parents, which are not dropped
    max_parents : upper bound on the number of parents
    spare : int32[P]        scratch

    Returns the number of parents and the score. Growth is cut short once the number of computed local scores exceeds
    the limit in `rows`, or a row was not computed. The score is minus infinity if the row of the first parents was not
    computed.
    """
    score = np.nan
    head = rows[HEAD]
    while True:
        if size < max_parents or np.isnan(score):
            slot = find_row(source, rows, child, members, size)
            if slot < 0:
                return size, -np.inf if np.isnan(score) else score
            score = rows[FAMILY_SCORE][slot]
            examined[0] += 4
        if head[EVALUATIONS] > head[LIMIT]:
            return size, score
        if size < max_parents:
            entry = best_addition(rows, slot, position, limit, np.int64(-1), examined)
            if entry >= 0:
                insert_ascending(members, 0, size, np.int64(rows[CANDIDATE][entry]))
                score += rows[GAIN][entry]
                size += 1
                continue
        best = score + tie_margin(score, TOLERANCE)
        dropped = np.int64(-1)
        added = np.int64(-1)
        for i in range(size):
            parent = np.int64(members[i])
            if has_bit(required, parent) or head[EVALUATIONS] > head[LIMIT]:
                continue
            for j in range(size):
                spare[j] = members[j]
            drop_member(spare, size, i)
            slot = find_row(source, rows, child, spare, size - 1)
            if slot < 0:
                return size, score
            examined[0] += 4
            value = rows[FAMILY_SCORE][slot]
            if value > best:
                best, dropped, added = value, np.int64(i), np.int64(-1)
            entry = best_addition(rows, slot, position, limit, parent, examined)
            if entry >= 0 and value + rows[GAIN][entry] > best:
                best, dropped, added = value + rows[GAIN][entry], np.int64(i), np.int64(rows[CANDIDATE][entry])
        if dropped < 0:
            return size, score
        drop_member(members, size, dropped)
        score = best
        size -= 1
        if added >= 0:
            insert_ascending(members, 0, size, added)
            size += 1
