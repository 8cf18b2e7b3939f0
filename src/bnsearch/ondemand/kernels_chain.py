"""
A chain of insertions: move one variable, give the variables concerned new parents, and undo what loses too much.

`source` and `rows` as in kernels_rows, `store` as in kernels_store, `chain` as in kernels_state.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.ondemand.kernels_parents import regrow
from bnsearch.ondemand.kernels_rows import BEGIN, CANDIDATE, COUNT, EVALUATIONS, HEAD, RELATED, WORDS, find_row
from bnsearch.ondemand.kernels_state import (
    CONSTRAINED,
    COUNTS,
    CURRENT,
    LIMITS,
    LOGGED,
    LOOKED,
    MEMBER,
    ORDER,
    POSITION,
    PREFIX,
    RANDOM,
    RELATIVES,
    RELATIVES_BEGIN,
    REQUIRED,
    SCORE,
    SIZE,
    STEPS,
    TOTALS,
    keep_best,
    restore,
)
from bnsearch.ondemand.kernels_store import best_stored
from bnsearch.orderings.kernels.rinobs import accept_step
from bnsearch.orderings.kernels.state import move_variable
from bnsearch.scores.score import TOLERANCE


@inlined_kernel
def shift(source, chain, variable, to):
    """Move a variable to a position, and bring the words of the sets before the positions up to date."""
    order, prefix, words = chain[ORDER], chain[PREFIX], source[WORDS]
    at = move_variable(order, chain[POSITION], variable, to)
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
    restore(chain)


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
            if accept_step(totals, new, rate - slope * done, TOLERANCE):
                totals[CURRENT] = new
                keep_best(chain)
            else:
                undo(source, chain, variable, at)
        done += 1
    return done
