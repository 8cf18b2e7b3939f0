"""
Kernels of cluster inequalities: the rows of each cluster, and reduced costs.

A cluster inequality of order k contains the rows (v, P) of its members v with fewer than k members of P in the cluster.
A pool of clusters is a tuple of arrays:

    first : int64[m + 1]            the members of cluster c have the positions first[c]:first[c + 1]
    members : int32[...]            variables
    entry_first : int64[... + 1]    the entries of position j are entry_first[j]:entry_first[j + 1]
    planes, masks : int64[...], uint64[...]   entries: the other members of the cluster as bits of the row masks of
                                    members[j], one entry for each plane with such bits
    orders : int64[m]               k
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import popcount
from bnsearch.kernels.compile import inner_borrowing_kernel, kernel
from bnsearch.kernels.random_numbers import hash_number


@kernel
def hash_clusters(first, members, orders, keys):
    """Write a hash of each cluster and its order; keys : uint64[m], written."""
    for c in range(orders.size):
        key = hash_number(-orders[c])
        for j in range(first[c], first[c + 1]):
            key += hash_number(np.int64(members[j]) + 1)  # the hash of 0 is 0
        keys[c] = key


@kernel
def write_entries(first, members, offsets, parents, entry_first, planes, masks):
    """
    Write the entries of clusters; if `planes` has size 0, only count them.

    first, members : of the clusters
    offsets, parents : candidate parents of each variable, as in `list_candidate_parents`
    entry_first : int64[positions + 1]   written
    planes, masks : int64[...], uint64[...]   written
    """
    inside = np.zeros(offsets.size - 1, np.bool_)
    to = np.int64(0)
    entry_first[0] = 0
    for c in range(first.size - 1):
        for j in range(first[c], first[c + 1]):
            inside[members[j]] = True
        for j in range(first[c], first[c + 1]):
            v = members[j]
            mask = np.uint64(0)
            for i in range(offsets[v], offsets[v + 1]):
                place = i - offsets[v]
                if inside[parents[i]]:
                    mask |= np.uint64(1) << np.uint64(place & 63)
                if (place & 63 == 63 or i + 1 == offsets[v + 1]) and mask != np.uint64(0):
                    if planes.size > 0:
                        planes[to], masks[to] = place >> 6, mask
                    to += 1
                    mask = np.uint64(0)
            entry_first[j + 1] = to
        for j in range(first[c], first[c + 1]):
            inside[members[j]] = False


@inner_borrowing_kernel
def count_inside(rows, pool, j, order, counts):
    """
    Count the parents inside a cluster for each row of the member at position j, and return the number of rows.

    rows : (begin, base, words)   row masks
    counts : uint64[...]   written; a row belongs to the inequality if its count is below the order. For order 1, a
                           count that is not zero has no further meaning
    """
    begin, base, words = rows
    _, members, entry_first, planes, masks, _ = pool
    v = members[j]
    size = begin[v + 1] - begin[v]
    if entry_first[j] == entry_first[j + 1]:
        for i in range(size):
            counts[i] = np.uint64(0)
    for entry in range(entry_first[j], entry_first[j + 1]):
        start, mask = base[v] + planes[entry] * size, masks[entry]
        plane = words[start : start + size]  # loops over a slice need no test for negative indices
        is_first = entry == entry_first[j]
        if order == 1 and is_first:
            for i in range(size):
                counts[i] = plane[i] & mask
        elif order == 1:
            for i in range(size):
                counts[i] |= plane[i] & mask
        elif is_first:
            for i in range(size):
                counts[i] = popcount(plane[i] & mask)
        else:
            for i in range(size):
                counts[i] += popcount(plane[i] & mask)
    return size


@kernel
def subtract_multipliers(rows, pool, multipliers, cluster, max_work, costs, counts):
    """
    Subtract the multipliers from the costs of the rows of their inequalities, and return the next cluster.

    cluster : the first cluster; the call ends after about `max_work` rows
    costs : float64[...]   changed
    counts : uint64[...]   scratch, as large as the largest number of rows of a variable
    """
    begin = rows[0]
    first, members, orders = pool[0], pool[1], pool[5]
    work = np.int64(0)
    while cluster < orders.size and work < max_work:
        multiplier = multipliers[cluster]
        if multiplier > 0.0:
            order = np.uint64(orders[cluster])
            for j in range(first[cluster], first[cluster + 1]):
                size = count_inside(rows, pool, j, orders[cluster], counts)
                start = begin[members[j]]
                own = costs[start : start + size]
                for i in range(size):
                    own[i] -= multiplier if counts[i] < order else 0.0
                work += size
        cluster += 1
    return cluster


@kernel
def subtract_minima(begin, costs, minima):
    """Subtract from each variable's costs their minimum; minima : float64[n], written."""
    for v in range(begin.size - 1):
        least = np.inf
        for row in range(begin[v], begin[v + 1]):
            least = min(least, costs[row])
        for row in range(begin[v], begin[v + 1]):
            costs[row] -= least
        minima[v] = least


@inner_borrowing_kernel
def compute_losses(rows, pool, cluster, costs, counts, losses):
    """Write what each member loses if it takes a row of the inequality instead of another one; return the rows read."""
    begin = rows[0]
    first, members, orders = pool[0], pool[1], pool[5]
    order = np.uint64(orders[cluster])
    work = np.int64(0)
    for j in range(first[cluster], first[cluster + 1]):
        start = begin[members[j]]
        inside = outside = np.inf
        size = count_inside(rows, pool, j, orders[cluster], counts)
        for i in range(size):
            if counts[i] < order:
                inside = min(inside, costs[start + i])
            else:
                outside = min(outside, costs[start + i])
        losses[j - first[cluster]] = inside - outside
        work += size
    return work


@kernel
def adjust_multipliers(rows, pool, multipliers, cluster, max_work, costs, counts):
    """
    Set the multipliers of clusters, one after the other, to the nearest value with the best bound.

    As a function of one multiplier, the bound is best between the k-th and the next smallest loss of the members.

    cluster : the first cluster; the call ends after about `max_work` rows
    multipliers : float64[m]   changed
    costs : float64[...]   reduced costs with a minimum of 0 for each variable; changed
    counts : uint64[...]   scratch

    Returns the next cluster and the improvement of the bound.
    """
    first, orders = pool[0], pool[5]
    losses = np.empty(rows[0].size - 1)
    work, improvement = np.int64(0), 0.0
    while cluster < orders.size and work < max_work:
        order, size = orders[cluster], first[cluster + 1] - first[cluster]
        work += compute_losses(rows, pool, cluster, costs, counts, losses)
        ordered = np.sort(losses[:size])
        step = max(ordered[order - 1], 0.0)
        if order < size and ordered[order] < 0.0:
            step = max(ordered[order], -multipliers[cluster])
        if step != 0.0 and np.isfinite(step):
            multipliers[cluster] += step
            improvement += step * order
            for j in range(first[cluster], first[cluster + 1]):
                improvement += shift_costs(rows, pool, j, order, step, costs, counts)
        cluster += 1
    return cluster, improvement


@inner_borrowing_kernel
def shift_costs(rows, pool, j, order, step, costs, counts):
    """Subtract a step from the costs of a member's rows in an inequality; return the change of its minimum, now 0."""
    start = rows[0][pool[1][j]]
    size = count_inside(rows, pool, j, order, counts)
    own = costs[start : start + size]
    least = np.inf
    for i in range(size):
        if counts[i] < np.uint64(order):
            own[i] -= step
        least = min(least, own[i])
    for i in range(size):
        own[i] -= least
    return least
