"""The best feasible row of a variable before a position. `index` is described in arrays.py."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.arrays import (
    BEGIN,
    BEST_ROW,
    END,
    FIRST,
    FIRST_CHILD,
    MEMBER,
    MEMBERS,
    NODE,
    ROOT,
    ROW,
    TREE,
)

SCANNED_ROWS = 12  # rows that are read one by one before the tree is searched


@inlined_kernel
def is_feasible(index, position, row, limit, without):
    """Return True if all members of a row have positions below `limit` and none is the variable `without`."""
    first, members = index[FIRST], index[MEMBERS]
    for i in range(first[row], first[row + 1]):
        if position[members[i]] >= limit or members[i] == without:
            return False
    return True


@borrowing_kernel
def find_best_row(index, position, variable, limit, without, row, stop, path, evaluations):
    """
    Return the first feasible row of a variable: all of its members have positions below `limit`.

    The first rows are read one by one. Then the variable's tree of rows is searched depth-first, without nodes that
    have no better row below them than the one already found.

    position : int32[n]     the position of each variable
    limit : the position that bounds the members
    without : a variable that may not be a member, or -1
    row : the row to start from; all rows before it are known to be infeasible
    stop : the result if no row before it is feasible
    path : int64[2, max members + 1]   scratch
    evaluations : int64[1]  the number of visited tree nodes is added
    """
    begin, tree = index[BEGIN][variable], index[TREE]
    scan_end = min(row + SCANNED_ROWS, stop)
    for i in range(row, scan_end):
        if is_feasible(index, position, i, limit, without):
            return i
    if scan_end == stop:
        return stop
    found = stop - begin
    node = index[ROOT][variable]
    found = min(found, np.int64(tree[node, ROW]))
    depth = 0
    path[NODE, 0] = tree[node, FIRST_CHILD]
    path[END, 0] = tree[node + 1, FIRST_CHILD]
    while depth >= 0:
        node = path[NODE, depth]
        if node == path[END, depth] or tree[node, BEST_ROW] >= found:  # siblings are sorted: none of the rest is better
            depth -= 1
            continue
        path[NODE, depth] += 1
        evaluations[0] += 1
        member = tree[node, MEMBER]
        if position[member] < limit and member != without:
            found = min(found, np.int64(tree[node, ROW]))
            if tree[node, FIRST_CHILD] < tree[node + 1, FIRST_CHILD]:
                depth += 1
                path[NODE, depth] = tree[node, FIRST_CHILD]
                path[END, depth] = tree[node + 1, FIRST_CHILD]
    return begin + found
