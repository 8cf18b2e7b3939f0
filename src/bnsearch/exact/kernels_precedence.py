"""Kernels for partial orders of the variables: transitive closure, and what follows for the parent sets."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, kernel

# In all kernels, `before` is bool[n, n]: before[u, v] is True if u must precede v. The relation is transitive.


@borrowing_kernel
def add_precedence(before, u, v):
    """Add that u precedes v, with all consequences; return False if this contradicts the order."""
    if u == v or before[v, u]:
        return False
    if before[u, v]:
        return True
    for a in range(before.shape[0]):
        if a == u or before[a, u]:
            for b in range(before.shape[0]):
                if b == v or before[v, b]:
                    before[a, b] = True
    return True


@borrowing_kernel
def drop_late_parents(table, before, alive, count, holding):
    """
    Drop the rows that contain a parent which must follow its child, and count the others.

    table : (begin, first, members, masks) of a component
    alive : bool[rows]   changed
    count : int64[n]     written: number of rows of each variable that are alive
    holding : int64[n, n]   written: holding[v, u] is the number of those of v that contain u
    """
    begin, first, members, _ = table
    holding[:] = 0
    for v in range(begin.size - 1):
        count[v] = 0
        for row in range(begin[v], begin[v + 1]):
            if not alive[row]:
                continue
            for i in range(first[row], first[row + 1]):
                if before[v, members[i]]:
                    alive[row] = False
                    break
            if alive[row]:
                count[v] += 1
                for i in range(first[row], first[row + 1]):
                    holding[v, members[i]] += 1


@kernel
def propagate_precedence(table, before, alive):
    """
    Apply an order to the rows and the rows to the order until nothing changes; return False if a variable has no row.

    A row is dropped if one of its parents must follow the child. A parent in all rows of a variable precedes it.

    before : bool[n, n]   changed
    alive : bool[rows]    changed
    """
    n = before.shape[0]
    count = np.empty(n, np.int64)
    holding = np.empty((n, n), np.int64)
    changed = True
    while changed:
        changed = False
        drop_late_parents(table, before, alive, count, holding)
        for v in range(n):
            if count[v] == 0:
                return False
            for u in range(n):
                if holding[v, u] == count[v] and not before[u, v]:
                    if not add_precedence(before, u, v):
                        return False
                    changed = True
    return True


@kernel
def round_solution(table, support, scores, order, rows):
    """
    Write an ordering that follows a solution of the linear program, and the best row of each variable in it.

    The next variable is the one whose parent sets among the placed variables have the largest total value.

    support : as in kernels_cluster_cuts
    order, rows : int64[n]   written
    """
    table_begin, table_first, table_members, _ = table
    begin, value, _, first, members, _, _, _ = support
    n = order.size
    placed = np.zeros(n, np.bool_)
    for step in range(n):
        chosen = -1
        largest = -1.0
        for v in range(n):
            if placed[v]:
                continue
            total = 0.0
            for s in range(begin[v], begin[v + 1]):
                fits = True
                for i in range(first[s], first[s + 1]):
                    fits = fits and placed[members[i]]
                if fits:
                    total += value[s]
            if total > largest + 1e-9:
                largest = total
                chosen = v
        order[step] = chosen
        best = -np.inf
        for row in range(table_begin[chosen], table_begin[chosen + 1]):
            fits = scores[row] > best
            for i in range(table_first[row], table_first[row + 1]):
                fits = fits and placed[table_members[i]]
            if fits:
                best = scores[row]
                rows[chosen] = row
        placed[chosen] = True
