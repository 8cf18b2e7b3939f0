"""Independence selection: sets in the order of an estimate that takes their parts as independent."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES, WEIGHTS
from bnsearch.counting.kernels_histogram import max_dense_cells
from bnsearch.counting.kernels_set import CELLS, COUNTS, cells_of, count_set
from bnsearch.counting.kernels_terms import sum_counts
from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.sorting import insert_descending
from bnsearch.selection.kernels_frontier import (
    HEAP_ADDED,
    HEAP_NODE,
    NODE_ADDED,
    NODE_PARENT,
    NODE_SCORE,
    NODES,
    OPEN,
    SEEN,
    add_node,
    drop_top,
    holds,
    insert_key,
    push,
    replace_top,
)


@kernel
def estimate(score, other, cells, arity, price, empty):
    """
    Return BIC* of two disjoint parent sets (Perez & Maua 2016, equation 3).

    score, other : local scores of the two sets
    cells, arity : their numbers of cells
    price : penalty of one cell of the parents
    empty : local score without parents
    """
    return score + other + price * (cells + arity - cells * arity - 1.0) - empty


@inner_kernel
def merge_states(cells, counts, found, arity):
    """Sum the counts over the states of the last variable, whose cells are adjacent; return the number of sums."""
    groups = 0
    group = np.int64(-1)
    for i in range(found):
        if cells[i] // arity == group:
            counts[groups - 1] += counts[i]
        else:
            group = cells[i] // arity
            counts[groups] = counts[i]
            groups += 1
    return groups


@kernel
def score_family(columns, scratch, family, terms):
    """
    Return the local score of a family; one with a small table is counted once.

    family : int64[k + 1]   places of the parents and, last, of the child
    """
    arities = columns[ARITIES]
    parents = family[: family.size - 1]
    cells = cells_of(arities, parents)
    arity = arities[family[family.size - 1]]
    found = count_set(columns, scratch, family)
    value = sum_counts(scratch[COUNTS], found, terms, cells * arity)
    if cells * arity <= max_dense_cells(columns[WEIGHTS].size):  # counted in the order of its cells, the child fastest
        found = merge_states(scratch[CELLS], scratch[COUNTS], found, arity)
    else:
        found = count_set(columns, scratch, parents)
    return value - sum_counts(scratch[COUNTS], found, terms, cells)


@kernel
def score_singles(columns, scratch, terms, child, places, scores):
    """Score a child with each of some places as its only parent; scores : float64[places], written."""
    family = np.empty(2, np.int64)
    family[1] = child
    for i in range(places.size):
        family[0] = places[i]
        scores[i] = score_family(columns, scratch, family, terms)


@inner_kernel
def write_family(nodes, node, added, places, child, family):
    """Write the places of a node's members and one more, descending, then the child; return their number."""
    size = 0
    while True:
        insert_descending(family, size, places[added])
        size += 1
        if node == 0:
            family[size] = child
            return size + 1
        added = nodes[NODE_ADDED][node]
        node = nodes[NODE_PARENT][node]


@inner_kernel
def can_pay(cells, price, bounded, below, tolerance):
    """Return True if a set with a perfect fit would beat a subset's score, or if the bound is not used."""
    return not bounded or improves_on(-price * cells, below, tolerance)


@inner_kernel
def open_extensions(nodes, node, heap, number, arities, singles, ends, price, bounded, tolerance):
    """
    Open the most promising extension of a node in every class of candidates.

    Candidates of equal arity form a class, sorted by their scores as single parents. For every node this is the order
    of their estimates, so a candidate is opened when the one before it has been taken.
    """
    _, _, _, cells, scores, belows, _ = nodes
    best = max(scores[node], belows[node])
    candidate = 0
    while candidate < arities.size:
        if can_pay(cells[node] * arities[candidate], price, bounded, best, tolerance):
            value = estimate(scores[node], singles[candidate], cells[node], arities[candidate], price, scores[0])
            push(heap, number, value, node, candidate)
        candidate = ends[candidate]


@kernel
def close_singles(nodes, heap, number, arities, random, singles, ends, slots, price, bounded, tolerance, extend):
    """Close all sets of one candidate, whose scores are given; open their extensions if `extend` is True."""
    root = np.int64(0)
    for i in range(singles.size):
        insert_key(slots, random[i])
        node = add_node(nodes, number, root, i, arities[i], random[i], singles[i], nodes[NODE_SCORE][0])
        if extend:
            open_extensions(nodes, node, heap, number, arities, singles, ends, price, bounded, tolerance)
    number[SEEN] += singles.size


@kernel
def search_by_estimates(
    columns, scratch, terms, child, places, arities, random, singles, ends, price, bounded, tolerance, max_parents,
    nodes, heap, slots, number, pops, max_families,
):  # fmt: skip
    """
    Take the most promising open sets one after the other, score them, and open their extensions.

    places : int64[m]         the candidates
    arities : float64[m]
    random : uint64[m]
    singles : float64[m]      their scores as single parents; candidates are sorted by arity, then best first
    ends : int64[m]           end of the class of each candidate
    price : penalty of one cell of the parents
    bounded : True if sets are left out whose penalty alone exceeds the loss of a subset
    nodes, heap, slots, number : see kernels_frontier; with room for the sets that are added
    pops : largest number of open sets to take
    max_families : largest number of sets to score
    """
    family = np.empty(max_parents + 1, np.int64)
    _, _, sizes, cells, scores, belows, keys = nodes
    last = number[NODES] + max_families
    for _pop in range(pops):
        if number[OPEN] == 0 or number[NODES] == last:
            return
        node, added = np.int64(heap[HEAP_NODE][0]), np.int64(heap[HEAP_ADDED][0])
        after = added + 1
        if after < ends[added]:
            value = estimate(scores[node], singles[after], cells[node], arities[after], price, scores[0])
            replace_top(heap, number, value, node, after)
        else:
            drop_top(heap, number)
        below = max(scores[node], belows[node], singles[added])
        if holds(nodes, node, added) or not can_pay(cells[node] * arities[added], price, bounded, below, tolerance):
            continue
        if not insert_key(slots, keys[node] ^ random[added]):
            continue
        number[SEEN] += 1
        size = write_family(nodes, node, added, places, child, family)
        score = score_family(columns, scratch, family[:size], terms)
        new = add_node(nodes, number, node, added, arities[added], random[added], score, below)
        if sizes[new] < max_parents:
            open_extensions(nodes, new, heap, number, arities, singles, ends, price, bounded, tolerance)
