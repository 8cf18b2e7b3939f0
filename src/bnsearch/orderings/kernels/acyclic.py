"""Kernels of acyclic selection: the best sets that close no cycle with those chosen before."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def mark_descendants(v, last, before, child, mark, stack):
    """
    Mark a variable and its descendants; return how many there are.

    last : int64[n]     each variable's last arc to a child, or -1
    before : int64[m]   before each arc, the one to another child of the same parent, or -1
    child : int32[m]    where each arc leads
    mark : int32[n]     written: v at each descendant
    stack : int32[n]    scratch
    """
    mark[v] = v
    stack[0] = v
    size = 1
    found = 1
    while size > 0:
        size -= 1
        a = last[stack[size]]
        while a >= 0:
            if mark[child[a]] != v:
                mark[child[a]] = v
                stack[size] = child[a]
                size += 1
                found += 1
            a = before[a]
    return found


@kernel
def select_acyclic(begin, first, members, order, at, size, budget, rows, last, before, child, mark, stack):
    """
    Choose sets for the variables at order[at], order[at - 1], ...: the best that holds no descendant.

    Returns the position to go on with, -1 when all is done; the number of arcs so far; and how many sets were looked
    at. It breaks off once about `budget` entries were looked at.

    begin, first, members : a candidate table
    order : int32[n]        the ordering
    rows : int64[n]         written: the chosen rows
    last, before, child     as in mark_descendants, for the `size` arcs so far; written
    mark : int32[n]         scratch, -1 throughout at first
    stack : int32[n]        scratch
    """
    looked = 0
    while at >= 0 and budget > 0:
        v = order[at]
        budget -= mark_descendants(v, last, before, child, mark, stack)
        row = begin[v]
        free = False
        while not free:  # the empty set, the last one, always is
            free = True
            for i in range(first[row], first[row + 1]):
                budget -= 1
                if mark[members[i]] == v:
                    free = False
                    break
            row += 1
            looked += 1
        rows[v] = row - 1
        for i in range(first[row - 1], first[row]):
            child[size] = v
            before[size] = last[members[i]]
            last[members[i]] = size
            size += 1
        at -= 1
    return at, size, looked
