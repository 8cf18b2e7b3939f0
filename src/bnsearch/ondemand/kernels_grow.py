"""
Parents grown along an ordering: add, drop or exchange one parent while that improves the score.

`source` and `rows` as in kernels_rows.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.sorting import insert_ascending
from bnsearch.ondemand.kernels_rows import BEGIN, CANDIDATE, COUNT, EVALUATIONS, GAIN, HEAD, LIMIT, OWN, find_row
from bnsearch.scores.score import TOLERANCE


@inlined_kernel
def drop_member(members, size, at):
    """Remove the parent at one place of a list of some size."""
    for i in range(at, size - 1):
        members[i] = members[i + 1]


@inlined_kernel
def best_addition(rows, slot, position, limit, barred, looked):
    """Return the entry of a row with the highest gain before position `limit`, other than one variable; -1 if none."""
    candidate = rows[CANDIDATE]
    begin = rows[BEGIN][slot] % candidate.size
    for i in range(begin, begin + rows[COUNT][slot]):
        if position[candidate[i]] < limit and candidate[i] != barred:
            looked[0] += i - begin
            return i
    looked[0] += rows[COUNT][slot]
    return np.int64(-1)


@borrowing_kernel
def grow(source, rows, child, members, size, limit, position, required, most, spare, looked):
    """
    Improve the parents of a child among the variables before position `limit`, one change after another.

    members : int32[P]      parents, ascending, all before the limit; changed
    required : uint64[W]    bits of the parents that stay
    most : the most parents
    spare : int32[P]        scratch

    Returns the number of parents and the score. Growth is cut short once more local scores were computed than `rows`
    allows.
    """
    own = np.nan
    head = rows[HEAD]
    while True:
        if size < most or np.isnan(own):
            slot = find_row(source, rows, child, members, size)
            own = rows[OWN][slot]
            looked[0] += 4
        if head[EVALUATIONS] > head[LIMIT]:
            return size, own
        if size < most:
            entry = best_addition(rows, slot, position, limit, np.int64(-1), looked)
            if entry >= 0:
                insert_ascending(members, 0, size, np.int64(rows[CANDIDATE][entry]))
                own += rows[GAIN][entry]
                size += 1
                continue
        best = own + tie_margin(own, TOLERANCE)
        dropped = np.int64(-1)
        added = np.int64(-1)
        for i in range(size):
            gone = np.int64(members[i])
            if has_bit(required, gone) or head[EVALUATIONS] > head[LIMIT]:
                continue
            for j in range(size):
                spare[j] = members[j]
            drop_member(spare, size, i)
            slot = find_row(source, rows, child, spare, size - 1)
            looked[0] += 4
            value = rows[OWN][slot]
            if value > best:
                best, dropped, added = value, np.int64(i), np.int64(-1)
            entry = best_addition(rows, slot, position, limit, gone, looked)
            if entry >= 0 and value + rows[GAIN][entry] > best:
                best, dropped, added = value + rows[GAIN][entry], np.int64(i), np.int64(rows[CANDIDATE][entry])
        if dropped < 0:
            return size, own
        drop_member(members, size, dropped)
        own = best
        size -= 1
        if added >= 0:
            insert_ascending(members, 0, size, added)
            size += 1
