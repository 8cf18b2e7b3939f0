"""Kernels that enumerate the networks above a score, each once."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import kernel

DEPTH, COUNT = range(2)  # entries of `state`
LEFT, BARRED, CHOSEN, ROW = range(4)  # rows of `path`


@kernel
def enumerate_networks(begin, masks, scores, totals, threshold, max_steps, state, path, sums, found, found_scores):
    """
    Continue a depth-first enumeration of all networks whose score is at least `threshold`; return True at its end.

    Each network is built backwards: its sink with the highest number is removed, then that of the others, and so on.
    So each network is built in one way only. After the removal of v, a variable above v that is not a parent of v must
    not be a sink: it is *barred* until one of its children is removed.

    begin : int64[n + 1]        the parent sets of variable v are begin[v]:begin[v + 1], best first
    masks, scores : int64[...], float64[...]   members and local scores of the parent sets
    totals : float64[2^n]       the score of the best network of each set of variables
    max_steps : number of parent sets that are examined in this call
    state : int64[2]            DEPTH: number of removed variables; COUNT: number of networks so far; changed
    path : int64[4, n + 1]      by depth: LEFT: the variables left; BARRED: the barred ones; CHOSEN: the variable that
                                is removed; ROW: its next parent set. Changed; at the start, LEFT is the set of all
                                variables, BARRED is empty, CHOSEN is n - 1 and ROW is begin[n - 1]
    sums : float64[n + 1]       by depth: the score of the removed variables; changed
    found : int64[k, n]         written: the parent sets of the first k networks
    found_scores : float64[k]   written: their scores
    """
    n = begin.size - 1
    depth = state[DEPTH]
    steps = 0
    while depth >= 0:
        if depth == n:
            count = state[COUNT]
            if count < found_scores.size:
                for d in range(n):
                    found[count, path[CHOSEN, d]] = path[ROW, d] - 1
                found_scores[count] = sums[n]
            state[COUNT] += 1
            depth -= 1
            continue
        v = path[CHOSEN, depth]
        if v < 0:
            depth -= 1
            continue
        left = path[LEFT, depth]
        bit = np.int64(1) << v
        rest = left & ~bit
        row = path[ROW, depth]
        is_over = (left & bit) == 0 or (path[BARRED, depth] & bit) != 0
        if not is_over:
            least = threshold - sums[depth] - totals[rest]
            while row < begin[v + 1] and steps < max_steps and scores[row] >= least and (masks[row] & ~rest) != 0:
                row += 1
                steps += 1
            is_over = row == begin[v + 1] or scores[row] < least
        if is_over:
            path[CHOSEN, depth] = v - 1
            path[ROW, depth] = begin[v - 1] if v > 0 else 0
            steps += 1
        elif (masks[row] & ~rest) == 0:
            path[ROW, depth] = row + 1
            sums[depth + 1] = sums[depth] + scores[row]
            above = rest & ~(bit - 1)
            path[LEFT, depth + 1] = rest
            path[BARRED, depth + 1] = ((path[BARRED, depth] & ~bit) | above) & ~masks[row]
            path[CHOSEN, depth + 1] = n - 1
            path[ROW, depth + 1] = begin[n - 1]
            depth += 1
            steps += 1
        else:
            path[ROW, depth] = row
        if steps >= max_steps:
            break
    state[DEPTH] = depth
    return depth < 0
