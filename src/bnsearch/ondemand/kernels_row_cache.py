"""
A cache of extension rows.

`rows` is the cache. Rows lie in a ring of entries, and a new row overwrites the oldest ones.

key : uint64[slots]         hash of (x, S), with the bit IS_NARROW flipped for a narrow row; 0 in an empty slot. WAYS
    slots share an address
begin : int64[slots]        index of the row's first entry, counted over all entries ever written
count : int64[slots]        number of entries of the row
family_score : float64[slots]   local score of x with S
candidate, gain : int32[ring], float64[ring]   the variables that improve the score, best first, and their gains
head : int64[8]             numbers of entries written, of rows computed and of local scores computed; the number of
    computed local scores from which on growth is cut short; the number from which on no row is computed, 0 for none;
    1 if a row was needed and not computed for this reason; number of scores of a row that are computed at once, 0 for
    all; smallest number of parents of a narrow row, 0 if no row is narrow
peers : the caches of all chains, as in kernels_peers
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inlined_kernel, inner_kernel, kernel
from bnsearch.ondemand.kernels_peers import ENTRIES, WAYS, fence

KEY, BEGIN, COUNT, FAMILY_SCORE, CANDIDATE, GAIN, HEAD, PEERS = range(8)
COMPUTED, EVALUATIONS, LIMIT, STOP, IS_REFUSED, BATCH, NARROW_FROM = range(1, 8)  # indices into `head`, after ENTRIES
IS_NARROW = np.uint64(1 << 63)  # not one of the bits that give the address, so that both rows of a family share it


@inlined_kernel
def find_cached(rows, family_hash, may_be_narrow):
    """Return the slot of a row, or -1 if it is not in the cache."""
    key, begin, head = rows[KEY], rows[BEGIN], rows[HEAD]
    narrow_hash = family_hash ^ IS_NARROW if may_be_narrow else family_hash
    at = np.int64(family_hash & np.uint64(key.size - WAYS))
    oldest = head[ENTRIES] - rows[CANDIDATE].size
    for slot in range(at, at + WAYS):
        if (key[slot] == family_hash or key[slot] == narrow_hash) and begin[slot] >= oldest:
            return slot
    return np.int64(-1)


@inlined_kernel
def choose_slot(rows, family_hash):
    """Return the slot for a new row: an empty one, or that of the oldest row at its address."""
    begin = rows[BEGIN]
    at = np.int64(family_hash & np.uint64(begin.size - WAYS))
    chosen = at
    for way in range(1, WAYS):
        if begin[at + way] < begin[chosen]:
            chosen = at + way
    return chosen


@inner_kernel
def write_row(rows, row_key, score, pool, gains, kept):
    """
    Write a row into the cache and return its slot.

    Other chains may read the cache at the same time. Therefore the entries to be overwritten are released first, the
    slot has no key while it is written, and the fences keep these stores in order.
    """
    key, begin, count, family_score = rows[KEY], rows[BEGIN], rows[COUNT], rows[FAMILY_SCORE]
    candidate, gain, head = rows[CANDIDATE], rows[GAIN], rows[HEAD]
    ring, first = candidate.size, head[ENTRIES]
    at = first % ring
    if at + kept > ring:  # a row does not wrap around
        first += ring - at
        at = 0
    slot = choose_slot(rows, row_key)
    head[ENTRIES] = first + max(kept, 1)  # so that an empty row gets old, too
    key[slot] = 0
    fence()
    begin[slot] = first
    count[slot] = kept
    family_score[slot] = score
    for i in range(kept):
        candidate[at + i] = pool[i]
        gain[at + i] = gains[i]
    fence()
    key[slot] = row_key
    return slot


@kernel
def copy_rows(rows, larger):
    """Copy the rows of a cache into a larger, empty one; a row that would wrap around in it is left out."""
    for i in range(rows[HEAD].size):
        larger[HEAD][i] = rows[HEAD][i]
    ring, larger_ring = rows[CANDIDATE].size, larger[CANDIDATE].size
    for old in range(rows[KEY].size):
        begin, count = rows[BEGIN][old], rows[COUNT][old]
        at, to = begin % ring, begin % larger_ring
        if not rows[KEY][old] or begin < max(0, rows[HEAD][ENTRIES] - ring) or to + count > larger_ring:
            continue
        new = choose_slot(larger, rows[KEY][old])
        larger[KEY][new] = rows[KEY][old]
        larger[BEGIN][new] = begin
        larger[COUNT][new] = count
        larger[FAMILY_SCORE][new] = rows[FAMILY_SCORE][old]
        for i in range(count):
            larger[CANDIDATE][to + i] = rows[CANDIDATE][at + i]
            larger[GAIN][to + i] = rows[GAIN][at + i]
