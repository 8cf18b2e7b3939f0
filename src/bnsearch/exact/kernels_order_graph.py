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
                               member in the subset
bound : (reduced, holder_first, holders, steps, value_first, values)
    reduced : float64[n]       the best reduced score of each variable
    holder_first, holders : int64[n + 1], int64[...]   the cuts of variable v are holders[holder_first[v]:...]
    steps : int64[...]         by how much a variable increases the place in `values` when it joins the node
    value_first, values : int64[m], float64[...]   for each cut, the maximum of its sum over the variables that are not
                               in the node, times its multiplier; the place depends on the members in the node
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

COUNT, EXPANDED, LAYER = range(3)  # entries of `state`: number of nodes, number of expanded nodes, current layer
NO_NODE = -1
GROUP = 4  # variables whose members of a set are looked up together


@inlined_kernel
def find_best_set(table, v, outside, least):
    """Return the best parent set of a variable without members of `outside`; -1 if its score is at most `least`."""
    begin, scores, _, first_word, absent = table
    n_groups = (begin.size + GROUP - 2) // GROUP
    n_words = (begin[v + 1] - begin[v] + 63) >> 6
    for w in range(n_words):
        row = begin[v] + (w << 6)
        if scores[row] <= least:
            break
        word, rest, at = ~np.uint64(0), outside, first_word[v] + w
        for _ in range(n_groups):
            word &= absent[at + np.int64(rest & np.uint64((1 << GROUP) - 1)) * n_words]
            if word == np.uint64(0):
                break
            rest >>= np.uint64(GROUP)
            at += n_words << GROUP
        if word != np.uint64(0):
            found = row + lowest_bit(word)
            return found if scores[found] > least else np.int64(-1)
    return np.int64(-1)


@inlined_kernel
def compute_change(bound, v, places):
    """Return the change of the potential if a variable joins the node; places : int64[m], its places in `values`."""
    reduced, holder_first, holders, steps, _, values = bound
    change = -reduced[v]
    for i in range(holder_first[v], holder_first[v + 1]):
        place = places[holders[i]]
        change += values[place + steps[i]] - values[place]
    return change


@inlined_kernel
def move_places(bound, variables, sign, places):
    """Add the variables of a mask to the node that `places` describes, or remove them if `sign` is -1."""
    _, holder_first, holders, steps, _, _ = bound
    rest = variables
    while rest != np.uint64(0):
        v = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        for i in range(holder_first[v], holder_first[v + 1]):
            places[holders[i]] += sign * steps[i]


@inlined_kernel
def find_slot(slots, keys, key):
    """Return the slot of a node, or the empty slot where it belongs."""
    last = slots.size - 1
    slot = np.int64(hash_number(np.int64(key)) >> np.uint64(1)) & last
    while slots[slot] != NO_NODE and keys[slots[slot]] != key:
        slot = (slot + 1) & last
    return slot


@inner_borrowing_kernel
def add_free_variables(table, bound, key, places, gains):
    """
    Add all variables whose best parent set is inside the node, and return the variables of the node.

    In some best network, these variables come next in the ordering: they lose nothing, and can be parents of others.

    places : as in compute_change; changed
    gains : float64[2]   changes of the score and of the potential; changed
    """
    begin, scores, tops = table[0], table[1], table[2]
    n = begin.size - 1
    rest = (~np.uint64(0) >> np.uint64(64 - n)) & ~key
    outside = rest
    while rest != np.uint64(0):
        v = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        if tops[v] & outside == np.uint64(0):
            bit = np.uint64(1) << np.uint64(v)
            gains[0] += scores[begin[v]]
            gains[1] += compute_change(bound, v, places)
            move_places(bound, bit, 1, places)
            outside &= ~bit
            rest = outside
    return (~np.uint64(0) >> np.uint64(64 - n)) & ~outside


@inner_borrowing_kernel
def keep_node(nodes, slots, heads, state, key, score, potential, origin):
    """Keep a node with a score and a potential; origin : (parent, added). If it is known, keep the higher score."""
    keys, node_scores, potentials, parents, added, following = nodes
    slot = find_slot(slots, keys, key)
    node = np.int64(slots[slot])
    if node == NO_NODE:
        node = state[COUNT]
        state[COUNT] += 1
        slots[slot] = node
        keys[node], node_scores[node], potentials[node] = key, -np.inf, potential
        layer = np.int64(popcount(key))
        following[node], heads[layer] = heads[layer], node
    if score > node_scores[node]:
        node_scores[node] = score
        parents[node], added[node] = origin


@inner_borrowing_kernel
def expand_node(table, bound, nodes, slots, heads, state, node, target, places, gains):
    """Keep the children of a node whose bounds exceed `target`."""
    begin, scores = table[0], table[1]
    n = begin.size - 1
    key, score, potential = nodes[0][node], nodes[1][node], nodes[2][node]
    for c in range(places.size):
        places[c] = bound[4][c]
    move_places(bound, key, 1, places)
    outside = (~np.uint64(0) >> np.uint64(64 - n)) & ~key
    rest = outside
    while rest != np.uint64(0):
        v = lowest_bit(rest)
        rest &= rest - np.uint64(1)
        change = compute_change(bound, v, places)
        row = find_best_set(table, v, outside, target - score - potential - change)
        if row < 0:
            continue
        bit = np.uint64(1) << np.uint64(v)
        move_places(bound, bit, 1, places)
        gains[0], gains[1] = scores[row], change
        child = add_free_variables(table, bound, key | bit, places, gains)
        move_places(bound, child & ~key, -1, places)
        keep_node(nodes, slots, heads, state, child, score + gains[0], potential + gains[1], (node, v))


@kernel
def expand_nodes(table, bound, nodes, slots, heads, state, target, max_nodes, places, gains):
    """
    Expand up to `max_nodes` nodes, those with the fewest variables first; return True if there is space for more.

    The parents of a node have fewer variables, so its score is final when its turn comes.

    state : int64[3]    COUNT, EXPANDED and LAYER; changed. When LAYER is n, no open node has fewer variables
    places, gains : int64[m], float64[2]   scratch
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
        if nodes[1][node] + nodes[2][node] > target:
            expand_node(table, bound, nodes, slots, heads, state, node, target, places, gains)
            state[EXPANDED] += 1
    return True


@kernel
def lower_potentials(bound, nodes, heads, places):
    """Replace the potentials of all open nodes by those of another bound where these are lower."""
    reduced, _, _, _, value_first, values = bound
    keys, _, potentials, _, _, following = nodes
    for layer in range(heads.size):
        node = np.int64(heads[layer])
        while node != NO_NODE:
            for c in range(places.size):
                places[c] = value_first[c]
            move_places(bound, keys[node], 1, places)
            potential = 0.0
            for v in range(reduced.size):
                if (keys[node] >> np.uint64(v)) & np.uint64(1) == np.uint64(0):
                    potential += reduced[v]
            for c in range(places.size):
                potential += values[places[c]]
            potentials[node] = min(potentials[node], potential)
            node = np.int64(following[node])


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
def fill_slots(keys, count, slots):
    """Write the numbers of the first `count` nodes to a larger hash table, whose slots are empty."""
    for node in range(count):
        slots[find_slot(slots, keys, keys[node])] = node


@kernel
def write_absent(begin, masks, first_word, absent):
    """Write `absent` of a table; masks : uint64[...], the members of the parent sets; absent : zeros, written."""
    n_groups = (begin.size + GROUP - 2) // GROUP
    for v in range(begin.size - 1):
        n_words = (begin[v + 1] - begin[v] + 63) >> 6
        for row in range(begin[v], begin[v + 1]):
            place = row - begin[v]
            at = first_word[v] + (place >> 6)
            bit = np.uint64(1) << np.uint64(place & 63)
            for group in range(n_groups):
                own = (masks[row] >> np.uint64(GROUP * group)) & np.uint64((1 << GROUP) - 1)
                for part in range(1 << GROUP):
                    if own & np.uint64(part) == np.uint64(0):
                        absent[at + ((group << GROUP) + part) * n_words] |= bit
