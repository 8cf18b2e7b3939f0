"""Kernels of separation by peeling: violated cluster inequalities of order 1, found from the set of all variables."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.exact.kernels_separation import (
    MEMBER,
    OUTSIDE,
    WORK,
    has_space,
    save_cluster,
    shrink,
)
from bnsearch.kernels.compile import inner_kernel, kernel

LIKELY = 0.5  # a variable with this probability of parents outside the cluster leaves it at once
NEAR = 0.02  # a smaller cluster is preferred to one with a presence that is lower by at most this


@inner_kernel
def take_all(support, cluster):
    """Make all variables members, write the probability of each one's rows in the inequality, and return their sum."""
    begin, probabilities, first, _, _, _, _ = support
    status, inside, outer, _, _, _ = cluster
    presence = 0.0
    for v in range(begin.size - 1):
        status[v], outer[v] = MEMBER, 0.0
        for row in range(begin[v], begin[v + 1]):
            inside[row] = first[row + 1] - first[row]
            if inside[row] == 0:
                outer[v] += probabilities[row]
        presence += outer[v]
    return presence


@inner_kernel
def leave(w, support, cluster, counters):
    """Remove a variable, and return the change of the presence."""
    _, probabilities, _, _, children, use_begin, uses = support
    status, inside, outer, _, stack, _ = cluster
    status[w] = OUTSIDE
    change = -outer[w]
    for i in range(use_begin[w], use_begin[w + 1]):
        row = uses[i]
        inside[row] -= 1
        child = children[row]
        if inside[row] == 0 and status[child] == MEMBER:
            change += probabilities[row]
            if outer[child] < LIKELY <= outer[child] + probabilities[row]:
                stack[0] += 1
                stack[stack[0]] = child
            outer[child] += probabilities[row]
    counters[WORK] += use_begin[w + 1] - use_begin[w]
    return change


@inner_kernel
def find_next(seed, cluster, counters):
    """Return the member, other than the seed, with the highest probability of rows in the inequality; -1 for none."""
    status, _, outer, _, _, noise = cluster
    best, value = np.int64(-1), -np.inf
    for v in range(status.size):
        if status[v] == MEMBER and v != seed and outer[v] + noise[v] > value:
            best, value = np.int64(v), outer[v] + noise[v]
    counters[WORK] += status.size
    return best


@inner_kernel
def peel(seed, slack, support, cluster, variables, counters):
    """
    Remove variables from the set of all variables, and return the size of a violated cluster with the seed; 0 for none.

    Members that have all their parents outside leave first. The result is the cluster on the way with the lowest
    presence, after members that do not matter were removed.

    cluster : arrays as in `kernels_separation`; `gains` is used for the probability of each member's rows in the
              inequality, and `listed` as a stack whose length is listed[0]
    variables : int32[n + 1]   written: the members
    """
    status, inside, outer, _, stack, _ = cluster
    n = status.size
    presence = take_all(support, cluster)
    counters[WORK] += inside.size + n
    stack[0] = 0
    for v in range(n):
        if outer[v] >= LIKELY:
            stack[0] += 1
            stack[stack[0]] = v
    least, left, best_left = np.inf, np.int64(0), np.int64(0)
    while left < n - 2:
        w = np.int64(-1)
        while w < 0 and stack[0] > 0:
            w = np.int64(stack[stack[0]])
            stack[0] -= 1
            if status[w] != MEMBER or w == seed:
                w = np.int64(-1)
        if w < 0:
            if presence <= least + NEAR:
                least, best_left = min(least, presence), left
            w = find_next(seed, cluster, counters)
        presence += leave(w, support, cluster, counters)
        variables[left] = w
        left += 1
    if not least < 1.0 - slack:
        return np.int64(0)
    return restore(left, best_left, support, cluster, variables, counters)


@inner_kernel
def restore(left, best_left, support, cluster, variables, counters):
    """Add the variables again that left last, and return the size of the cluster after it was reduced."""
    _, _, _, _, _, use_begin, uses = support
    status, inside, _, _, _, _ = cluster
    while left > best_left:
        left -= 1
        w = variables[left]
        status[w] = MEMBER
        for i in range(use_begin[w], use_begin[w + 1]):
            inside[uses[i]] += 1
    size = np.int64(0)
    for v in range(status.size):
        if status[v] == MEMBER:
            variables[size] = v
            size += 1
    return shrink(variables, size, np.int64(1), support, cluster, counters)


@kernel
def peel_from_variables(seeds, max_work, slack, support, cluster, variables, found, counters):
    """
    Search for violated inequalities of order 1 that contain one of the seeds, by peeling.

    A seed in a cluster that was found before is skipped. The arguments are those of `grow_from_variables`.
    """
    status, inside, outer, _, _, _ = cluster
    covered = np.zeros(status.size, np.bool_)
    for v in seeds:
        if counters[WORK] >= max_work or not has_space(found, counters, seeds.size):
            break
        if covered[v]:
            continue
        size = peel(np.int64(v), slack, support, cluster, variables, counters)
        if size > 1:
            covered[variables[:size]] = True
            save_cluster(variables, size, np.int64(1), found, counters)
    for v in range(status.size):
        status[v], outer[v] = OUTSIDE, 0.0
    for row in range(inside.size):
        inside[row] = 0
