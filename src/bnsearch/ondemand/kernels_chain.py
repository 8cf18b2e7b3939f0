"""
A chain of insertions: move one variable, choose new parents for the variables concerned, undo steps that lose too much.

`source` as in kernels_rows, `rows` as in kernels_row_cache, `store` as in kernels_store, `chain` as in kernels_state.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import has_bit
from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, inner_borrowing_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.ondemand.kernels_parents import choose_parents, grow_few_parents, improve_variable
from bnsearch.ondemand.kernels_row_cache import BEGIN, CANDIDATE, COUNT, EVALUATIONS, HEAD, IS_REFUSED
from bnsearch.ondemand.kernels_rows import AS_PARENT, HASHES, RELATED, find_row
from bnsearch.ondemand.kernels_state import (
    CONSTRAINED,
    COUNTS,
    CURRENT,
    EXAMINED,
    LIMITS,
    LOGGED,
    MEMBER,
    N_REPEATED,
    ORDER,
    POSITION,
    PREFIX_HASH,
    RANDOM,
    RELATIVES,
    RELATIVES_BEGIN,
    REPEATED,
    REPEATED_TO,
    REQUIRED,
    SCORE,
    SIZE,
    STEPS,
    TOTALS,
    restore_parents,
    update_best,
)
from bnsearch.ondemand.kernels_store import find_best_stored
from bnsearch.orderings.kernels.rinobs import accept_step
from bnsearch.orderings.kernels.state import move_variable
from bnsearch.scores.score import TOLERANCE

GROW_FEW, IMPROVE, SEARCH = range(3)  # tasks of run_task
MAX_REPEATED = 1000  # times that a step is tried: a small cache may never hold all its rows


@inlined_kernel
def shift_variable(source, chain, variable, to):
    """Move a variable to a position, and update the hashes of the predecessor sets."""
    order, prefix, hashes = chain[ORDER], chain[PREFIX_HASH], source[HASHES]
    at = move_variable(order, chain[POSITION], variable, to)
    for i in range(min(at, to), max(at, to)):
        prefix[i + 1] = prefix[i] ^ hashes[AS_PARENT, order[i]]


@inlined_kernel
def is_parent(chain, child, parent):
    """Return True if a variable is a parent of another one."""
    for i in range(chain[SIZE][child]):
        if chain[MEMBER][child, i] == parent:
            return True
    return False


@inlined_kernel
def has_lost_parent(chain, child):
    """Return True if a parent of a variable comes after it in the ordering."""
    position = chain[POSITION]
    for i in range(chain[SIZE][child]):
        if position[chain[MEMBER][child, i]] > position[child]:
            return True
    return False


@inlined_kernel
def can_gain(source, rows, store, chain, child, parent):
    """Return True if a variable can gain by a new predecessor: by a stored family, or with it as a parent."""
    position = chain[POSITION]
    score = chain[SCORE][child]
    least = score + tie_margin(score, TOLERANCE)
    if find_best_stored(store, child, position, np.int64(position[child]), least, chain[EXAMINED]) >= 0:
        return True
    slot = find_row(source, rows, child, chain[MEMBER][child], chain[SIZE][child])
    if slot < 0:
        return False
    candidate = rows[CANDIDATE]
    begin = rows[BEGIN][slot] % candidate.size
    for i in range(begin, begin + rows[COUNT][slot]):
        if candidate[i] == parent:
            return chain[SIZE][child] < chain[LIMITS][child]
    return False


@inner_borrowing_kernel
def insert_variable(source, rows, store, chain, variable, to):
    """
    Move a variable, and choose new parents for the variables concerned; return the change of the score.

    If a row was not computed, the step is incomplete and must be undone.
    """
    order, position, head = chain[ORDER], chain[POSITION], rows[HEAD]
    at = np.int64(position[variable])
    shift_variable(source, chain, variable, to)
    change = 0.0
    if to > at:
        for i in range(at, to):
            child = np.int64(order[i])
            if is_parent(chain, child, variable) and head[IS_REFUSED] == 0:
                change += choose_parents(source, rows, store, chain, child)
        if head[IS_REFUSED] == 0:
            change += choose_parents(source, rows, store, chain, variable)
    else:
        if has_lost_parent(chain, variable):
            change += choose_parents(source, rows, store, chain, variable)
        for i in range(to + 1, at + 1):
            child = np.int64(order[i])
            if has_bit(source[RELATED][child], variable) and head[IS_REFUSED] == 0:
                chain[EXAMINED][0] += 10  # about the time of ten entries
                if can_gain(source, rows, store, chain, child, variable):
                    change += choose_parents(source, rows, store, chain, child)
    chain[EXAMINED][0] += abs(to - at)
    return change


@inlined_kernel
def can_move(chain, variable, to):
    """Return True if required parents stay before their children when a variable moves to a position."""
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
def undo_insertion(source, chain, variable, at):
    """Restore the ordering and the parents that this step has changed."""
    shift_variable(source, chain, variable, at)
    restore_parents(chain)


@inlined_kernel
def draw_position(chain, variable):
    """Return the position of a random variable related to a given one; its own position if none is."""
    position, begin = chain[POSITION], chain[RELATIVES_BEGIN]
    number = begin[variable + 1] - begin[variable]
    if number == 0:
        return np.int64(position[variable])
    return np.int64(position[chain[RELATIVES][begin[variable] + draw_below(chain[RANDOM], number)]])


@inlined_kernel
def repeat_later(chain, variable, to):
    """Note an incomplete step, so that it is taken next; the rows that it has computed are in the cache then."""
    counts = chain[COUNTS]
    counts[N_REPEATED] += 1
    if counts[N_REPEATED] < MAX_REPEATED:
        counts[REPEATED] = variable
        counts[REPEATED_TO] = to


@inner_borrowing_kernel
def search_on_demand(source, rows, store, chain, steps, rate, slope, max_examined, max_evaluations):
    """
    Take steps: a random insertion, new parents for the variables concerned, and undo both if the loss is too high.

    steps : number of steps
    rate, slope : share of the losing steps to accept: `rate` in the first step, less by `slope` in each further one
    max_examined : number of entries of orderings, stores and rows, a measure of time, after which no step begins
    max_evaluations : number of computed local scores after which no step begins

    Returns the number of steps taken. A step that needs a row which was not computed is undone, and taken again by the
    next call.
    """
    counts, totals, examined, computed = chain[COUNTS], chain[TOTALS], chain[EXAMINED], rows[HEAD]
    max_examined += examined[0]
    max_evaluations += computed[EVALUATIONS]
    done = 0
    while done < steps and examined[0] < max_examined and computed[EVALUATIONS] < max_evaluations:
        variable, to = counts[REPEATED], counts[REPEATED_TO]
        counts[REPEATED] = -1
        if variable < 0:
            variable = draw_below(chain[RANDOM], chain[ORDER].size)
            to = draw_position(chain, variable)
            counts[N_REPEATED] = 0
        at = np.int64(chain[POSITION][variable])
        examined[0] += 10  # about the time of ten entries
        if to != at and can_move(chain, variable, to):
            counts[STEPS] += 1
            counts[LOGGED] = 0
            new = totals[CURRENT] + insert_variable(source, rows, store, chain, variable, to)
            if computed[IS_REFUSED] != 0:
                undo_insertion(source, chain, variable, at)
                repeat_later(chain, variable, to)
                return done
            if accept_step(totals, new, rate - slope * done, TOLERANCE):
                totals[CURRENT] = new
                update_best(chain)
            else:
                undo_insertion(source, chain, variable, at)
        done += 1
    return done


@borrowing_kernel
def run_task(source, rows, store, chain, task, first, second, rate, slope, max_examined, max_evaluations):
    """
    Run one of the searches of a chain; one kernel for all, so that the large inner kernels are compiled only once.

    task : GROW_FEW grows up to `second` parents of the variable `first` before its position; IMPROVE chooses the best
        parents of the variable `first`; SEARCH takes `first` steps
    rate, slope, max_examined, max_evaluations : arguments of `search_on_demand`

    Returns the number of steps of SEARCH, otherwise 0.
    """
    if task == SEARCH:
        return search_on_demand(source, rows, store, chain, first, rate, slope, max_examined, max_evaluations)
    if task == IMPROVE:
        improve_variable(source, rows, store, chain, first)
    else:
        grow_few_parents(source, rows, store, chain, first, np.int64(chain[POSITION][first]), second)
    return np.int64(0)
