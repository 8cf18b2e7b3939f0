"""
The state of a chain: an ordering and a network consistent with it, what a step has changed, and the best so far.

`chain` is

order, position : int32[n]    the variables from first to last, and where each stands
member : int32[n, P]          each variable's parents, ascending
size, score : int64[n], float64[n]
saved_member, saved_size, saved_score   the same before this step, of the variables that it has changed
best_order, best_member, best_size      the best network so far
log, stamp : int32[n], int64[n]   variables that this step has changed, and the step that last changed each
counts : int64[3]             steps done; length of `log`; whether any parent is required
totals : float64[3]           the scores of the network and of the best one; the loss up to which a step is accepted
random : uint64[1]
looked : int64[1]             entries of rows and families looked at so far
work, spare : int32[P]        scratch
required : uint64[n, W]       bits of the parents that each variable must have
limits : int64[n]             the most parents of each
prefix : uint64[n + 1]        for each position the word of the set of variables before it
seen : uint64[...]            words of a variable and of the set before it, for which parents were grown; a power of two
relatives, begin : int32[...], int64[n + 1]   the relatives of variable v are relatives[begin[v]:begin[v + 1]]
best_score : float64[n]       the local scores of the best network
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inlined_kernel, kernel
from bnsearch.scores.score import TOLERANCE

(
    ORDER, POSITION, MEMBER, SIZE, SCORE, SAVED_MEMBER, SAVED_SIZE, SAVED_SCORE, BEST_ORDER, BEST_MEMBER, BEST_SIZE,
    LOG, STAMP, COUNTS, TOTALS, RANDOM, LOOKED, WORK, SPARE, REQUIRED, LIMITS, PREFIX, SEEN, RELATIVES,
    RELATIVES_BEGIN, BEST_SCORE,
) = range(26)  # fmt: skip
STEPS, LOGGED, CONSTRAINED = 0, 1, 2
CURRENT, BEST, THRESHOLD = 0, 1, 2


@inlined_kernel
def copy_family(members, sizes, scores, child, to_members, to_sizes, to_scores):
    """
    Copy the parents and the score of a variable.

    members, sizes, scores : int32[n, P], int64[n], float64[n]   as of a chain; to_... the same, written
    """
    to_sizes[child] = sizes[child]
    to_scores[child] = scores[child]
    for i in range(sizes[child]):
        to_members[child, i] = members[child, i]


@inlined_kernel
def save(chain, child):
    """Save a variable's parents, once in a step."""
    stamp, counts, log = chain[STAMP], chain[COUNTS], chain[LOG]
    if stamp[child] != counts[STEPS]:
        stamp[child] = counts[STEPS]
        log[counts[LOGGED]] = child
        counts[LOGGED] += 1
        copy_family(
            chain[MEMBER], chain[SIZE], chain[SCORE], child,
            chain[SAVED_MEMBER], chain[SAVED_SIZE], chain[SAVED_SCORE],
        )  # fmt: skip


@inlined_kernel
def restore(chain):
    """Give the variables that this step has changed the parents that were saved."""
    for i in range(chain[COUNTS][LOGGED]):
        copy_family(
            chain[SAVED_MEMBER], chain[SAVED_SIZE], chain[SAVED_SCORE], np.int64(chain[LOG][i]),
            chain[MEMBER], chain[SIZE], chain[SCORE],
        )  # fmt: skip


@inlined_kernel
def adopt(chain, child, members, size, score):
    """Give a variable new parents; return the change of its score."""
    save(chain, child)
    change = score - chain[SCORE][child]
    chain[SCORE][child] = score
    chain[SIZE][child] = size
    for i in range(size):
        chain[MEMBER][child, i] = members[i]
    return change


@inlined_kernel
def keep_best(chain):
    """Copy the network if it is the best so far."""
    totals = chain[TOTALS]
    if totals[BEST] == -np.inf or improves_on(totals[CURRENT], totals[BEST], TOLERANCE):
        totals[BEST] = totals[CURRENT]
        for v in range(chain[ORDER].size):
            chain[BEST_ORDER][v] = chain[ORDER][v]
            copy_family(
                chain[MEMBER], chain[SIZE], chain[SCORE], v,
                chain[BEST_MEMBER], chain[BEST_SIZE], chain[BEST_SCORE],
            )  # fmt: skip


@kernel
def keep_network(chain):
    """Copy the network if it is the best so far."""
    keep_best(chain)
