"""
Rows that other chains have computed: each chain writes to its own cache and reads those of all others.

`peers` holds the caches of all chains, one row of each array for each chain, and the index of this one:

key, begin, count, own : [chains, slots]     as in kernels_rows
candidate, gain : [chains, ring]
head : int64[chains, 8]                      a cache line for each chain
own_index : int64[1]

No lock is held. A reader copies a row and then checks it: the copy is whole if the slot still has the same key and the
same beginning, and if the entries have not been given up since. No two rows of a chain have the same beginning, because
it is counted over all entries ever written.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from bnsearch.kernels.compile import inner_kernel

KEY, BEGIN, COUNT, OWN, CANDIDATE, GAIN, HEAD, OWN_INDEX = range(8)
WAYS = 4  # slots that share an address


@intrinsic
def fence(_):
    """Keep memory accesses before this in front of those behind it, for the compiler and the processor."""

    def emit(_context, builder, _signature, _arguments):
        builder.fence("seq_cst")

    return types.void(), emit


@inner_kernel
def copy_from_peers(peers, word, pool, gains):
    """
    Copy a row that another chain has: its candidates into `pool`, what they add into `gains`.

    Returns the score of the family and the number of candidates; -1 of them if no other chain has the row.
    """
    keys, begins, counts, scores = peers[KEY], peers[BEGIN], peers[COUNT], peers[OWN]
    candidates, added, heads = peers[CANDIDATE], peers[GAIN], peers[HEAD]
    at = np.int64(word & np.uint64(keys.shape[1] - WAYS))
    ring = candidates.shape[1]
    for peer in range(keys.shape[0]):
        if peer == peers[OWN_INDEX][0]:
            continue
        for slot in range(at, at + WAYS):
            if keys[peer, slot] != word:
                continue
            fence()
            begin, count, score = begins[peer, slot], counts[peer, slot], scores[peer, slot]
            first = begin % ring
            if begin < heads[peer, 0] - ring or count < 0 or count > pool.size or first + count > ring:
                continue
            for i in range(count):
                pool[i] = candidates[peer, first + i]
                gains[i] = added[peer, first + i]
            fence()
            if keys[peer, slot] == word and begins[peer, slot] == begin and begin >= heads[peer, 0] - ring:
                return score, count
    return 0.0, np.int64(-1)
