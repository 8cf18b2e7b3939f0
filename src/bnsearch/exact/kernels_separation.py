"""
Kernels of separation: the search for cluster inequalities that the probabilities of the support violate.

The *presence* of a cluster is the sum of the probabilities of the rows of its inequality. An inequality of order k is
violated if the presence is below k. A growing cluster is a tuple of arrays:

    status : int8[n]        OUTSIDE, MEMBER, or CANDIDATE for variables that are listed in `listed`
    inside : int64[rows]    number of parents of each row of the support in the cluster
    gains : float64[n]      probability of the members' rows that leave the inequality if the candidate joins
    absent : float64[n]     probability of the candidate's own rows that are not in the inequality
    listed : int32[n + 1]   members and candidates
    noise : float64[n]      random numbers that are added to the gains, so that repeated searches differ
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel

OUTSIDE, MEMBER, CANDIDATE = 0, 1, 2
WORK, FOUND = 0, 1  # counters of a search: steps, clusters found
ROUNDING = 1e-9
MAX_EXTRA_MEMBERS = 20  # a cluster that is not violated after so many additions is given up


@inner_kernel
def list_candidate(u, cluster, listed):
    """Add a variable to the list of candidates if it is not in it; return the length of the list."""
    if cluster[0][u] == OUTSIDE:
        cluster[0][u] = CANDIDATE
        cluster[4][listed] = u
        listed += 1
    return listed


@inner_kernel
def change_gains(row, change, support, cluster, listed, counters):
    """Change the gains of the parents of a row that are not members; return the length of the list."""
    _, _, first, parents, _, _, _ = support
    status, _, gains, _, _, _ = cluster
    counters[WORK] += first[row + 1] - first[row]
    for j in range(first[row], first[row + 1]):
        u = parents[j]
        if status[u] != MEMBER:
            listed = list_candidate(u, cluster, listed)
            gains[u] += change
    return listed


@inner_kernel
def add_member(w, order, support, cluster, listed, counters):
    """Add a variable to a cluster, and return the length of the list of members and candidates."""
    begin, probabilities, _, _, children, use_begin, uses = support
    status, inside, _, absent, _, _ = cluster
    listed = list_candidate(w, cluster, listed)
    status[w] = MEMBER
    for row in range(begin[w], begin[w + 1]):
        if inside[row] == order - 1:
            listed = change_gains(row, probabilities[row], support, cluster, listed, counters)
    for i in range(use_begin[w], use_begin[w + 1]):
        row = uses[i]
        inside[row] += 1
        child = children[row]
        if status[child] == MEMBER:
            if inside[row] == order - 1:
                listed = change_gains(row, probabilities[row], support, cluster, listed, counters)
            elif inside[row] == order:
                listed = change_gains(row, -probabilities[row], support, cluster, listed, counters)
        elif inside[row] == order:
            listed = list_candidate(child, cluster, listed)
            absent[child] += probabilities[row]
    counters[WORK] += use_begin[w + 1] - use_begin[w] + begin[w + 1] - begin[w]
    return listed


@inner_kernel
def remove_member(w, support, cluster):
    """Remove a variable from a cluster; gains and candidates are not updated."""
    _, _, _, _, _, use_begin, uses = support
    cluster[0][w] = CANDIDATE
    for i in range(use_begin[w], use_begin[w + 1]):
        cluster[1][uses[i]] -= 1


@inner_kernel
def compute_removal(w, order, support, cluster):
    """Return the change of the presence of a cluster if a member is removed."""
    begin, probabilities, _, _, children, use_begin, uses = support
    status, inside, _, _, _, _ = cluster
    change = 0.0
    for row in range(begin[w], begin[w + 1]):
        if inside[row] < order:
            change -= probabilities[row]
    for i in range(use_begin[w], use_begin[w + 1]):
        row = uses[i]
        if inside[row] == order and status[children[row]] == MEMBER:
            change += probabilities[row]
    return change


@inner_kernel
def shrink(variables, size, order, support, cluster, counters):
    """Remove members while the presence does not increase, and return the size; variables[:size] are the members."""
    begin, _, _, _, _, use_begin, _ = support
    changed = True
    while changed and size > order + 1:
        changed = False
        i = size - 1
        while i >= 0 and size > order + 1:
            w = variables[i]
            counters[WORK] += use_begin[w + 1] - use_begin[w] + begin[w + 1] - begin[w]
            if compute_removal(w, order, support, cluster) <= ROUNDING:
                remove_member(w, support, cluster)
                size -= 1
                variables[i] = variables[size]
                changed = True
            i -= 1
    return size


@inner_kernel
def find_best_candidate(cluster, listed):
    """Return the candidate that reduces the presence most, up to the noise; -1 without candidates."""
    status, _, gains, absent, names, noise = cluster
    best, value = np.int64(-1), -np.inf
    for i in range(listed):
        u = names[i]
        if status[u] == CANDIDATE and gains[u] + absent[u] + noise[u] > value:
            best, value = np.int64(u), gains[u] + absent[u] + noise[u]
    return best


@inner_kernel
def grow(variables, start, order, max_size, slack, support, cluster, counters):
    """
    Grow a violated cluster, one variable after the other, and return its size; 0 if none is found.

    variables : int32[n + 1]   the first `start` are the first members; written: the members
    slack : amount by which the presence is below the order at least
    """
    _, _, gains, absent, _, _ = cluster
    presence, least = 0.0, np.inf
    size = best_size = listed = np.int64(0)
    while size < max_size:
        w = np.int64(variables[size]) if size < start else find_best_candidate(cluster, listed)
        if w < 0:
            break
        presence += 1.0 - absent[w] - gains[w]
        listed = add_member(w, order, support, cluster, listed, counters)
        variables[size] = w
        size += 1
        counters[WORK] += listed
        if size > order and presence < least - ROUNDING:
            least, best_size = presence, size
        violated = least < order - slack
        if size >= start and (size > best_size + 1 if violated else size > start + MAX_EXTRA_MEMBERS):
            break
    found = np.int64(0)
    if least < order - slack:
        while size > best_size:
            size -= 1
            remove_member(np.int64(variables[size]), support, cluster)
        found = shrink(variables, size, order, support, cluster, counters)
    clear_cluster(listed, support, cluster, counters)
    return found


@inner_kernel
def clear_cluster(listed, support, cluster, counters):
    """Remove all members and candidates."""
    _, _, _, _, _, use_begin, uses = support
    status, inside, gains, absent, names, _ = cluster
    for i in range(listed):
        u = names[i]
        status[u], gains[u], absent[u] = OUTSIDE, 0.0, 0.0
        for j in range(use_begin[u], use_begin[u + 1]):
            inside[uses[j]] = 0
        counters[WORK] += use_begin[u + 1] - use_begin[u]


@inner_kernel
def save_cluster(variables, size, order, found, counters):
    """Append a cluster to those found."""
    found_first, found_members, found_orders = found
    c = counters[FOUND]
    found_members[found_first[c] : found_first[c] + size] = np.sort(variables[:size])
    found_first[c + 1] = found_first[c] + size
    found_orders[c] = order
    counters[FOUND] += 1


@inner_kernel
def has_space(found, counters, n):
    """Return True if another cluster can be saved."""
    found_first, found_members, found_orders = found
    return counters[FOUND] < found_orders.size and found_first[counters[FOUND]] + n <= found_members.size


@kernel
def grow_from_variables(seeds, max_size, max_work, slack, support, cluster, variables, found, counters):
    """
    Search for violated inequalities of order 1 that contain one of the seeds.

    seeds : int32[...]   variables; the call ends after about `max_work` steps
    found : (int64[... + 1], int32[...], int64[...])   first, members and orders of the clusters found; written
    counters : int64[2]  WORK and FOUND; changed
    """
    for v in seeds:
        if counters[WORK] >= max_work or not has_space(found, counters, seeds.size):
            break
        variables[0] = v
        size = grow(variables, np.int64(1), np.int64(1), max_size, slack, support, cluster, counters)
        if size > 1:
            save_cluster(variables, size, np.int64(1), found, counters)


@kernel
def grow_from_rows(seeds, order, bounds, max_size, max_work, slack, support, cluster, variables, found, counters):
    """
    Search for violated inequalities of an order, starting from a variable and `order` of its parents.

    bounds : (least, largest) probability of a row from which a cluster grows
    """
    begin, probabilities, first, parents, _, _, _ = support
    least, largest = bounds
    for v in seeds:
        for row in range(begin[v], begin[v + 1]):
            count = first[row + 1] - first[row]
            if count < order or not least <= probabilities[row] <= largest:
                continue
            for offset in range(count if count > order else 1):
                if counters[WORK] >= max_work or not has_space(found, counters, seeds.size):
                    return
                variables[0] = v
                for i in range(order):
                    variables[1 + i] = parents[first[row] + (offset + i) % count]
                size = grow(variables, order + 1, order, max_size, slack, support, cluster, counters)
                if size > order:
                    save_cluster(variables, size, order, found, counters)
