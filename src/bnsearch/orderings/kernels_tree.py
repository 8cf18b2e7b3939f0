"""
The sets of each variable as a tree: the best set before a position without looking at all that are out of reach.

A path from a root spells a set, its members by number (see kernels_index), so that those of the best sets come first.
The trees of all variables stand one behind the other, each with its root first and the children of a node side by side,
the one with the best set below it first:

root : int64[n]           each variable's root
tree : int32[nodes, 4]    of each node
    MEMBER  the variable that it adds to the set; -1 for a root
    ROW     the row of the set that ends here, counted from the variable's first; NONE where none does
    BEST    the first row of all sets that end here or below
    KIDS    its first child; that of the next node ends the list, and a last node ends each tree
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel

MEMBER, ROW, BEST, KIDS = 0, 1, 2, 3
NONE = np.int32(2**31 - 1)
FEW = 12  # rows that are looked at one by one before the tree is
HASH = np.uint64(0x9E3779B97F4A7C15)


@borrowing_kernel
def sort_numbers(first, numbers, begin, end):
    """Sort the numbers of the members of each of the rows begin:end; first : where each row's begin."""
    for row in range(begin, end):
        for i in range(first[row] + 1, first[row + 1]):
            number = numbers[i]
            j = i
            while j > first[row] and numbers[j - 1] > number:
                numbers[j] = numbers[j - 1]
                j -= 1
            numbers[j] = number


@inlined_kernel
def find_child(node, number, table, made):
    """Return the slot of a hash table that holds a node's child for a candidate, or the free slot where it belongs."""
    mask = table.size - 1
    at = np.int64((np.uint64(node) * HASH + np.uint64(number) * (HASH >> np.uint64(7))) >> np.uint64(20)) & mask
    while table[at] >= 0 and (made[0, table[at]] != node or made[1, table[at]] != number):
        at = (at + 1) & mask
    return at


@borrowing_kernel
def plant(first, numbers, begin, end, table, made):
    """
    Make one variable's tree from its rows, the best first; nodes in the order of their making.

    first, numbers : where each row's members begin; their numbers, ascending within a row
    begin, end : the variable's rows
    table : int32[power of two]   scratch, all -1; more than twice as large as there are nodes
    made : int32[4, ...]          written: the parent, the candidate's number, the row that ends here or NONE, the row
                                  that made the node

    Returns how many nodes there are, the root included.
    """
    made[0, 0] = -1
    made[1, 0] = -1
    made[2, 0] = NONE
    made[3, 0] = 0
    nodes = 1
    for row in range(begin, end):
        node = np.int64(0)
        for i in range(first[row], first[row + 1]):
            at = find_child(node, numbers[i], table, made)
            if table[at] < 0:
                table[at] = nodes
                made[0, nodes] = node
                made[1, nodes] = numbers[i]
                made[2, nodes] = NONE
                made[3, nodes] = row - begin
                nodes += 1
            node = table[at]
        made[2, node] = row - begin
    return nodes


@borrowing_kernel
def arrange(made, nodes, cand, ends, by_parent, order, tree):
    """
    Copy a tree, the children of a node side by side.

    made, nodes : as `plant` makes them
    cand : int32[...]   the variable's candidates by number
    ends, by_parent, order : int32[nodes]   scratch
    tree : int32[nodes + 1, 4]   written; children are counted from its root
    """
    for node in range(nodes):
        ends[node] = 0
    for node in range(1, nodes):
        ends[made[0, node]] += 1
    begin = 0
    for node in range(nodes):
        count = ends[node]
        ends[node] = begin
        begin += count
    for node in range(1, nodes):  # the children of each in the order of their making: by their best rows
        parent = made[0, node]
        by_parent[ends[parent]] = node
        ends[parent] += 1
    order[0] = 0
    done = 1
    for at in range(nodes):
        node = order[at]
        tree[at, MEMBER] = cand[made[1, node]] if at > 0 else -1
        tree[at, ROW] = made[2, node]
        tree[at, BEST] = made[3, node]
        tree[at, KIDS] = done
        for i in range(ends[node - 1] if node > 0 else 0, ends[node]):
            order[done] = by_parent[i]
            done += 1
    for i in range(4):  # this one only ends the list before it
        tree[nodes, i] = nodes


@borrowing_kernel
def place_tree(own, offset, tree):
    """Copy a tree behind those with `offset` nodes; own, tree : int32[nodes + 1, 4], the latter written."""
    last = own.shape[0] - 1
    for at in range(last):
        for i in range(3):
            tree[at, i] = own[at, i]
        tree[at, KIDS] = own[at, KIDS] + offset
    for i in range(4):
        tree[last, i] = own[last, i] + offset


@inlined_kernel
def stands_before(index, position, row, limit, without):
    """Tell whether a row's members all stand before a position, another variable not among them."""
    first, members = index[2], index[3]
    for i in range(first[row], first[row + 1]):
        if position[members[i]] >= limit or members[i] == without:
            return False
    return True


@borrowing_kernel
def best_before(index, position, variable, limit, without, row, stop, path, looked):
    """
    Return the first row of a variable whose members all stand before a position, another variable not among them.

    index : as in kernels_state
    limit, without : that position; that variable, or -1
    row : no row before this one is known to be
    stop : returned where there is none before it
    path : int64[2, most members + 1]   scratch
    looked : int64[1]   the nodes visited are added
    """
    begin, tree = index[0][variable], index[11]
    near = min(row + FEW, stop)
    for i in range(row, near):
        if stands_before(index, position, i, limit, without):
            return i
    if near == stop:
        return stop
    found = stop - begin
    node = index[10][variable]
    found = min(found, np.int64(tree[node, ROW]))
    depth = 0
    path[0, 0] = tree[node, KIDS]
    path[1, 0] = tree[node + 1, KIDS]
    while depth >= 0:
        node = path[0, depth]
        if node == path[1, depth] or tree[node, BEST] >= found:  # nor is any that follows better
            depth -= 1
            continue
        path[0, depth] += 1
        looked[0] += 1
        member = tree[node, MEMBER]
        if position[member] < limit and member != without:
            found = min(found, np.int64(tree[node, ROW]))
            if tree[node, KIDS] < tree[node + 1, KIDS]:
                depth += 1
                path[0, depth] = tree[node, KIDS]
                path[1, depth] = tree[node + 1, KIDS]
    return begin + found
