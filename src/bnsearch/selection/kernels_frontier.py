"""
The sets of one variable's best-first search.

`nodes` are the closed sets. Each extends another node by one candidate; node 0 is the empty set. The tuple holds

parent : int32[C]       the node that is extended
added : int32[C]        the candidate that is added to it
size : int32[C]         number of members
cells : float64[C]      product of the members' arities
score : float64[C]      local score
below : float64[C]      highest score of the proper subsets on the way to this node
key : uint64[C]         exclusive or of the members' random numbers

`heap` holds the open sets, each a node and one more candidate, as a binary heap with the highest value on top:

value : float64[C]      the priority
node : int32[C]
added : int32[C]

`slots` is the hash table of the seen sets: uint64[power of two], their keys, 0 in a free slot. Two sets with the same
key would be taken for one, and the second would not be scored. Among 10^7 sets this has a probability of 3e-6.

`number` is int64[3]: the numbers of nodes, of open sets and of seen sets.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel

NODE_PARENT, NODE_ADDED, NODE_SIZE, NODE_CELLS, NODE_SCORE, NODE_BELOW, NODE_KEY = range(7)
HEAP_VALUE, HEAP_NODE, HEAP_ADDED = range(3)
NODES, OPEN, SEEN = range(3)


@kernel
def push(heap, number, value, node, added):
    """Add an entry to the heap."""
    values, nodes, extras = heap
    at = number[OPEN]
    number[OPEN] += 1
    while at > 0 and values[(at - 1) >> 1] < value:
        above = (at - 1) >> 1
        values[at], nodes[at], extras[at] = values[above], nodes[above], extras[above]
        at = above
    values[at], nodes[at], extras[at] = value, node, added


@kernel
def replace_top(heap, number, value, node, added):
    """Replace the best entry of the heap by another one."""
    values, nodes, extras = heap
    size = number[OPEN]
    at = np.int64(0)
    while 2 * at + 1 < size:
        under = 2 * at + 1
        if under + 1 < size and values[under + 1] > values[under]:
            under += 1
        if values[under] <= value:
            break
        values[at], nodes[at], extras[at] = values[under], nodes[under], extras[under]
        at = under
    values[at], nodes[at], extras[at] = value, node, added


@kernel
def drop_top(heap, number):
    """Remove the best entry of the heap."""
    values, nodes, extras = heap
    number[OPEN] -= 1
    last = number[OPEN]
    if last > 0:
        replace_top(heap, number, values[last], np.int64(nodes[last]), np.int64(extras[last]))


@kernel
def insert_key(slots, key):
    """Insert the key of a set into the hash table; return True if it is new."""
    mask = np.uint64(slots.size - 1)
    at = key & mask
    while slots[np.int64(at)] != 0:
        if slots[np.int64(at)] == key:
            return False
        at = (at + np.uint64(1)) & mask
    slots[np.int64(at)] = key
    return True


@kernel
def move_keys(old, new):
    """Insert all keys of a hash table into a larger, empty one."""
    for i in range(old.size):
        if old[i] != 0:
            insert_key(new, old[i])


@inner_kernel
def holds(nodes, node, candidate):
    """Return True if a candidate is a member of a node's set."""
    while node > 0:
        if nodes[NODE_ADDED][node] == candidate:
            return True
        node = nodes[NODE_PARENT][node]
    return False


@inner_kernel
def add_node(nodes, number, parent, added, arity, random, score, below):
    """Add the node of a set that extends another node; return its index."""
    parents, extras, size, cells, scores, belows, keys = nodes
    node = number[NODES]
    number[NODES] += 1
    parents[node], extras[node] = parent, added
    size[node] = size[parent] + 1
    cells[node] = cells[parent] * arity
    keys[node] = keys[parent] ^ random
    scores[node], belows[node] = score, below
    return node


@kernel
def close_best(nodes, heap, number, arities, random):
    """
    Close the best open set, whose value is its score; return its node.

    arities : float64[candidates]
    random : uint64[candidates]
    """
    score, parent, added = heap[HEAP_VALUE][0], np.int64(heap[HEAP_NODE][0]), np.int64(heap[HEAP_ADDED][0])
    drop_top(heap, number)
    below = max(nodes[NODE_SCORE][parent], nodes[NODE_BELOW][parent])
    return add_node(nodes, number, parent, added, arities[added], random[added], score, below)


@kernel
def take_unseen(nodes, node, random, slots, number, unseen):
    """Write the candidates whose extensions of a node are new, and mark those as seen; return their number."""
    found = 0
    for candidate in range(random.size):
        if not holds(nodes, node, candidate) and insert_key(slots, nodes[NODE_KEY][node] ^ random[candidate]):
            unseen[found] = candidate
            found += 1
    number[SEEN] += found
    return found


@kernel
def push_extensions(heap, number, node, candidates, scores):
    """Open the extensions of a node by candidates, int64[m], with their scores, float64[m], as values."""
    for i in range(candidates.size):
        push(heap, number, scores[i], node, candidates[i])


@kernel
def write_sets(nodes, node, added, labels, members):
    """
    Write the members of the sets of a node and one more candidate, one set after the other.

    node, added : int32[m]
    labels : int64[candidates]   the variables
    members : int32[...]         written
    """
    to = 0
    for i in range(node.size):
        members[to] = labels[added[i]]
        to += 1
        at = node[i]
        while at > 0:
            members[to] = labels[nodes[NODE_ADDED][at]]
            to += 1
            at = nodes[NODE_PARENT][at]
