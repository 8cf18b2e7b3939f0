"""All families of one size, from the values of sets."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import kernel


@kernel
def best_of_size(size, top, binomial, joint, parents, class_of, scores, ranks):
    """
    Score every family over a set of one size with largest place `top`; keep each child's best.

    Sets are visited as a prefix of descending places and every smaller place x, so all ranks increase with x by one.

    binomial : int64[places + 1, size + 1]
    joint : float64[sets of the size]                  by rank
    parents : float64[classes, sets of one size less]  by rank
    class_of : int64[places]       class of each child
    scores : float64[places]       best scores so far; changed
    ranks : int64[places]          ranks of the sets of these scores; changed
    """
    d = size - 1
    place = np.empty(d, np.int64)
    place[0] = top
    for t in range(1, d):
        place[t] = d - 1 - t  # the smallest prefix under the top
    while True:
        last = place[d - 1]
        whole = np.int64(0)
        alone = np.int64(0)
        for t in range(d):
            whole += binomial[place[t], size - t]
            alone += binomial[place[t], d - t]
        for x in range(last):
            score = joint[whole + x] - parents[class_of[x], alone]
            if score > scores[x]:
                scores[x] = score
                ranks[x] = whole + x
        for i in range(d):  # the child is the i-th place of the prefix, and the other places are parents
            base = np.int64(0)
            for t in range(i):
                base += binomial[place[t], d - t]
            for t in range(i + 1, d):
                base += binomial[place[t], d - t + 1]
            child = place[i]
            row = parents[class_of[child]]
            best = scores[child]
            for x in range(last):
                score = joint[whole + x] - row[base + x]
                if score > best:
                    best = score
                    ranks[child] = whole + x
            scores[child] = best
        t = d - 1
        while t > 0 and place[t] + 1 == place[t - 1]:
            t -= 1
        if t == 0:
            return
        place[t] += 1
        for u in range(t + 1, d):
            place[u] = d - 1 - u
