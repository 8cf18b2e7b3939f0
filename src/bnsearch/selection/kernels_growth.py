"""Best-first growth of one variable's parent sets."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES, TOTAL
from bnsearch.counting.kernels_expand import occupied_cells, score_extensions
from bnsearch.counting.kernels_set import cells_of
from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.scores.kernels_bounds import ceiling

# Results of grow_sets.
FINISHED, OUT_OF_BUDGET, OUT_OF_SPACE = 0, 1, 2
# Indices into `counters`: number of known sets, of scored families, next size; from OPEN on, open sets of each size.
KNOWN, SCORED, NEXT_SIZE, OPEN = 0, 1, 2, 3


@inner_kernel
def push(heap, size, scores, index):
    """Add a set to the heap, which has the best score on top; return the new size."""
    at = size
    while at > 0 and scores[heap[(at - 1) >> 1]] < scores[index]:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = index
    return size + 1


@inner_kernel
def pop(heap, size, scores):
    """Remove the best set from the heap and return it."""
    top = heap[0]
    moved = heap[size - 1]
    at = 0
    while 2 * at + 1 < size - 1:
        below = 2 * at + 1
        if below + 1 < size - 1 and scores[heap[below + 1]] > scores[heap[below]]:
            below += 1
        if scores[heap[below]] <= scores[moved]:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = moved
    return top


@inner_kernel
def insert_set(sets, sizes, index, random, slots):
    """Insert a set into the hash table, int32[power of two], unless it is there; return True if it is new."""
    key = np.uint64(0)
    for i in range(sizes[index]):
        key ^= random[sets[index, i]]
    mask = np.uint64(slots.size - 1)
    at = key & mask
    while slots[np.int64(at)] >= 0:
        other = slots[np.int64(at)]
        same = sizes[other] == sizes[index]
        for i in range(sizes[index]):
            same = same and sets[other, i] == sets[index, i]
        if same:
            return False
        at = (at + np.uint64(1)) & mask
    slots[np.int64(at)] = index
    return True


@kernel
def insert_sets(sets, sizes, number, random, slots):
    """Insert the first sets into an empty hash table."""
    for index in range(number):
        insert_set(sets, sizes, index, random, slots)


@inner_kernel
def other_candidates(candidates, parents, pool):
    """Write the candidates that are not parents; return their number."""
    number = 0
    for i in range(candidates.size):
        fresh = True
        for j in range(parents.size):
            fresh = fresh and candidates[i] != parents[j]
        if fresh:
            pool[number] = candidates[i]
            number += 1
    return number


@inner_kernel
def open_extension(parents, added, score, sets, sizes, scores, heap, slots, random, counters):
    """Keep and open the set of parents, ascending, and one more place, unless it is known."""
    to = counters[KNOWN]
    j = parents.size
    while j > 0 and parents[j - 1] > added:
        sets[to, j] = parents[j - 1]
        j -= 1
    sets[to, j] = added
    for u in range(j):
        sets[to, u] = parents[u]
    size = parents.size + 1
    sizes[to] = size
    if insert_set(sets, sizes, to, random, slots):
        scores[to] = score
        counters[OPEN + size] = push(heap[size], counters[OPEN + size], scores, to)
        counters[KNOWN] += 1


@inner_kernel
def next_size(counters, sizes):
    """Return the next of the sizes 0..sizes - 1 that has open sets, or -1."""
    for i in range(sizes):
        size = (counters[NEXT_SIZE] + i) % sizes
        if counters[OPEN + size] > 0:
            return size
    return -1


@inner_kernel
def can_pay(columns, child, parents, best, bound, tolerance, scratch):
    """Return True if, by the bound, a family with more parents than these can beat a score."""
    slope, level, smallest = bound
    arities, rows = columns[ARITIES], columns[TOTAL]
    cells = cells_of(arities, parents)
    occupied = min(cells * arities[child], float(rows))  # an upper bound, which often decides
    if improves_on(ceiling(slope, level, arities[child], cells * smallest, occupied), best, tolerance):
        return True
    if level == 0.0:
        return False
    occupied = float(occupied_cells(columns, child, parents, scratch))
    return improves_on(ceiling(slope, level, arities[child], cells * smallest, occupied), best, tolerance)


@kernel
def grow_sets(
    columns, child, candidates, max_parents, joint, others, bound, tolerance, scratch,
    sets, sizes, scores, heap, slots, random, counters, budget,
):  # fmt: skip
    """
    Extend open sets by every candidate, one set after the other; keep an extension if it beats the set it extends.

    The sizes take turns, each with its best open set. By their scores alone, the largest sets would always come first.

    columns : the fields of Columns, a plain tuple
    child, candidates : place, int64[...] places
    max_parents : size of the largest set
    joint, others : terms of a family's whole set and of its parents
    bound : the fields of a Bound, a plain tuple
    scratch : for score_extensions
    sets : int32[capacity, width]      members, ascending places
    sizes, scores : int32[capacity], float64[capacity]
    heap : int32[width + 1, capacity]  open sets of each size
    slots : int32[power of two above 2 * capacity]   hash table of the sets, -1 where empty
    random : uint64[places]
    counters : int64[OPEN + width + 1]   KNOWN, SCORED, NEXT_SIZE, OPEN ...; updated
    budget : number of families to score; the last extension may exceed it
    """
    parents = np.empty(sets.shape[1], np.int64)
    pool = np.empty(candidates.size, np.int64)
    values = np.empty(candidates.size, np.float64)
    until = counters[SCORED] + budget
    while counters[SCORED] < until:
        size = next_size(counters, heap.shape[0])
        if size < 0:
            return FINISHED
        if counters[KNOWN] + candidates.size > sizes.size or size >= sets.shape[1]:
            return OUT_OF_SPACE
        best = pop(heap[size], counters[OPEN + size], scores)
        counters[OPEN + size] -= 1
        counters[NEXT_SIZE] = size + 1
        for i in range(size):
            parents[i] = sets[best, i]
        if size >= max_parents or not can_pay(columns, child, parents[:size], scores[best], bound, tolerance, scratch):
            continue
        number = other_candidates(candidates, parents[:size], pool)
        score_extensions(columns, child, parents[:size], pool[:number], joint, others, scratch, values[:number])
        counters[SCORED] += number
        for i in range(number):
            if improves_on(values[i], scores[best], tolerance):
                open_extension(parents[:size], pool[i], values[i], sets, sizes, scores, heap, slots, random, counters)
    return OUT_OF_BUDGET
