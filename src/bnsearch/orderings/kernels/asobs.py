"""Kernels of acyclic selection: each variable's best parent set that closes no cycle with the sets chosen before."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def mark_descendants(v, last_arc, previous_arc, head, mark, stack):
    """
    Mark a variable and its descendants; return their number.

    last_arc : int64[n]       last arc from each variable to a child, or -1
    previous_arc : int64[m]   previous arc from the same variable, or -1
    head : int32[m]           the child of each arc
    mark : int32[n]           written: v for each descendant
    stack : int32[n]          scratch
    """
    mark[v] = v
    stack[0] = v
    size = 1
    found = 1
    while size > 0:
        size -= 1
        arc = last_arc[stack[size]]
        while arc >= 0:
            if mark[head[arc]] != v:
                mark[head[arc]] = v
                stack[size] = head[arc]
                size += 1
                found += 1
            arc = previous_arc[arc]
    return found


@kernel
def select_acyclic(
    begin, first, members, order, at, n_arcs, max_entries, rows, last_arc, previous_arc, head, mark, stack
):
    """
    Choose parent sets for the variables order[at], order[at - 1], ...: the best set that contains no descendant.

    The selection is interrupted after about `max_entries` members of sets and descendants were read. Returns the
    position to resume at, -1 at the end; the number of arcs so far; and the number of sets that were read.

    begin, first, members : a candidate table
    order : int32[n]        the ordering
    n_arcs : number of arcs so far
    rows : int64[n]         written: the chosen rows
    last_arc, previous_arc, head   the arcs so far, as in mark_descendants; updated
    mark : int32[n]         scratch, all -1 at the start
    stack : int32[n]        scratch
    """
    n_sets = 0
    while at >= 0 and max_entries > 0:
        v = order[at]
        max_entries -= mark_descendants(v, last_arc, previous_arc, head, mark, stack)
        row = begin[v]
        is_acyclic = False
        while not is_acyclic:  # ends: the empty set, the last row, closes no cycle
            is_acyclic = True
            for i in range(first[row], first[row + 1]):
                max_entries -= 1
                if mark[members[i]] == v:
                    is_acyclic = False
                    break
            row += 1
            n_sets += 1
        rows[v] = row - 1
        for i in range(first[row - 1], first[row]):
            head[n_arcs] = v
            previous_arc[n_arcs] = last_arc[members[i]]
            last_arc[members[i]] = n_arcs
            n_arcs += 1
        at -= 1
    return at, n_arcs, n_sets
