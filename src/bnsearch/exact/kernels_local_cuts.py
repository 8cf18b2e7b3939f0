"""Kernels for inequalities over a few variables: best networks by dynamic programming, and lifting of coefficients."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, kernel

IMPOSSIBLE = -1e300  # value of parent sets that are not allowed; sums of several such values are finite

# In all kernels:
# weights : float64[c, 2^c]   weights[v, P] is the weight of the parent set P, a mask, of variable v; zero if v is in P
# scratch : (float64[c, 2^c], float64[2^c], int64[2^c], float64[c, 2^c])   best weight of each variable in each set,
#     best total weight and last variable of each set, a copy of the weights


@inlined_kernel
def propagate_weights(weights, variable, best):
    """Write the maximum weight of a variable over all subsets of each set; best : float64[2^c], written."""
    for mask in range(best.size):
        best[mask] = weights[variable, mask]
    for u in range(weights.shape[0]):
        if u != variable:
            for mask in range(best.size):
                if mask >> u & 1 and best[mask ^ (1 << u)] > best[mask]:
                    best[mask] = best[mask ^ (1 << u)]


@borrowing_kernel
def find_heaviest_network(weights, scratch):
    """Return the maximum total weight of a network without cycles; write the arrays of `scratch`."""
    best, total, last, _ = scratch
    for v in range(weights.shape[0]):
        propagate_weights(weights, v, best[v])
    total[0] = 0.0
    for mask in range(1, total.size):
        total[mask] = -np.inf
        for v in range(weights.shape[0]):
            if mask >> v & 1:
                rest = mask ^ (1 << v)
                if total[rest] + best[v, rest] > total[mask]:
                    total[mask] = total[rest] + best[v, rest]
                    last[mask] = v
    return total[total.size - 1]


@borrowing_kernel
def read_heaviest_networks(scratch, parents, totals):
    """
    Write networks that find_heaviest_network found: for each pair of variables, the heaviest one with this pair last.

    parents : int64[c * (c - 1), c]   written: the smallest parent sets, masks; a row for each network
    totals : float64[c * (c - 1)]     written: weights of the networks
    """
    best, total, last, _ = scratch
    full, size = total.size - 1, parents.shape[1]
    row = 0
    for final in range(size):
        for previous in range(size):
            if previous == final:
                continue
            rest = full ^ (1 << final)
            before = rest ^ (1 << previous)
            totals[row] = total[before] + best[previous, before] + best[final, rest]
            remaining = full
            while remaining:
                v = final if remaining == full else previous if remaining == rest else last[remaining]
                remaining ^= 1 << v
                mask = remaining
                for u in range(size):
                    if mask >> u & 1 and best[v, mask ^ (1 << u)] >= best[v, remaining]:
                        mask ^= 1 << u
                parents[row, v] = mask
            row += 1


@kernel
def lift_weights(weights, scratch):
    """
    Raise the weights one after the other as far as no network weighs more than 1.

    Larger sets have at least the weights of their subsets: a network remains without cycles if a parent set shrinks.
    """
    copy = scratch[3]
    for v in range(weights.shape[0]):
        for mask in range(1, weights.shape[1]):
            if mask >> v & 1:
                continue
            for u in range(weights.shape[0]):
                for other in range(weights.shape[1]):
                    copy[u, other] = weights[u, other] if u != v else IMPOSSIBLE
            copy[v, mask] = 0.0
            weight = 1.0 - find_heaviest_network(copy, scratch)
            if weight > weights[v, mask] + 1e-9:
                for other in range(weights.shape[1]):
                    if other & mask == mask and not other >> v & 1 and weights[v, other] < weight:
                        weights[v, other] = weight


@kernel
def close_upwards(weights, scratch):
    """Raise the weight of each set to the maximum over its subsets, which adds no weight to any network."""
    best = scratch[0]
    for v in range(weights.shape[0]):
        propagate_weights(weights, v, best[v])
        for mask in range(weights.shape[1]):
            weights[v, mask] = 0.0 if mask >> v & 1 else best[v, mask]


@kernel
def write_remaining_weights(weights, scratch, remaining):
    """
    Write the maximum weight of the variables that are not in a set, given that those in the set come first.

    remaining : float64[2^c]   written, for each set
    """
    best = scratch[0]
    for v in range(weights.shape[0]):
        propagate_weights(weights, v, best[v])
    full = remaining.size - 1
    remaining[full] = 0.0
    for mask in range(full - 1, -1, -1):
        remaining[mask] = -np.inf
        for v in range(weights.shape[0]):
            if not mask >> v & 1:
                remaining[mask] = max(remaining[mask], best[v, mask] + remaining[mask | (1 << v)])
