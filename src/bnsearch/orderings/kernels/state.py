"""Kernels that initialise the state of an ordering, and update it after an insertion. See arrays.py."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import lowest_bit
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.arrays import (
    ACTIVE,
    BEGIN,
    BITS,
    BITS_BEGIN,
    CAND,
    CAND_BEGIN,
    CAND_SLOT,
    CHILD,
    CHOICE,
    DELTA,
    EVALUATIONS,
    FIRST,
    FIRST_ROW,
    LATER,
    MEMBER_SLOT,
    MEMBERS,
    N_ACTIVE,
    NUMBER,
    ORDER,
    POSITION,
    REACH,
    ROWS_PER_WORD,
    SCORES,
    SLOT_BEGIN,
    SLOTS,
    TARGET,
    TARGET_CACHE,
    TOUCHED,
    UNTARGETED,
)
from bnsearch.orderings.kernels.cache import (
    find_best_row_cached,
    hash_predecessors,
    load_targets,
    store_targets,
    update_prefix_hashes,
)


@inlined_kernel
def list_later_candidates(index, position, child, listed):
    """Write the numbers of a variable's candidates that come after it to int32[...] `listed`; return how many."""
    cand_begin, cand = index[CAND_BEGIN], index[CAND]
    begin = cand_begin[child]
    at = position[child]
    count = 0
    for i in range(begin, cand_begin[child + 1]):
        if position[cand[i]] > at:
            listed[count] = i - begin
            count += 1
    return count


@inlined_kernel
def find_rows_with_one(bits, block, listed, count):
    """Return a bitmap of the 64 rows of a block: those that contain exactly one of the listed candidates."""
    one = np.uint64(0)
    more = np.uint64(0)
    for i in range(count):
        has = bits[block + listed[i]]
        more |= one & has
        one |= has
    return one & ~more


@inlined_kernel
def find_last_parent(first, members, position, row):
    """Return the position of the last member of a row, -1 for the empty set."""
    last = np.int64(-1)
    for i in range(first[row], first[row + 1]):
        last = max(last, np.int64(position[members[i]]))
    return last


@inlined_kernel
def set_target(index, state, child, slot, number, row):
    """Set the target of a candidate of a variable, and its delta."""
    scores, n_active = index[SCORES], state[N_ACTIVE]
    state[TARGET][slot] = row
    state[DELTA][slot] = scores[row] - scores[state[CHOICE][child]]
    state[ACTIVE][index[CAND_BEGIN][child] + n_active[child]] = number
    n_active[child] += 1


@inlined_kernel
def clear_targets(index, state, child):
    """Remove the targets of all candidates of a variable."""
    begin, cand_slot = index[CAND_BEGIN][child], index[CAND_SLOT]
    delta, target, active, n_active = state[DELTA], state[TARGET], state[ACTIVE], state[N_ACTIVE]
    for i in range(n_active[child]):
        slot = cand_slot[begin + active[begin + i]]
        target[slot] = -1
        delta[slot] = 0.0
    n_active[child] = 0


@inlined_kernel
def find_gaining_targets(index, state, child):
    """
    For each later candidate: find the best parent set that becomes feasible if only that candidate moves in front.

    Only rows that are better than the variable's own row can be such sets. They are read 64 at a time.
    """
    begin, cand_begin, cand_slot, bits = index[BEGIN][child], index[CAND_BEGIN][child], index[CAND_SLOT], index[BITS]
    later, untargeted, evaluations = state[LATER], state[UNTARGETED], state[EVALUATIONS]
    own = state[CHOICE][child]
    if own == begin:
        return
    count = list_later_candidates(index, state[POSITION], child, later)
    left = count
    for i in range(count):
        untargeted[i] = later[i]
    block = index[BITS_BEGIN][child]
    for row in range(begin, own, ROWS_PER_WORD):
        if left == 0:
            return
        feasible = find_rows_with_one(bits, block, later, count)
        if own - row < ROWS_PER_WORD:
            feasible &= (np.uint64(1) << np.uint64(own - row)) - np.uint64(1)
        evaluations[0] += 1 + count // 4
        i = 0
        while feasible and i < left:
            hit = bits[block + untargeted[i]] & feasible
            if hit:
                slot = cand_slot[cand_begin + untargeted[i]]
                set_target(index, state, child, slot, untargeted[i], row + lowest_bit(hit))
                left -= 1
                untargeted[i] = untargeted[left]
            else:
                i += 1
        block += index[CAND_BEGIN][child + 1] - cand_begin


@inlined_kernel
def find_losing_targets(index, state, child):
    """For each parent: find the best row that is feasible if only that parent moves behind. Return the last of them."""
    first, members, member_slot, slots = index[FIRST], index[MEMBERS], index[MEMBER_SLOT], index[SLOTS]
    at, own = np.int64(state[POSITION][child]), state[CHOICE][child]
    last = own
    for i in range(first[own], first[own + 1]):
        without = np.int64(members[i])
        row = find_best_row_cached(index, state, child, at, without, own + 1, index[BEGIN][child + 1])
        slot = member_slot[i]
        set_target(index, state, child, slot, slots[NUMBER, slot], row)
        last = max(last, row)
    return last


@inlined_kernel
def update_targets(index, state, child):
    """Find the targets of all candidates of a variable."""
    clear_targets(index, state, child)
    is_caching = state[TARGET_CACHE].size > 0
    key = np.int64(0)
    if is_caching:
        key = hash_predecessors(state, child, np.int64(state[POSITION][child]), np.int64(-1))
        if load_targets(index, state, child, key):
            return
    find_gaining_targets(index, state, child)
    state[REACH][child] = find_losing_targets(index, state, child)
    if is_caching:
        store_targets(index, state, child, key)


@inlined_kernel
def update_choice(index, state, child, row):
    """Set the best feasible row of a variable; all rows before `row` are known to be infeasible."""
    at, end = np.int64(state[POSITION][child]), index[BEGIN][child + 1]
    state[CHOICE][child] = find_best_row_cached(index, state, child, at, np.int64(-1), row, end)


@borrowing_kernel
def initialise_state(index, state):
    """Initialise the state for the ordering in ORDER; return its score."""
    scores = index[SCORES]
    order, position, delta, target = state[ORDER], state[POSITION], state[DELTA], state[TARGET]
    for i in range(order.size):
        position[order[i]] = i
    update_prefix_hashes(state, 0, order.size - 1)
    for slot in range(delta.size):
        delta[slot] = 0.0
        target[slot] = -1
    total = 0.0
    for v in range(order.size):
        state[N_ACTIVE][v] = 0
        update_choice(index, state, v, index[BEGIN][v])
        update_targets(index, state, v)
        total += scores[state[CHOICE][v]]
    return total


@inlined_kernel
def move_variable(order, position, variable, to):
    """
    Move a variable to another position of an ordering; return its old position.

    order, position : int32[n]   the variables from first to last; the position of each; changed
    """
    at = np.int64(position[variable])
    step = 1 if to > at else -1
    for i in range(at, to, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[to] = variable
    position[variable] = to
    return at


@inlined_kernel
def insert_variable(index, state, variable, to):
    """
    Insert a variable at a position, and update the state.

    Returns the change of the score and two counts, `front` and `back`, which divide the passed children in TOUCHED:

    - the first `front` entries are the variables whose targets were updated, and the inserted variable is the last one;
    - the last `back` entries are the passed children whose targets do not depend on the inserted variable.
    """
    scores, slot_begin, slots = index[SCORES], index[SLOT_BEGIN], index[SLOTS]
    position, choice, target, touched = state[POSITION], state[CHOICE], state[TARGET], state[TOUCHED]
    at = move_variable(state[ORDER], position, variable, to)
    update_prefix_hashes(state, min(at, to), max(at, to))
    low, high = min(at, to + 1), max(at, to - 1)  # the passed variables are now at these positions
    change = 0.0
    front = 0
    back = 0
    for slot in range(slot_begin[variable], slot_begin[variable + 1]):
        child = slots[CHILD, slot]
        if position[child] < low or position[child] > high:
            continue
        if target[slot] < 0 and slots[FIRST_ROW, slot] > state[REACH][child]:
            back += 1
            touched[touched.size - back] = child
            continue
        if target[slot] >= 0:
            change += state[DELTA][slot]
            choice[child] = target[slot]
        touched[front] = child
        front += 1
    before = scores[choice[variable]]
    update_choice(index, state, variable, choice[variable] if to < at else index[BEGIN][variable])
    change += scores[choice[variable]] - before
    touched[front] = variable
    front += 1
    for i in range(front):
        update_targets(index, state, np.int64(touched[i]))
    return change, front, back
