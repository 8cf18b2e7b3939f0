"""
Kernels of the dual ascent for local cuts: coefficients of rows, reduced costs, and coordinate steps.

A local cut has a coefficient for each set of parents among its members. The coefficients of a cut have few distinct
values, its *levels*. A pool of local cuts is a tuple of arrays:

    first : int64[m + 1]           the members of cut c have the positions first[c]:first[c + 1]
    members : int32[...]           variables
    entry_first : int64[... + 1]   the entries of position j are entry_first[j]:entry_first[j + 1]
    planes, shifts, bits : int64[...]   entries: where the row masks of members[j] have the bit of another member, and
                                   the number of this member in the cut
    code_first : int64[...]        the codes of position j begin at code_first[j]
    codes : uint8[...]             level of each set of parents among the members
    level_first : int64[m + 1]     the levels of cut c are levels[level_first[c]:level_first[c + 1]]
    levels : float64[...]          coefficients
    limits : float64[m]            maximum of the sum of the coefficients in a network without cycles
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.exact.kernels_smoothing import MAX_TOTAL, scale_weights
from bnsearch.kernels.compile import inner_borrowing_kernel, kernel

MAX_ITERATIONS = 40
PRECISION = 1e-6  # of the expected sum of coefficients, relative to the limit


@kernel
def write_local_entries(first, members, offsets, parents, entry_first, planes, shifts, bits):
    """
    Write the entries of local cuts; if `planes` has size 0, only count them.

    first, members : of the cuts
    offsets, parents : candidate parents of each variable, as in `list_candidate_parents`
    entry_first : int64[positions + 1]   written
    planes, shifts, bits : int64[...]    written
    """
    number = np.full(offsets.size - 1, -1, np.int64)
    to = np.int64(0)
    entry_first[0] = 0
    for c in range(first.size - 1):
        for j in range(first[c], first[c + 1]):
            number[members[j]] = j - first[c]
        for j in range(first[c], first[c + 1]):
            v = members[j]
            for i in range(offsets[v], offsets[v + 1]):
                if number[parents[i]] >= 0:
                    if planes.size > 0:
                        place = i - offsets[v]
                        planes[to], shifts[to], bits[to] = place >> 6, place & 63, number[parents[i]]
                    to += 1
            entry_first[j + 1] = to
        for j in range(first[c], first[c + 1]):
            number[members[j]] = -1


@inner_borrowing_kernel
def find_levels(rows, pool, j, found):
    """
    Write the number of the level of each row of the member at position j, and return the number of rows.

    rows : (begin, base, words)   row masks
    found : uint8[...]   written
    """
    begin, base, words = rows
    _, members, entry_first, planes, shifts, bits, code_first, codes, _, _, _ = pool
    v = members[j]
    size = begin[v + 1] - begin[v]
    for i in range(size):
        found[i] = 0
    for entry in range(entry_first[j], entry_first[j + 1]):
        start = base[v] + planes[entry] * size
        plane = words[start : start + size]  # loops over a slice need no test for negative indices
        shift, bit = np.uint64(shifts[entry]), np.uint64(bits[entry])
        for i in range(size):
            found[i] |= np.uint8((plane[i] >> shift & np.uint64(1)) << bit)
    own = codes[code_first[j] :]
    for i in range(size):
        found[i] = own[found[i]]
    return size


@kernel
def add_penalties(rows, pool, multipliers, cut, max_work, costs, found):
    """
    Add the multipliers times the coefficients to the costs of rows, and return the next cut.

    cut : the first cut; the call ends after about `max_work` rows
    costs : float64[...]   changed
    found : uint8[...]     scratch, as large as the largest number of rows of a variable
    """
    begin = rows[0]
    first, members, level_first, levels = pool[0], pool[1], pool[8], pool[9]
    work = np.int64(0)
    while cut < multipliers.size and work < max_work:
        multiplier = multipliers[cut]
        if multiplier > 0.0:
            own_levels = levels[level_first[cut] : level_first[cut + 1]]
            for j in range(first[cut], first[cut + 1]):
                size = find_levels(rows, pool, j, found)
                start = begin[members[j]]
                own = costs[start : start + size]
                for i in range(size):
                    own[i] += multiplier * own_levels[found[i]]
                work += size
        cut += 1
    return cut


@inner_borrowing_kernel
def compute_excess(sums, size, levels, factors, limit):
    """
    Return the expected sum of the coefficients, less the limit, and the derivative by the negative exponent.

    sums : float64[members, levels]   weights of each member's rows, by level
    factors : float64[levels]   the factor of the weights of each level
    """
    excess, slope = -limit, 0.0
    for i in range(size):
        total = mean = square = 0.0
        for k in range(levels.size):
            weight = sums[i, k] * factors[k]
            total += weight
            mean += weight * levels[k]
            square += weight * levels[k] * levels[k]
        if total > 0.0:
            mean /= total
            excess += mean
            slope += square / total - mean * mean
    return excess, slope


@inner_borrowing_kernel
def find_exponent(sums, size, levels, limit, least, largest, factors):
    """
    Return the change of a multiplier, in temperatures, for which the expected sum of coefficients is the limit.

    The sum decreases with the change. The result is between `least` and `largest`.

    factors : float64[levels]   written: the factors of the weights
    """
    low, high, x = least, largest, min(max(0.0, least), largest)
    for iteration in range(MAX_ITERATIONS):
        for k in range(levels.size):
            factors[k] = math.exp(-x * levels[k])
        excess, slope = compute_excess(sums, size, levels, factors, limit)
        if abs(excess) <= PRECISION * limit or (excess < 0.0 and x <= least) or (excess > 0.0 and x >= largest):
            break
        if excess > 0.0:
            low = x
        else:
            high = x
        step = x + excess / slope if slope > 0.0 else (largest if excess > 0.0 else least)
        step = min(max(step, least), largest)
        is_inside = low < step < high or (step == least and low == least) or (step == largest and high == largest)
        x = step if is_inside and iteration % 8 != 7 else 0.5 * (low + high)
    return x


@inner_borrowing_kernel
def sum_by_level(found, weights, n_levels, sums):
    """Write the sums of the weights of each level; sums : float64[levels]."""
    for k in range(n_levels):
        sums[k] = 0.0
    for i in range(weights.size):
        sums[found[i]] += weights[i]


@inner_borrowing_kernel
def multiply_by_level(found, factors, sums, n_levels, weights):
    """Multiply the weights of a member's rows by the factors of their levels."""
    total = 0.0
    for k in range(n_levels):
        total += sums[k] * factors[k]
    for i in range(weights.size):
        weights[i] *= factors[found[i]]
    if total > MAX_TOTAL or total < 1.0 / MAX_TOTAL:
        scale_weights(weights)


@kernel
def ascend_locally(rows, pool, sequence, at, max_work, temperature, weights, multipliers, limits, scratch):
    """
    Make a coordinate step for each cut of a sequence, and return the next place in it and the number of rows read.

    sequence : int64[...]      cuts
    at : the first place; the call ends after about `max_work` rows
    weights : float64[...]     changed
    multipliers : float64[m]   changed
    limits : (float64[m], float64[m])   least and largest multipliers
    scratch : (uint8[rows], float64[members, levels], float64[levels])
    """
    low, high = limits
    found, sums, factors = scratch
    begin = rows[0]
    first, members, level_first, levels, bounds = pool[0], pool[1], pool[8], pool[9], pool[10]
    work = np.int64(0)
    while at < sequence.size and work < max_work:
        c = sequence[at]
        at += 1
        own_levels = levels[level_first[c] : level_first[c + 1]]
        size = first[c + 1] - first[c]
        used = np.int64(0)
        for i in range(size):
            v = members[first[c] + i]
            count = find_levels(rows, pool, first[c] + i, found[used:])
            sum_by_level(found[used:], weights[begin[v] : begin[v + 1]], own_levels.size, sums[i])
            used += count
        work += 2 * used
        least, largest = (low[c] - multipliers[c]) / temperature, (high[c] - multipliers[c]) / temperature
        x = find_exponent(sums, size, own_levels, bounds[c], least, largest, factors)
        multipliers[c] = min(max(multipliers[c] + temperature * x, low[c]), high[c])
        used = np.int64(0)
        for i in range(size if x != 0.0 else 0):
            v = members[first[c] + i]
            own = weights[begin[v] : begin[v + 1]]
            multiply_by_level(found[used:], factors, sums[i], own_levels.size, own)
            used += own.size
    return at, work
