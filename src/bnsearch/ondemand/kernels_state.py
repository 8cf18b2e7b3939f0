"""
The state of a chain: an ordering and a network consistent with it, the changes of a step, and the best network so far.

`chain` is

order, position : int32[n]    the variables from first to last, and the position of each variable
member : int32[n, P]          parents of each variable, ascending
size, score : int64[n], float64[n]      number of parents and local score of each variable
saved_member, saved_size, saved_score   the same before this step, for the variables that the step has changed
best_order, best_member, best_size      the best network so far
log, stamp : int32[n], int64[n]   variables that this step has changed, and the last step that changed each variable
counts : int64[6]             number of steps; length of `log`; 1 if any parent is required; the variable and the
    position of an incomplete step that is taken next, -1 if there is none, and how often that step was tried
totals : float64[3]           scores of the network and of the best one; largest loss with which a step is accepted
random : uint64[1]            state of the random number generator
examined : int64[1]           number of entries of rows and of families examined so far
work, spare : int32[P]        scratch
required : uint64[n, W]       bits of the required parents of each variable
limits : int64[n]             largest number of parents of each variable
prefix_hash : uint64[n + 1]   hash of the set of variables before each position
seen : uint64[power of two]   hash table: hashes of a variable and its predecessor set for which parents were grown
relatives, relatives_begin : int32[...], int64[n + 1]   the variables related to variable v are
    relatives[relatives_begin[v]:relatives_begin[v + 1]]
best_score : float64[n]       local scores of the best network
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
    LOG, STAMP, COUNTS, TOTALS, RANDOM, EXAMINED, WORK, SPARE, REQUIRED, LIMITS, PREFIX_HASH, SEEN, RELATIVES,
    RELATIVES_BEGIN, BEST_SCORE,
) = range(26)  # fmt: skip
STEPS, LOGGED, CONSTRAINED, REPEATED, REPEATED_TO, N_REPEATED = range(6)
CURRENT, BEST, THRESHOLD = 0, 1, 2


@inlined_kernel
def copy_family(members, sizes, scores, child, to_members, to_sizes, to_scores):
    """
    Copy the parents and the score of a variable.

    members, sizes, scores : int32[n, P], int64[n], float64[n]
    to_members, to_sizes, to_scores : the same, written
    """
    to_sizes[child] = sizes[child]
    to_scores[child] = scores[child]
    for i in range(sizes[child]):
        to_members[child, i] = members[child, i]


@inlined_kernel
def save_parents(chain, child):
    """Save a variable's parents, unless this step has saved them already."""
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
def restore_parents(chain):
    """Restore the saved parents of the variables that this step has changed."""
    for i in range(chain[COUNTS][LOGGED]):
        copy_family(
            chain[SAVED_MEMBER], chain[SAVED_SIZE], chain[SAVED_SCORE], np.int64(chain[LOG][i]),
            chain[MEMBER], chain[SIZE], chain[SCORE],
        )  # fmt: skip


@inlined_kernel
def set_parents(chain, child, members, size, score):
    """Set the parents of a variable; return the change of its score."""
    save_parents(chain, child)
    change = score - chain[SCORE][child]
    chain[SCORE][child] = score
    chain[SIZE][child] = size
    for i in range(size):
        chain[MEMBER][child, i] = members[i]
    return change


@inlined_kernel
def update_best(chain):
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
def update_best_network(chain):
    """Copy the network if it is the best so far."""
    update_best(chain)
