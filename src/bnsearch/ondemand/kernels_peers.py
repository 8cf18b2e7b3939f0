"""
Extension rows that other chains have computed: each chain writes to its own cache and reads those of all others.

`peers` holds the caches of all chains, one row of each array for each chain, and the index of the reading chain:

key, begin, count, family_score : [chains, slots]   as in kernels_row_cache
candidate, gain : [chains, ring]
head : int64[chains, 8]                             a cache line of the processor for each chain
reader : int64[1]

There is no lock. A reader copies a row and then checks the copy: it is valid if the slot still has the same key and the
same beginning, and if the entries have not been released since. No two rows of a chain have the same beginning, because
that is counted over all entries ever written.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from bnsearch.kernels.compile import inner_kernel

KEY, BEGIN, COUNT, FAMILY_SCORE, CANDIDATE, GAIN, HEAD, READER = range(8)
ENTRIES = 0  # index of the number of entries written in `head`; the others are in kernels_row_cache
WAYS = 4  # number of slots that share an address


@intrinsic
def fence(_):
    """Keep the order of memory accesses before and after this call, for the compiler and the processor."""

    def emit(_context, builder, _signature, _arguments):
        builder.fence("seq_cst")

    return types.void(), emit


@inner_kernel
def copy_from_peers(peers, family_hash, pool, gains):
    """
    Copy a row from another chain's cache: its candidates into `pool`, their gains into `gains`.

    Returns the score of the family and the number of candidates; the number is -1 if no other chain has the row.
    """
    keys, begins, counts, scores = peers[KEY], peers[BEGIN], peers[COUNT], peers[FAMILY_SCORE]
    candidates, added, heads = peers[CANDIDATE], peers[GAIN], peers[HEAD]
    at = np.int64(family_hash & np.uint64(keys.shape[1] - WAYS))
    ring = candidates.shape[1]
    for peer in range(keys.shape[0]):
        if peer == peers[READER][0]:
            continue
        for slot in range(at, at + WAYS):
            if keys[peer, slot] != family_hash:
                continue
            fence()
            begin, count, score = begins[peer, slot], counts[peer, slot], scores[peer, slot]
            first = begin % ring
            if begin < heads[peer, ENTRIES] - ring or count < 0 or count > pool.size or first + count > ring:
                continue
            for i in range(count):
                pool[i] = candidates[peer, first + i]
                gains[i] = added[peer, first + i]
            fence()
            if keys[peer, slot] == family_hash and begins[peer, slot] == begin and begin >= heads[peer, ENTRIES] - ring:
                return score, count
    return 0.0, np.int64(-1)
