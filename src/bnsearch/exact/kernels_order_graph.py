"""
Kernels of the search over the order graph: its nodes are sets of variables that come first in an ordering.

A node has a score, that of the best network of its variables, and a potential, an upper bound on the sum of the local
scores of all other variables. Children whose score plus potential does not exceed the score of the incumbent are not
kept. The arguments are tuples of arrays:
table : (begin, scores, tops, first_word, absent)
    begin : int64[n + 1]       the parent sets of variable v are begin[v]:begin[v + 1], best first, at least one
    scores : float64[...]      their local scores
    tops : uint64[n]           members of the best parent set of each variable
    first_word : int64[n]      position of a variable in `absent`
    absent : uint64[...]       for each variable, each group of GROUP variables, each subset of this group and each 64
                               parent sets of the variable, one word: its bit i is 1 if the i-th of these sets has no
                               member in the subset. The number of words is a multiple of BLOCK; the last may be 0
bound : (reduced, clusters, local)
    reduced : float64[n]       the best reduced score of each variable
    clusters : (masks, orders, prices)   cluster inequalities: uint64[m], their members as bits; int64[m], their orders;
                               float64[m], their multipliers
    local : (first, members, value_first, values)   local cuts: the members of cut c are members[first[c]:first[c + 1]];
                               values[value_first[c] + mask] is the maximum of its sum over the members that are not in
                               the node, times its multiplier, if the mask has the members in the node
nodes : (keys, node_scores, potentials, parents, added, following)
    keys : uint64[c]           the variables of each node
    node_scores, potentials : float64[c]
    parents, added : int32[c], int8[c]   the node, and the variable that joined it, from which a node was reached
    following : int32[c]       the next node of the same layer; -1 if there is none
slots : int32[2^k]             a hash table with linear probing: numbers of nodes, -1 for an empty slot
heads : int32[n + 1]           the first open node of each number of variables; -1 if there is none
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import lowest_bit, popcount
from bnsearch.kernels.compile import inlined_kernel, inner_borrowing_kernel, kernel
from bnsearch.kernels.random_numbers import hash_number

COUNT, EXPANDED, LAYER, OPEN = range(4)  # entries of `state`: numbers of nodes kept and expanded, layer, open nodes
NO_NODE = -1
GROUP = 4  # variables whose members of a set are looked up together
BLOCK = 4  # words that are read together: one vector instruction


@inlined_kernel
def count_words(n_sets):
    """Return the number of words for the parent sets of a variable, a multiple of BLOCK."""
    return (n_sets + 64 * BLOCK - 1) // (64 * BLOCK) * BLOCK


@inlined_kernel
def find_first_bit(w0, w1, w2, w3):
    """Return the place of the first bit in four words, which are not all 0."""
    if (w0 | w1) != np.uint64(0):
        return lowest_bit(w0) if w0 != np.uint64(0) else 64 + lowest_bit(w1)
    return 128 + lowest_bit(w2) if w2 != np.uint64(0) else 192 + lowest_bit(w3)


@inlined_kernel
def find_best_set(table, v, planes, least):
    """
    Return the best parent set of a variable without members outside the node; -1 if its score is at most `least`.

    planes : uint64[groups]   for each group, the number of the subset that is outside the node
    """
    begin, scores, _, first_word, absent = table
    start, n_words = np.uint64(first_word[v]), np.uint64(count_words(begin[v + 1] - begin[v]))
    for row in range(begin[v], begin[v + 1], 64 * BLOCK):
        if scores[row] <= least:
            break
        w0 = w1 = w2 = w3 = ~np.uint64(0)
        for plane in planes:
            at = start + plane * n_words  # unsigned, so that no index is tested for being negative
            w0 &= absent[at]
            w1 &= absent[at + np.uint64(1)]
            w2 &= absent[at + np.uint64(2)]
            w3 &= absent[at + np.uint64(3)]
        if (w0 | w1 | w2 | w3) != np.uint64(0):
            found = row + find_first_bit(w0, w1, w2, w3)
            return found if scores[found] > least else np.int64(-1)
        start += np.uint64(BLOCK)
    return np.int64(-1)


@inlined_kernel
def find_place(local, c, key):
    """Return the place in `values` of a local cut, given the variables of a node."""
    first, members, value_first, _ = local
    place = value_first[c]
    for i in range(first[c], first[c + 1]):
        place += np.int64((key >> np.uint64(members[i])) & np.uint64(1)) << (i - first[c])
    return place


@inner_borrowing_kernel
def write_changes(bound, key, changes):
    """Return the potential of a node, and write its change for each variable that may join; changes : float64[n]."""
    reduced, (masks, orders, prices), local = bound
    first, members, _, values = local
    potential = 0.0
    for v in range(reduced.size):
        changes[v] = -reduced[v]
        if (key >> np.uint64(v)) & np.uint64(1) == np.uint64(0):
            potential += reduced[v]
    for c in range(masks.size):
        rest = masks[c] & ~key
        if np.int64(popcount(masks[c] & key)) < orders[c]:
            potential += prices[c] * (np.int64(popcount(masks[c])) - orders[c])
            continue
        potential += prices[c] * np.int64(popcount(rest))
        while rest != np.uint64(0):
            changes[lowest_bit(rest)] -= prices[c]
            rest &= rest - np.uint64(1)
    for c in range(first.size - 1):
        place = find_place(local, c, key)
        potential += values[place]
        for i in range(first[c], first[c + 1]):
            if (key >> np.uint64(members[i])) & np.uint64(1) == np.uint64(0):
                changes[members[i]] += values[place + (1 << (i - first[c]))] - values[place]
    return potential


@inner_borrowing_kernel
def compute_change(bound, key, v):
    """Return the change of the potential of a node if a variable joins it."""
    reduced, (masks, orders, prices), local = bound
    first, members, _, values = local
    change = -reduced[v]
    for c in range(masks.size):
        if (masks[c] >> np.uint64(v)) & np.uint64(1) and np.int64(popcount(masks[c] & key)) >= orders[c]:
            change -= prices[c]
    for c in range(first.size - 1):
        for i in range(first[c], first[c + 1]):
            if members[i] == v:
                place = find_place(local, c, key)
                change += values[place + (1 << (i - first[c]))] - values[place]
    return change


@inlined_kernel
def find_slot(slots, keys, key):
    """Return the slot of a node, or the empty slot where it belongs."""
    last = slots.size - 1
    slot = np.int64(hash_number(np.int64(key)) >> np.uint64(1)) & last
    while slots[slot] != NO_NODE and keys[slots[slot]] != key:
        slot = (slot + 1) & last
    return slot


@inner_borrowing_kernel
def add_free_variables(table, bound, key, gains):
    """
    Add all variables whose best parent set is inside the node, and return the variables of the node.

    In some best network, these variables come next in the ordering: they lose nothing, and can be parents of others.

    gains : float64[2]   changes of the score and of the potential; changed
    """
    begin, scores, tops = table[0], table[1], table[2]
    n = begin.size - 1
    every = ~np.uint64(0) >> np.uint64(64 - n)
    rest = outside = every & ~key
    while rest != np.uint64(0):
        v = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        if tops[v] & outside == np.uint64(0):
            gains[0] += scores[begin[v]]
            gains[1] += compute_change(bound, every & ~outside, v)
            outside &= ~(np.uint64(1) << np.uint64(v))
            rest = outside
    return every & ~outside


@inner_borrowing_kernel
def keep_node(nodes, slots, heads, state, key, score, potential, origin):
    """Keep a node with a score and a potential; origin : (parent, added). If it is known, keep the higher score."""
    keys, node_scores, potentials, parents, added, following = nodes
    slot = find_slot(slots, keys, key)
    node = np.int64(slots[slot])
    if node == NO_NODE:
        node = state[COUNT]
        state[COUNT] += 1
        state[OPEN] += 1
        slots[slot] = node
        keys[node], node_scores[node], potentials[node] = key, -np.inf, potential
        layer = np.int64(popcount(key))
        following[node], heads[layer] = heads[layer], node
    if score > node_scores[node]:
        node_scores[node] = score
        parents[node], added[node] = origin


@inner_borrowing_kernel
def expand_node(table, bound, nodes, slots, heads, state, node, target, scratch):
    """
    Keep the children of a node whose bounds exceed `target`; return False if its own does not.

    The node may have its potential from another bound. The potentials of its children follow from that of this bound:
    the lower one of both, less a change of the higher one, would not be valid.
    """
    changes, gains, planes = scratch
    scores = table[1]
    n = table[0].size - 1
    key, score = nodes[0][node], nodes[1][node]
    potential = write_changes(bound, key, changes)
    if score + potential <= target:
        return False
    outside = (~np.uint64(0) >> np.uint64(64 - n)) & ~key
    for group in range(planes.size):
        subset = (outside >> np.uint64(GROUP * group)) & np.uint64((1 << GROUP) - 1)
        planes[group] = np.uint64(group << GROUP) | subset
    rest = outside
    while rest != np.uint64(0):
        v = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        row = find_best_set(table, v, planes, target - score - potential - changes[v])
        if row < 0:
            continue
        gains[0], gains[1] = scores[row], changes[v]
        child = add_free_variables(table, bound, key | np.uint64(1) << np.uint64(v), gains)
        keep_node(nodes, slots, heads, state, child, score + gains[0], potential + gains[1], (node, v))
    return True


@kernel
def expand_nodes(table, bound, nodes, slots, heads, state, target, max_nodes, scratch):
    """
    Expand up to `max_nodes` nodes, those with the fewest variables first; return True if there is space for more.

    The parents of a node have fewer variables, so its score is final when its turn comes.

    state : int64[4]    changed. When LAYER is n, no open node has fewer variables
    scratch : (float64[n], float64[2], uint64[groups])
    """
    n = table[0].size - 1
    for _ in range(max_nodes):
        while state[LAYER] < n and heads[state[LAYER]] == NO_NODE:
            state[LAYER] += 1
        if state[LAYER] == n:
            return True
        if state[COUNT] + n > nodes[0].size:
            return False
        node = np.int64(heads[state[LAYER]])
        heads[state[LAYER]] = nodes[5][node]
        state[OPEN] -= 1
        if nodes[1][node] + nodes[2][node] > target:
            state[EXPANDED] += expand_node(table, bound, nodes, slots, heads, state, node, target, scratch)
    return True


@kernel
def find_frontier_bound(nodes, heads):
    """Return the highest sum of score and potential of all open nodes."""
    best = -np.inf
    for layer in range(heads.size):
        node = heads[layer]
        while node != NO_NODE:
            best = max(best, nodes[1][node] + nodes[2][node])
            node = nodes[5][node]
    return best


@kernel
def fill_slots(keys, start, stop, slots):
    """Write the numbers of the nodes start:stop to a hash table that does not contain them."""
    for node in range(start, stop):
        slots[find_slot(slots, keys, keys[node])] = node


@kernel
def write_absent(begin, masks, first_word, absent):
    """Write `absent` of a table; masks : uint64[...], the members of the parent sets; absent : zeros, written."""
    n_groups = (begin.size + GROUP - 2) // GROUP
    for v in range(begin.size - 1):
        n_words = count_words(begin[v + 1] - begin[v])
        for row in range(begin[v], begin[v + 1]):
            place = row - begin[v]
            bit = np.uint64(1) << np.uint64(place & 63)
            for group in range(n_groups):
                own = (masks[row] >> np.uint64(GROUP * group)) & np.uint64((1 << GROUP) - 1)
                for part in range(1 << GROUP):
                    if own & np.uint64(part) == np.uint64(0):
                        absent[first_word[v] + ((group << GROUP) + part) * n_words + (place >> 6)] |= bit
