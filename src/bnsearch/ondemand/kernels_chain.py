"""
A chain of insertions: move one variable, give the variables concerned new parents, and undo what loses too much.

`source` and `rows` as in kernels_rows, `store` as in kernels_store; `chain` is

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

from bnsearch.kernel import borrowing_kernel, inlined_kernel, kernel
from bnsearch.ondemand.kernels_grow import grow, insert_member
from bnsearch.ondemand.kernels_rows import (
    BEGIN,
    CANDIDATE,
    COUNT,
    EVALUATIONS,
    HEAD,
    LIMIT,
    RELATED,
    WORDS,
    find_row,
    is_better,
    word_of_family,
)
from bnsearch.ondemand.kernels_store import MEMBER as STORED_MEMBER
from bnsearch.ondemand.kernels_store import SCORE as STORED_SCORE
from bnsearch.ondemand.kernels_store import SIZE as STORED_SIZE
from bnsearch.ondemand.kernels_store import best_stored, keep_family
from bnsearch.orderings.kernels_random import draw_below
from bnsearch.orderings.kernels_repair import accepts
from bnsearch.scores.score import TOLERANCE

(
    ORDER, POSITION, MEMBER, SIZE, SCORE, SAVED_MEMBER, SAVED_SIZE, SAVED_SCORE, BEST_ORDER, BEST_MEMBER, BEST_SIZE,
    LOG, STAMP, COUNTS, TOTALS, RANDOM, LOOKED, WORK, SPARE, REQUIRED, LIMITS, PREFIX, SEEN, RELATIVES,
    RELATIVES_BEGIN, BEST_SCORE,
) = range(26)  # fmt: skip
STEPS, LOGGED, CONSTRAINED = 0, 1, 2
CURRENT, BEST, THRESHOLD = 0, 1, 2


@inlined_kernel
def has_bit(bits, z):
    """Tell whether a bit is set."""
    return (bits[z >> 6] >> np.uint64(z & 63)) & np.uint64(1) != 0


@inlined_kernel
def save(chain, child):
    """Save a variable's parents, once in a step."""
    stamp, counts, log = chain[STAMP], chain[COUNTS], chain[LOG]
    if stamp[child] != counts[STEPS]:
        stamp[child] = counts[STEPS]
        log[counts[LOGGED]] = child
        counts[LOGGED] += 1
        size = chain[SIZE][child]
        chain[SAVED_SIZE][child] = size
        chain[SAVED_SCORE][child] = chain[SCORE][child]
        for i in range(size):
            chain[SAVED_MEMBER][child, i] = chain[MEMBER][child, i]


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
def grow_and_keep(source, rows, store, chain, child, size, limit, most):
    """
    Grow the parents in `work` among the variables before a position; return their number and the score.

    The family joins the store.
    """
    work, required = chain[WORK], chain[REQUIRED]
    size, score = grow(
        source, rows, child, work, size, limit, chain[POSITION], required[child], most, chain[SPARE], chain[LOOKED]
    )
    keep_family(store, child, work, size, score, word_of_family(source, child, work, size))
    return size, score


@inlined_kernel
def copy_feasible(chain, child, only_required):
    """Copy a variable's parents that stand before it into `work`, or the required ones alone; return how many."""
    position, work, required = chain[POSITION], chain[WORK], chain[REQUIRED]
    limit = position[child]
    size = 0
    for i in range(chain[SIZE][child]):
        parent = chain[MEMBER][child, i]
        if has_bit(required[child], parent) if only_required else position[parent] < limit:
            work[size] = parent
            size += 1
    return size


@inlined_kernel
def is_new_to(source, chain, child, limit):
    """Tell whether a variable's parents were not yet grown among those before a position; take note that they are."""
    seen = chain[SEEN]
    word = chain[PREFIX][limit] ^ source[WORDS][1, child]
    at = np.int64((word >> np.uint64(16)) & np.uint64(seen.size - 1))
    known = seen[at] == word
    seen[at] = word
    return not known


@inlined_kernel
def forget_set(source, chain, child, limit):
    """Take note that growth among those before a position was cut short."""
    seen = chain[SEEN]
    word = chain[PREFIX][limit] ^ source[WORDS][1, child]
    seen[np.int64((word >> np.uint64(16)) & np.uint64(seen.size - 1))] = np.uint64(0)


@borrowing_kernel
def regrow(source, rows, store, chain, child):
    """
    Give a variable the best parents that can be found among the variables before it; return the change of its score.

    These are the best of what grows from its parents that still stand before it, of what grows from none, and of the
    families in the store. Where the same variables stood before it earlier, what had grown then is in the store.
    """
    position, work = chain[POSITION], chain[WORK]
    limit, most = np.int64(position[child]), chain[LIMITS][child]
    change = 0.0
    best = -np.inf
    if is_new_to(source, chain, child, limit):
        start = copy_feasible(chain, child, False)
        size, best = grow_and_keep(source, rows, store, chain, child, start, limit, most)
        change += adopt(chain, child, work, size, best)
        if start > 0:
            size = copy_feasible(chain, child, True)
            size, score = grow_and_keep(source, rows, store, chain, child, size, limit, most)
            if score > best:
                best = score
                change += adopt(chain, child, work, size, best)
        if rows[HEAD][EVALUATIONS] > rows[HEAD][LIMIT]:
            forget_set(source, chain, child, limit)
    slot = best_stored(store, child, position, limit, best, chain[LOOKED])
    if slot >= 0:
        size = np.int64(store[STORED_SIZE][child, slot])
        change += adopt(chain, child, store[STORED_MEMBER][child, slot], size, store[STORED_SCORE][child, slot])
    elif best == -np.inf:
        size = copy_feasible(chain, child, False)
        size, score = grow_and_keep(source, rows, store, chain, child, size, limit, most)
        change += adopt(chain, child, work, size, score)
    return change


@inlined_kernel
def shift(source, chain, variable, to):
    """Move a variable to a position, and bring the words of the sets before the positions up to date."""
    order, position, prefix, words = chain[ORDER], chain[POSITION], chain[PREFIX], source[WORDS]
    at = np.int64(position[variable])
    step = 1 if to > at else -1
    for i in range(at, to, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[to] = variable
    position[variable] = to
    for i in range(min(at, to), max(at, to)):
        prefix[i + 1] = prefix[i] ^ words[0, order[i]]


@inlined_kernel
def is_parent(chain, child, parent):
    """Tell whether a variable is a parent of another."""
    for i in range(chain[SIZE][child]):
        if chain[MEMBER][child, i] == parent:
            return True
    return False


@inlined_kernel
def lost_parent(chain, child):
    """Tell whether a parent of a variable stands behind it."""
    position = chain[POSITION]
    for i in range(chain[SIZE][child]):
        if position[chain[MEMBER][child, i]] > position[child]:
            return True
    return False


@inlined_kernel
def gains_by(source, rows, store, chain, child, parent):
    """Tell whether a variable can do better now that another one has come to stand before it."""
    position = chain[POSITION]
    own = chain[SCORE][child]
    least = own + TOLERANCE * max(1.0, abs(own))
    if best_stored(store, child, position, np.int64(position[child]), least, chain[LOOKED]) >= 0:
        return True
    slot = find_row(source, rows, child, chain[MEMBER][child], chain[SIZE][child])
    candidate = rows[CANDIDATE]
    begin = rows[BEGIN][slot] % candidate.size
    for i in range(begin, begin + rows[COUNT][slot]):
        if candidate[i] == parent:
            return chain[SIZE][child] < chain[LIMITS][child]
    return False


@borrowing_kernel
def insert(source, rows, store, chain, variable, to):
    """Move a variable and give new parents to those concerned; return the change of the score."""
    order, position = chain[ORDER], chain[POSITION]
    at = np.int64(position[variable])
    shift(source, chain, variable, to)
    change = 0.0
    if to > at:
        for i in range(at, to):
            child = np.int64(order[i])
            if is_parent(chain, child, variable):
                change += regrow(source, rows, store, chain, child)
        change += regrow(source, rows, store, chain, variable)
    else:
        if lost_parent(chain, variable):
            change += regrow(source, rows, store, chain, variable)
        for i in range(to + 1, at + 1):
            child = np.int64(order[i])
            if has_bit(source[RELATED][child], variable):
                chain[LOOKED][0] += 10
                if gains_by(source, rows, store, chain, child, variable):
                    change += regrow(source, rows, store, chain, child)
    chain[LOOKED][0] += abs(to - at)
    return change


@inlined_kernel
def may_move(chain, variable, to):
    """Tell whether required parents stay before their children if a variable moves to a position."""
    order, position, required = chain[ORDER], chain[POSITION], chain[REQUIRED]
    if chain[COUNTS][CONSTRAINED] == 0:
        return True
    at = np.int64(position[variable])
    for i in range(to, at):
        if has_bit(required[variable], np.int64(order[i])):
            return False
    for i in range(at + 1, to + 1):
        if has_bit(required[order[i]], variable):
            return False
    return True


@inlined_kernel
def undo(source, chain, variable, at):
    """Bring back the ordering and the parents of before this step."""
    shift(source, chain, variable, at)
    for i in range(chain[COUNTS][LOGGED]):
        child = chain[LOG][i]
        size = chain[SAVED_SIZE][child]
        chain[SIZE][child] = size
        chain[SCORE][child] = chain[SAVED_SCORE][child]
        for j in range(size):
            chain[MEMBER][child, j] = chain[SAVED_MEMBER][child, j]


@inlined_kernel
def keep_best(chain):
    """Copy the network if it is the best so far."""
    totals = chain[TOTALS]
    if totals[BEST] == -np.inf or is_better(totals[CURRENT], totals[BEST]):
        totals[BEST] = totals[CURRENT]
        for v in range(chain[ORDER].size):
            chain[BEST_ORDER][v] = chain[ORDER][v]
            chain[BEST_SIZE][v] = chain[SIZE][v]
            chain[BEST_SCORE][v] = chain[SCORE][v]
            for i in range(chain[SIZE][v]):
                chain[BEST_MEMBER][v, i] = chain[MEMBER][v, i]


@inlined_kernel
def draw_position(chain, variable):
    """Return the position of a random relative of a variable; its own where it has none."""
    position, begin = chain[POSITION], chain[RELATIVES_BEGIN]
    number = begin[variable + 1] - begin[variable]
    if number == 0:
        return np.int64(position[variable])
    return np.int64(position[chain[RELATIVES][begin[variable] + draw_below(chain[RANDOM], number)]])


@borrowing_kernel
def search_on_demand(source, rows, store, chain, steps, rate, slope, looks, evaluations):
    """
    Take steps: a random insertion, new parents for those concerned, and back again if the loss is too high.

    steps : how many
    rate, slope : which share of losses to accept: rate in the first step, less by slope in every further one
    looks, evaluations : how many entries to look at, and local scores to compute, before coming back

    Returns how many steps were taken.
    """
    counts, totals, looked, computed = chain[COUNTS], chain[TOTALS], chain[LOOKED], rows[HEAD]
    looks += looked[0]
    evaluations += computed[EVALUATIONS]
    done = 0
    while done < steps and looked[0] < looks and computed[EVALUATIONS] < evaluations:
        variable = draw_below(chain[RANDOM], chain[ORDER].size)
        to = draw_position(chain, variable)
        at = np.int64(chain[POSITION][variable])
        looked[0] += 10
        if to != at and may_move(chain, variable, to):
            counts[STEPS] += 1
            counts[LOGGED] = 0
            new = totals[CURRENT] + insert(source, rows, store, chain, variable, to)
            if accepts(totals, new, rate - slope * done, TOLERANCE):
                totals[CURRENT] = new
                keep_best(chain)
            else:
                undo(source, chain, variable, at)
        done += 1
    return done


@kernel
def grow_first(source, rows, store, chain, child, limit, most):
    """
    Give a variable up to `most` parents before a position, grown from the required ones.

    Behind the last position all variables are before it; this serves the store alone.
    """
    size = copy_feasible(chain, child, True)
    most = max(size, min(most, chain[LIMITS][child]))
    size, score = grow_and_keep(source, rows, store, chain, child, size, limit, most)
    chain[COUNTS][STEPS] += 1  # nothing is undone
    chain[COUNTS][LOGGED] = 0
    chain[TOTALS][CURRENT] += adopt(chain, child, chain[WORK], size, score)


@kernel
def improve_parents(source, rows, store, chain, child):
    """Give a variable the best parents that can be found among the variables before it."""
    chain[COUNTS][STEPS] += 1  # nothing is undone
    chain[COUNTS][LOGGED] = 0
    chain[TOTALS][CURRENT] += regrow(source, rows, store, chain, child)
    keep_best(chain)


@kernel
def keep_network(chain):
    """Copy the network if it is the best so far."""
    keep_best(chain)


@kernel
def keep_families(source, store, child, first, members, scores):
    """
    Put families into the store; return how many are new to it.

    child, scores : int64[m], float64[m]
    first, members : int64[m + 1], int32[...]   the parents of family i are members[first[i]:first[i + 1]]; sorted
    """
    new = 0
    for i in range(child.size):
        parents = members[first[i] : first[i + 1]]
        for j in range(1, parents.size):  # ascending
            insert_member(parents, j, np.int64(parents[j]))
        word = word_of_family(source, child[i], parents, parents.size)
        new += keep_family(store, child[i], parents, parents.size, scores[i], word)
    return new
