"""
A depth-first walk over all subsets of the variables, which values each of them.

The walk decides for one variable after the other whether it is in the set: depth d has decided the first d variables.
At a node the rows are grouped in *cells*, one for each joint state of the set so far. Rows of a cell that agree on all
undecided variables are merged into one *entry* with a weight. No later variable can split a cell of one entry, so such
a cell is dropped: its weight is recorded, and it counts in every set below.

The kernels share these arrays:
    links : int64[depths, rows]      for each depth d and suffix (states of the variables d, d + 1, ...) the number of
                                     the suffix from d + 1 on, times 2^16, plus the state of variable d
    entries : int64[depths, rows]    entries of each node on the path: suffix times 2^32, plus weight
    begin : int32[depths, rows + 1]  index of the first entry of each cell of a node
    tally : int32[depths, FEW]       number of dropped cells with each weight below FEW
    large : int64[rows]              weights of all other dropped cells, a stack
    slot : int32[rows]               scratch: index of a suffix among the entries of a cell
    groups : int64[3, states]        scratch: number and index of each state's entries; the states that occur
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, kernel
from bnsearch.selection.kernels_subset_values import FEW, WEIGHT, value_bottom

GROUP_SIZE, GROUP_AT, GROUP_STATE = range(3)  # rows of `groups`
NODE_WORK = 64  # cost of a node in addition to that of its entries, in units of an entry

# Columns of `path`, int64[depths, PATH_COLUMNS], which describes the nodes on the path.
STAGE, MASK, SIZE, INDEX, CELLS, LARGE, ENTRIES = range(7)
PATH_COLUMNS = 7


@kernel
def link_suffixes(states, arity, suffix, seen, link):
    """
    Assign numbers to the suffixes that begin one variable earlier; return the number of suffixes.

    states : uint8|uint16[rows]   the variable
    suffix : int32[rows]          number of each row's suffix without the variable; changed to that with it
    seen : int32[arity * suffixes]   scratch
    link : int64[rows]            written
    """
    for i in range(seen.size):
        seen[i] = -1
    found = 0
    for row in range(suffix.size):
        state, behind = np.int64(states[row]), np.int64(suffix[row])
        key = behind * arity + state
        if seen[key] < 0:
            seen[key] = found
            link[found] = (behind << 16) | state
            found += 1
        suffix[row] = seen[key]
    return found


@inlined_kernel
def drop(weight, tally, large, stacked):
    """Record the weight of a dropped cell; return the height of the stack of large weights."""
    if weight < FEW:
        tally[np.uint64(weight)] += 1
    else:
        large[stacked] = weight
        stacked += 1
    return stacked


@inlined_kernel
def split_pair(left, right, link, entries, o, tally, large, stacked):
    """Split a cell of two entries; return the number of its entries that remain, and the height of the stack."""
    a, b = link[np.uint64(left >> 32)], link[np.uint64(right >> 32)]
    if (a ^ b) & 0xFFFF:
        stacked = drop(left & WEIGHT, tally, large, stacked)
        return np.int64(0), drop(right & WEIGHT, tally, large, stacked)
    entries[o] = ((a >> 16) << 32) | (left & WEIGHT)
    entries[o + 1] = ((b >> 16) << 32) | (right & WEIGHT)
    return np.int64(2), stacked


@inlined_kernel
def split_in_two(source, low, high, link, entries, o, begin, cells, tally, large, stacked):
    """Split a cell by a variable of two states; return the next free entry, the number of cells, and the stack."""
    left, right = o, o + high - low - 1
    for j in range(low, high):
        e = source[j]
        to = link[np.uint64(e >> 32)]
        second = to & 1
        entries[np.uint64(right if second else left)] = ((to >> 16) << 32) | (e & WEIGHT)
        left += 1 - second
        right -= second
    first, second = left - o, high - low - (left - o)
    if first == 1:
        stacked = drop(entries[o] & WEIGHT, tally, large, stacked)
        entries[o] = entries[o + second]
    elif first > 0:
        o += first
        cells += 1
        begin[cells] = o
    if second == 1:
        stacked = drop(entries[o] & WEIGHT, tally, large, stacked)
    elif second > 0:
        o += second
        cells += 1
        begin[cells] = o
    return o, cells, stacked


@borrowing_kernel
def split_by_state(source, low, high, link, entries, o, begin, cells, tally, large, stacked, groups):
    """Do the same as split_in_two, for a variable of any number of states."""
    different = 0
    for j in range(low, high):
        state = link[np.uint64(source[j] >> 32)] & 0xFFFF
        if groups[GROUP_SIZE, state] == 0:
            groups[GROUP_STATE, different] = state
            different += 1
        groups[GROUP_SIZE, state] += 1
    for i in range(different):
        groups[GROUP_AT, groups[GROUP_STATE, i]] = o
        if groups[GROUP_SIZE, groups[GROUP_STATE, i]] > 1:
            o += groups[GROUP_SIZE, groups[GROUP_STATE, i]]
            cells += 1
            begin[cells] = o
    for j in range(low, high):
        e = source[j]
        to = link[np.uint64(e >> 32)]
        state = to & 0xFFFF
        if groups[GROUP_SIZE, state] == 1:
            stacked = drop(e & WEIGHT, tally, large, stacked)
        else:
            entries[groups[GROUP_AT, state]] = ((to >> 16) << 32) | (e & WEIGHT)
            groups[GROUP_AT, state] += 1
    for i in range(different):
        groups[GROUP_SIZE, groups[GROUP_STATE, i]] = 0
    return o, cells, stacked


@borrowing_kernel
def include(source, bounds, cells, link, arity, entries, begin, tally, large, stacked, groups):
    """
    Split all cells of a node by its variable; return the number of remaining cells and the height of the stack.

    source, bounds : entries and cells of the node
    entries, begin, tally : arrays of the node below, written
    """
    o, kept = np.int64(0), np.int64(0)
    begin[0] = 0
    for c in range(cells):
        low, high = np.int64(bounds[c]), np.int64(bounds[c + 1])
        if high - low == 2:
            more, stacked = split_pair(source[low], source[low + 1], link, entries, o, tally, large, stacked)
            o += more
            kept += more >> 1
            begin[kept] = o
        elif arity == 2:
            o, kept, stacked = split_in_two(source, low, high, link, entries, o, begin, kept, tally, large, stacked)
        else:
            o, kept, stacked = split_by_state(
                source, low, high, link, entries, o, begin, kept, tally, large, stacked, groups
            )
    return kept, stacked


@borrowing_kernel
def skip(source, bounds, cells, link, entries, begin, tally, large, stacked, slot):
    """Merge the entries of each cell that agree on all variables after the node's; arguments as in include."""
    o, kept = np.int64(0), np.int64(0)
    begin[0] = 0
    for c in range(cells):
        low, high = np.int64(bounds[c]), np.int64(bounds[c + 1])
        start = o
        for j in range(low, high):
            e = source[j]
            suffix = link[np.uint64(e >> 32)] >> 16
            p = np.int64(slot[np.uint64(suffix)])
            if p >= start and p < o and entries[np.uint64(p)] >> 32 == suffix:
                entries[np.uint64(p)] += e & WEIGHT
            else:
                slot[np.uint64(suffix)] = o
                entries[np.uint64(o)] = (suffix << 32) | (e & WEIGHT)
                o += 1
        if o - start == 1:
            stacked = drop(entries[start] & WEIGHT, tally, large, stacked)
            o = start
        else:
            kept += 1
            begin[kept] = o
    return kept, stacked


@borrowing_kernel
def descend(d, having, table, limits, path, products, scratch):
    """
    Make the child node of a node at depth d, with or without its variable; return True if it has sets to value.

    table, limits, path, products, scratch : as in walk_subsets
    """
    links, arities, strides = table
    max_size, max_cells, max_occupied = limits
    entries, begin, tally, large, slot, groups = scratch
    arity = arities[d]
    now, below = path[d], path[d + 1]
    if having and (now[SIZE] == max_size or products[d] * arity > max_cells):
        return False
    for w in range(FEW):
        tally[d + 1, w] = tally[d, w]
    if having:
        cells, stacked = include(
            entries[d], begin[d], now[CELLS], links[d], arity, entries[d + 1], begin[d + 1], tally[d + 1], large,
            now[LARGE], groups,
        )  # fmt: skip
    else:
        cells, stacked = skip(
            entries[d], begin[d], now[CELLS], links[d], entries[d + 1], begin[d + 1], tally[d + 1], large,
            now[LARGE], slot,
        )  # fmt: skip
    if having:
        occupied = cells + stacked
        for w in range(FEW):
            occupied += tally[d + 1, w]
        if occupied > max_occupied:
            return False
    bit = np.int64(1) << (arities.size - 1 - d)
    below[STAGE] = 0
    below[MASK] = now[MASK] | (bit if having else 0)
    below[SIZE] = now[SIZE] + having
    below[INDEX] = now[INDEX] + (strides[d] if having else 0)
    below[CELLS] = cells
    below[LARGE] = stacked
    below[ENTRIES] = begin[d + 1, cells]
    products[d + 1] = products[d] * arity if having else products[d]
    return True


@borrowing_kernel
def descend_path(decisions, start, table, limits, path, products, scratch):
    """
    Make the nodes of a path below depth `start`; return True if its last node has sets to value.

    decisions : int64[d]   1 for each of the first variables that is in the sets, 0 for the others
    All other arguments are as in walk_subsets.
    """
    for d in range(start, decisions.size):
        if not descend(d, decisions[d], table, limits, path, products, scratch):
            return False
    return True


@borrowing_kernel
def walk_subsets(state, top, work, table, limits, path, products, scratch, bottom, functions, room, values):
    """
    Value the sets below the node at depth `top`, which `descend_path` has made; return True if all are done.

    state : int64[1]         depth of the next node; changed
    work : approximate number of entries to examine before returning
    table : (links, int64[n] arities, int64[n] strides)   the variables in the order of the walk; the strides give each
        set's index among the numbers of cells that sets can have
    limits : (int64, float64, int64)   largest numbers of variables, of cells, and of cells that occur
    path : int64[depths, PATH_COLUMNS]   see above
    products : float64[depths]   number of cells of the set at each node
    scratch : (entries, begin, tally, large, slot, groups)
    bottom, functions, room : see kernels_subset_values
    values : float64[functions, 2^n]   written, at the set's mask, in which variable d has bit n - 1 - d
    """
    entries, begin, tally, large, _, _ = scratch
    last = path.shape[0] - 1
    one, none = np.int64(1), np.int64(0)
    d = state[0]
    while d >= top and work > 0:
        now = path[d]
        work -= now[ENTRIES] + NODE_WORK
        if d == last:
            value_bottom(
                entries[d], begin[d], now[CELLS], tally[d], large, now[LARGE], now[SIZE], now[INDEX], now[MASK],
                products[d], limits, bottom, functions, room, values,
            )  # fmt: skip
            d -= 1
        elif now[STAGE] == 2:
            d -= 1
        else:
            now[STAGE] += 1
            d += descend(d, one if now[STAGE] == 1 else none, table, limits, path, products, scratch)
    state[0] = d
    return d < top
