"""
The computation of extension rows.

The extension row of a child x with parents S lists every further parent that improves the local score, and its gain.

A *narrow* row lists only those among the promising candidates: the ones that improve x with S without one parent, as
far as the cache has these rows. A candidate that improves a family with two parents or more nearly always improves it
without one of them, too, and on wide tables few variables are promising. If the cache has none of these rows, all
variables are promising; but where rows of one parent are narrow, too, those that improve x alone.

`source` holds the problem from which rows are computed. Variables are numbered by place, as in counting.Columns:

columns : the fields of Columns, a plain tuple
joint_terms : the terms of a family's whole set
parent_terms : the terms of the parents, stacked for the classes of children: function, a[C], slope[C], regret, rows,
    products, constants[C, R], table[C, R, L]
child_class : int64[n]      class of each variable as a child
related : uint64[n, W]      bits of the variables that are related to each variable: one improves the other's score
allowed : uint64[n, W]      bits of the allowed parents of each variable
hashes : uint64[2, n]       random numbers of each variable as a parent and as a child; the hash of a family is the
    exclusive or of those of its members (Zobrist hashing)
entropy : float64[n]        upper bound on the gain in fit by a parent: its entropy times the number of rows
penalty : float64[1]        penalty for one parameter; 0 for scores without such a penalty
empty_begin, empty_candidate, empty_gain, empty_score : the rows of children without parents, one after the other
pool, scores, parents : int64[n], float64[n], int64[n]   scratch
unfinished : int64[3]       an extension row of which only a part is computed: its key, 0 if there is none;
    number of candidates in `pool`; number of those that have their score in `scores`
scratch : scratch of score_extensions
wanted : uint64[W]          scratch; bits of the candidates of the row that is being computed

`rows` as in kernels_row_cache.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES
from bnsearch.counting.kernels_expand import extend_family, score_family
from bnsearch.counting.kernels_terms import terms_of_parents
from bnsearch.kernels.bits import set_bit
from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inlined_kernel, inner_borrowing_kernel, inner_kernel, noinline_kernel
from bnsearch.kernels.sorting import sort_by_score
from bnsearch.ondemand.kernels_peers import copy_from_peers
from bnsearch.ondemand.kernels_row_cache import (
    BATCH,
    BEGIN,
    CANDIDATE,
    COMPUTED,
    COUNT,
    EVALUATIONS,
    HEAD,
    IS_NARROW,
    IS_REFUSED,
    NARROW_FROM,
    PEERS,
    STOP,
    find_cached,
    write_row,
)
from bnsearch.scores.score import TOLERANCE

(
    COLUMNS, JOINT_TERMS, PARENT_TERMS, CHILD_CLASS, RELATED, ALLOWED, HASHES, ENTROPY, PENALTY,
    EMPTY_BEGIN, EMPTY_CANDIDATE, EMPTY_GAIN, EMPTY_SCORE, POOL, SCORES, PARENTS, UNFINISHED, SCRATCH, WANTED,
) = range(19)  # fmt: skip
FAMILY, NUMBER, DONE = range(3)  # indices into `unfinished`
AS_PARENT, AS_CHILD = 0, 1  # indices into `hashes`


@inlined_kernel
def hash_family(source, child, members, size):
    """Return the hash of a child and its parents."""
    hashes = source[HASHES]
    family_hash = hashes[AS_CHILD, child]
    for i in range(size):
        family_hash ^= hashes[AS_PARENT, members[i]]
    return family_hash


@inlined_kernel
def may_be_narrow(rows, size):
    """Return True if the row of a family with some parents may be narrow."""
    narrow_from = rows[HEAD][NARROW_FROM]
    return narrow_from > 0 and size >= narrow_from


@inner_kernel
def collect_promising(source, rows, child, members, size, family_hash):
    """
    Write the promising candidates of a family with parents into `wanted`; return False if these are all variables.

    They are the entries of the cached rows of the family without one of its parents.
    """
    wanted, candidate, narrow_from = source[WANTED], rows[CANDIDATE], rows[HEAD][NARROW_FROM]
    wanted[:] = 0
    is_found = False
    for m in range(size if size > 1 else 0):
        slot = find_cached(rows, family_hash ^ source[HASHES][AS_PARENT, members[m]], size > narrow_from)
        if slot >= 0:
            is_found = True
            begin = rows[BEGIN][slot] % candidate.size
            for i in range(begin, begin + rows[COUNT][slot]):
                set_bit(wanted, np.int64(candidate[i]))
    if not is_found and narrow_from == 1:
        is_found = True
        for i in range(source[EMPTY_BEGIN][child], source[EMPTY_BEGIN][child + 1]):
            set_bit(wanted, np.int64(source[EMPTY_CANDIDATE][i]))
    if not is_found:
        wanted[:] = ~np.uint64(0)
    return is_found


@inner_kernel
def list_candidates(source, child, members, size, score):
    """
    Write the variables that may improve a family into the pool; return their number.

    These are the allowed parents among those in `wanted`. Under BIC and AIC a further parent z adds at most its entropy
    to the fit, and no more than what the fit lacks. Variables whose penalty is not below both bounds are left out.
    """
    arities, entropy, price = source[COLUMNS][ARITIES], source[ENTROPY], source[PENALTY][0]
    allowed, pool, wanted = source[ALLOWED], source[POOL], source[WANTED]
    parameters = arities[child] - 1.0
    for i in range(size):
        parameters *= arities[members[i]]
    lacking = -(score + price * parameters)
    number = 0
    for w in range(allowed.shape[1]):
        left = allowed[child, w] & wanted[w]
        for i in range(size):
            if members[i] >> 6 == w:
                left &= ~(np.uint64(1) << np.uint64(members[i] & 63))
        z = w * 64
        while left:
            if left & np.uint64(1):
                penalty = price * parameters * (arities[z] - 1.0)
                if price == 0.0 or (entropy[z] > penalty and lacking > penalty):
                    pool[number] = z
                    number += 1
            left >>= np.uint64(1)
            z += 1
    return number


@inlined_kernel
def is_stopped(head):
    """Return True if no further local scores are to be computed in this call."""
    return head[STOP] > 0 and head[EVALUATIONS] >= head[STOP]


@inner_kernel
def score_candidates(source, head, child, members, size, key):
    """
    Score a family and its extensions by the variables that may improve it.

    With many rows this takes long. So it may stop after a part of the extensions, and continues at the next call for
    the same family.

    Returns the score of the family and the number of improving extensions, -1 if not all were scored. The pool then
    holds the variables of the improving extensions, best first, and `scores` their scores.
    """
    columns, pool, scores, parents = source[COLUMNS], source[POOL], source[SCORES], source[PARENTS]
    unfinished = source[UNFINISHED]
    for i in range(size):
        parents[i] = members[i]
    parent_terms = terms_of_parents(source[PARENT_TERMS], source[CHILD_CLASS][child])
    while True:
        score = score_family(columns, child, parents[:size], source[JOINT_TERMS], parent_terms, source[SCRATCH], scores)
        head[EVALUATIONS] += 1
        if unfinished[FAMILY] != np.int64(key):
            unfinished[FAMILY] = np.int64(key)
            unfinished[NUMBER] = list_candidates(source, child, members, size, score)
            unfinished[DONE] = 0
        first, number = unfinished[DONE], unfinished[NUMBER]
        stop = min(number, first + head[BATCH]) if head[BATCH] > 0 else number
        if stop > first:
            extend_family(
                columns, child, parents[:size], pool[first:stop], source[JOINT_TERMS], parent_terms, source[SCRATCH],
                scores[first:stop],
            )  # fmt: skip
        head[EVALUATIONS] += stop - first
        unfinished[DONE] = stop
        if stop == number:
            break
        if is_stopped(head):
            return score, np.int64(-1)
    unfinished[FAMILY] = 0
    kept = np.int64(0)
    for i in range(number):
        if improves_on(scores[i], score, TOLERANCE):
            scores[kept] = scores[i]
            pool[kept] = pool[i]
            kept += 1
    sort_by_score(pool, scores, kept)
    return score, kept


@inner_kernel
def copy_empty_row(source, child):
    """Do the same as `score_candidates` for a child without parents, from the rows in `source`."""
    begin, stop = source[EMPTY_BEGIN][child], source[EMPTY_BEGIN][child + 1]
    score = source[EMPTY_SCORE][child]
    for i in range(begin, stop):
        source[POOL][i - begin] = source[EMPTY_CANDIDATE][i]
        source[SCORES][i - begin] = score + source[EMPTY_GAIN][i]
    return score, stop - begin


@noinline_kernel
def fill_row(source, rows, child, members, size, family_hash):
    """
    Compute a row, or copy it from a peer, and return its slot.

    The slot is -1, and `head` notes it, if the row was not computed because this call has computed enough scores.
    """
    pool, scores, head = source[POOL], source[SCORES], rows[HEAD]
    key = family_hash
    if not may_be_narrow(rows, size):
        source[WANTED][:] = ~np.uint64(0)
    elif collect_promising(source, rows, child, members, size, family_hash):
        key = family_hash ^ IS_NARROW
    if source[UNFINISHED][FAMILY] != np.int64(key):
        source[UNFINISHED][FAMILY] = 0  # what follows may overwrite the pool and the scores
        if size > 0:
            score, kept = copy_from_peers(rows[PEERS], family_hash, pool, scores)
            if kept >= 0:
                return write_row(rows, family_hash, score, pool, scores, kept)
            if key != family_hash:
                score, kept = copy_from_peers(rows[PEERS], key, pool, scores)
                if kept >= 0:
                    return write_row(rows, key, score, pool, scores, kept)
    if size > 0:
        score, kept = np.nan, np.int64(-1)
        if not is_stopped(head):
            score, kept = score_candidates(source, head, child, members, size, key)
        if kept < 0:
            head[IS_REFUSED] = 1
            return np.int64(-1)
        head[COMPUTED] += 1
    else:
        score, kept = copy_empty_row(source, child)
    for i in range(kept):
        scores[i] -= score
    return write_row(rows, key, score, pool, scores, kept)


@inner_borrowing_kernel
def find_row(source, rows, child, members, size):
    """Return the slot of the row of a child and its parents, -1 if it is neither cached nor computed (`fill_row`)."""
    family_hash = hash_family(source, child, members, size)
    slot = find_cached(rows, family_hash, may_be_narrow(rows, size))
    if slot < 0:
        slot = fill_row(source, rows, child, members, size, family_hash)
    return slot
