"""
A cache of extension rows: for a child x and parents S, what each further variable that improves the score adds to it.

`source` is what a row is computed from; variables are places, as in counting.Columns:

columns : the fields of Columns, a plain tuple
joint : the terms of a family's whole set
others : the same of its parents, stacked for the classes of children: function, a[C], slope[C], regret, rows, products,
    constants[C, R], table[C, R, L]
classes : int64[n]          the class of each variable as a child
related : uint64[n, W]      bits of the variables that depend on each variable by itself
allowed : uint64[n, W]      bits of the parents that each variable may have
words : uint64[2, n]        random words of each variable as a parent and as a child
entropy : float64[n]        what a parent can add to the fit at most: its entropy times the number of rows
price : float64[1]          what one parameter costs; 0 where the score has no such penalty
first_begin, first_candidate, first_gain, first_own : the rows of children without parents, one behind the other
pool, scores, parents : int64[n], float64[n], int64[n]   scratch
scratch : as score_extensions wants it

`rows` is the cache itself. Rows lie in a ring of entries; a new row overwrites the oldest ones.

key : uint64[slots]         the word of (x, S); 0 where empty. WAYS slots share an address
begin : int64[slots]        where the row begins, counted over all entries ever written
count : int64[slots]        how many entries it has
own : float64[slots]        the score of x with S
candidate, gain : int32[ring], float64[ring]   the variables that improve the score, best first, and by how much
head : int64[8]             entries written, rows computed, local scores computed so far; how many of these last may be
    computed before growth is cut short
peers : the caches of all chains that share theirs, as in kernels_peers
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_expand import extend_family, score_family
from bnsearch.counting.kernels_terms import terms_of_parents
from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, inner_kernel, kernel
from bnsearch.ondemand.kernels_peers import WAYS, copy_from_peers, fence
from bnsearch.scores.score import TOLERANCE

(
    COLUMNS, JOINT, OTHERS, CLASSES, RELATED, ALLOWED, WORDS, ENTROPY, PRICE, FIRST_BEGIN, FIRST_CANDIDATE, FIRST_GAIN,
    FIRST_OWN, POOL, SCORES, PARENTS, SCRATCH,
) = range(17)  # fmt: skip
KEY, BEGIN, COUNT, OWN, CANDIDATE, GAIN, HEAD, PEERS = range(8)
ENTRIES, COMPUTED, EVALUATIONS, LIMIT = range(4)


@inlined_kernel
def word_of_family(source, child, members, size):
    """Return the word of a child and its parents."""
    words = source[WORDS]
    word = words[1, child]
    for i in range(size):
        word ^= words[0, members[i]]
    return word


@inlined_kernel
def lookup(rows, word):
    """Return the slot of a row that is still there, or -1."""
    key, begin, head = rows[KEY], rows[BEGIN], rows[HEAD]
    at = np.int64(word & np.uint64(key.size - WAYS))
    oldest = head[0] - rows[CANDIDATE].size
    for way in range(WAYS):
        if key[at + way] == word and begin[at + way] >= oldest:
            return at + way
    return np.int64(-1)


@inlined_kernel
def choose_slot(rows, word):
    """Return the slot that a new row takes: an empty one, or that of the oldest row at its address."""
    begin = rows[BEGIN]
    at = np.int64(word & np.uint64(begin.size - WAYS))
    chosen = at
    for way in range(1, WAYS):
        if begin[at + way] < begin[chosen]:
            chosen = at + way
    return chosen


@inner_kernel
def list_candidates(source, child, members, size, own):
    """
    Write the variables that may improve a family into the pool; return how many.

    These are all that the child may have. Under BIC and AIC a variable z adds at most its entropy to the fit, and no
    more than what the fit lacks, and costs a known penalty: hopeless ones are left out.
    """
    arities, entropy, price = source[COLUMNS][3], source[ENTROPY], source[PRICE][0]
    allowed, pool = source[ALLOWED], source[POOL]
    parameters = arities[child] - 1.0
    for i in range(size):
        parameters *= arities[members[i]]
    lacking = -(own + price * parameters)
    number = 0
    for w in range(allowed.shape[1]):
        left = allowed[child, w]
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


@inner_kernel
def sort_gains(pool, scores, number):
    """Sort candidates by their scores, best first, equal ones by place (Shell's sort)."""
    gap = 1
    while gap < number:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, number):
            score, z = scores[i], pool[i]
            j = i
            while j >= gap and (scores[j - gap] < score or (scores[j - gap] == score and pool[j - gap] > z)):
                scores[j] = scores[j - gap]
                pool[j] = pool[j - gap]
                j -= gap
            scores[j] = score
            pool[j] = z


@inner_kernel
def score_candidates(source, child, members, size):
    """
    Score a family and its extensions by the variables that may improve it.

    Returns its score, how many extensions were scored, and how many improve it; these stand in the pool, best first.
    """
    pool, scores, parents = source[POOL], source[SCORES], source[PARENTS]
    for i in range(size):
        parents[i] = members[i]
    others = terms_of_parents(source[OTHERS], source[CLASSES][child])
    own = score_family(source[COLUMNS], child, parents[:size], source[JOINT], others, source[SCRATCH], scores)
    number = list_candidates(source, child, members, size, own)
    if number > 0:
        extend_family(
            source[COLUMNS], child, parents[:size], pool[:number], source[JOINT], others, source[SCRATCH],
            scores[:number],
        )  # fmt: skip
    kept = 0
    for i in range(number):
        if improves_on(scores[i], own, TOLERANCE):
            scores[kept] = scores[i]
            pool[kept] = pool[i]
            kept += 1
    sort_gains(pool, scores, kept)
    return own, number, kept


@inner_kernel
def copy_first_row(source, child):
    """Do as `score_candidates` for a child without parents, from what is known."""
    begin, stop = source[FIRST_BEGIN][child], source[FIRST_BEGIN][child + 1]
    own = source[FIRST_OWN][child]
    for i in range(begin, stop):
        source[POOL][i - begin] = source[FIRST_CANDIDATE][i]
        source[SCORES][i - begin] = own + source[FIRST_GAIN][i]
    return own, np.int64(0), stop - begin


@inner_kernel
def write_row(rows, word, score, pool, gains, kept):
    """
    Write a row into the cache and return its slot.

    Other chains may read the cache meanwhile. So the entries to be overwritten are given up first, the slot has no key
    while it is written, and the fences keep these stores in order.
    """
    key, begin, count, own = rows[KEY], rows[BEGIN], rows[COUNT], rows[OWN]
    candidate, gain, head = rows[CANDIDATE], rows[GAIN], rows[HEAD]
    ring, first = candidate.size, head[ENTRIES]
    at = first % ring
    if at + kept > ring:  # a row does not wrap around
        first += ring - at
        at = 0
    slot = choose_slot(rows, word)
    head[ENTRIES] = first + max(kept, 1)  # an empty row ages, too
    key[slot] = 0
    fence()
    begin[slot] = first
    count[slot] = kept
    own[slot] = score
    for i in range(kept):
        candidate[at + i] = pool[i]
        gain[at + i] = gains[i]
    fence()
    key[slot] = word
    return slot


@inner_kernel
def fill_row(source, rows, child, members, size, word):
    """Compute a row, or copy it from a peer, and return its slot."""
    pool, scores, head = source[POOL], source[SCORES], rows[HEAD]
    if size > 0:
        score, kept = copy_from_peers(rows[PEERS], word, pool, scores)
        if kept >= 0:
            return write_row(rows, word, score, pool, scores, kept)
        score, number, kept = score_candidates(source, child, members, size)
        head[COMPUTED] += 1
        head[EVALUATIONS] += number + 1
    else:
        score, number, kept = copy_first_row(source, child)
    for i in range(kept):
        scores[i] -= score
    return write_row(rows, word, score, pool, scores, kept)


@borrowing_kernel
def find_row(source, rows, child, members, size):
    """Return the slot of the row of a child and its parents, computed if it is not there."""
    word = word_of_family(source, child, members, size)
    slot = lookup(rows, word)
    if slot < 0:
        slot = fill_row(source, rows, child, members, size, word)
    return slot


@kernel
def copy_rows(rows, larger):
    """Copy the rows that are still there into a larger, empty cache; one that would wrap around in it is left out."""
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
        larger[OWN][new] = rows[OWN][old]
        for i in range(count):
            larger[CANDIDATE][to + i] = rows[CANDIDATE][at + i]
            larger[GAIN][to + i] = rows[GAIN][at + i]
