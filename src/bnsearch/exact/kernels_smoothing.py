"""
Kernels of smoothed dual ascent: exact coordinate steps of a smoothed bound.

The bound takes the minimum of each variable's reduced costs, so coordinate steps stop at points where no single
multiplier improves it. The smoothed bound replaces min c by -T log sum exp(-c / T) with a temperature T. Each variable
then has a probability for each row, proportional to the weight exp(-c / T). A coordinate step changes a multiplier so
that the probabilities of the rows of its inequality sum to its order.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnsearch.exact.kernels_clusters import count_inside
from bnsearch.kernels.compile import inner_borrowing_kernel, kernel

MAX_TOTAL = 1e50  # the weights of a variable are scaled if their sum leaves this range
MAX_ITERATIONS = 30
PRECISION = 1e-6  # of the sum of probabilities


@inner_borrowing_kernel
def sum_weights(counts, order, weights):
    """Return the sum of the weights of a member's rows in an inequality, and that of its other rows."""
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0  # four partial sums: additions to one sum wait for each other
    quarters = weights.size >> 2
    for q in range(quarters):
        i = 4 * q
        w0, w1, w2, w3 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        in0, in1, in2, in3 = counts[i] < order, counts[i + 1] < order, counts[i + 2] < order, counts[i + 3] < order
        a0 += w0 if in0 else 0.0
        a1 += w1 if in1 else 0.0
        a2 += w2 if in2 else 0.0
        a3 += w3 if in3 else 0.0
        b0 += 0.0 if in0 else w0
        b1 += 0.0 if in1 else w1
        b2 += 0.0 if in2 else w2
        b3 += 0.0 if in3 else w3
    for i in range(4 * quarters, weights.size):
        if counts[i] < order:
            a0 += weights[i]
        else:
            b0 += weights[i]
    return a0 + a1 + (a2 + a3), b0 + b1 + (b2 + b3)


@inner_borrowing_kernel
def find_factor(inside, outside, size, order, least, largest):
    """
    Return the factor x from `least` to `largest` for which the sum of inside * x / (inside * x + outside) is the order.

    The sum increases with x and is concave, so Newton's method converges from below.
    """
    ratios = 0.0
    for i in range(size):
        ratios += inside[i] / outside[i] if outside[i] > 0.0 else np.inf
    if not ratios > 0.0:
        return 1.0
    x = min(max(order / ratios, least), largest)
    for _ in range(MAX_ITERATIONS):
        missing, slope = float(order), 0.0
        for i in range(size):
            total = inside[i] * x + outside[i]
            if total > 0.0:
                missing -= inside[i] * x / total
                slope += inside[i] * outside[i] / (total * total)
        if missing <= PRECISION or not slope > 0.0 or x >= largest:
            break
        x += missing / slope
    return min(x, largest)


@kernel
def ascend(rows, pool, sequence, at, max_work, temperature, weights, multipliers, limits, scratch):
    """
    Make a coordinate step for each cluster of a sequence, and return the next place in it and the number of rows read.

    rows : (begin, base, words)   row masks
    sequence : int64[...]      clusters
    at : the first place; the call ends after about `max_work` rows
    weights : float64[...]     changed
    multipliers : float64[m]   changed
    limits : (float64[m], float64[m])   least and largest multipliers
    scratch : (uint64[rows], float64[n], float64[n])
    """
    low, high = limits
    counts, inside, outside = scratch
    begin = rows[0]
    first, members, orders = pool[0], pool[1], pool[5]
    work = np.int64(0)
    while at < sequence.size and work < max_work:
        c = sequence[at]
        at += 1
        order = np.uint64(orders[c])
        size = first[c + 1] - first[c]
        used = np.int64(0)
        for i in range(size):
            j = first[c] + i
            start = begin[members[j]]
            own = count_inside(rows, pool, j, orders[c], counts[used:])
            inside[i], outside[i] = sum_weights(counts[used:], order, weights[start : start + own])
            used += own
        work += used
        least = math.exp((low[c] - multipliers[c]) / temperature)
        largest = math.exp((high[c] - multipliers[c]) / temperature)
        factor = find_factor(inside, outside, size, orders[c], least, largest)
        if factor == 1.0:
            continue
        changed = multipliers[c] + temperature * math.log(factor)
        multipliers[c] = min(changed, high[c]) if factor > least and changed > low[c] else low[c]
        used = np.int64(0)
        for i in range(size):
            v = members[first[c] + i]
            own = weights[begin[v] : begin[v + 1]]
            multiply_weights(counts[used:], order, factor, own)
            total = inside[i] * factor + outside[i]
            if total > MAX_TOTAL or total < 1.0 / MAX_TOTAL:
                scale_weights(own)
            used += own.size
    return at, work


@inner_borrowing_kernel
def multiply_weights(counts, order, factor, weights):
    """Multiply the weights of a member's rows in an inequality by a factor."""
    for i in range(weights.size):
        weights[i] *= factor if counts[i] < order else 1.0


@inner_borrowing_kernel
def scale_weights(weights):
    """Divide weights by their sum."""
    total = 0.0
    for i in range(weights.size):
        total += weights[i]
    for i in range(weights.size):
        weights[i] /= total


@kernel
def compute_weights(begin, chosen, costs, temperature, weights):
    """
    Write the weights of rows; those of a variable sum to 1.

    begin : int64[n + 1]      rows that are taken into account
    chosen : int64[...]       their numbers in the table
    costs : float64[...]      reduced costs of all rows of the table
    weights : float64[...]    written
    """
    for i in range(chosen.size):
        weights[i] = math.exp(-costs[chosen[i]] / temperature)
    scale_all_weights(begin, weights)


@kernel
def scale_all_weights(begin, weights):
    """Divide the weights of each variable by their sum."""
    for v in range(begin.size - 1):
        scale_weights(weights[begin[v] : begin[v + 1]])
