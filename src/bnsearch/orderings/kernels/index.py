"""Kernels that build the index of a candidate table. Its arrays and terms are described in arrays.py."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.orderings.kernels.arrays import (
    BEST_ROW,
    CHILD,
    FIRST_CHILD,
    FIRST_ROW,
    HASH_MULTIPLIER,
    MEMBER,
    NO_ROW,
    NUMBER,
    ROW,
    ROWS_PER_WORD,
)

NODE_PARENT, NODE_NUMBER, NODE_ROW, NODE_BEST_ROW = 0, 1, 2, 3  # rows of `nodes`, a tree under construction


@borrowing_kernel
def count_candidates(members, begin, end, seen, stamp):
    """
    Return the number of distinct variables in members[begin:end].

    seen : int32[n]   scratch, nowhere equal to `stamp`; changed
    """
    number = 0
    for i in range(begin, end):
        if seen[members[i]] != stamp:
            seen[members[i]] = stamp
            number += 1
    return number


@borrowing_kernel
def number_members(first, members, begin, end, where, cand, rows, numbers, bits):
    """
    Assign numbers to the candidates of a variable, in the order in which they occur in its rows.

    begin, end : the variable's rows
    where : int32[n]              scratch, nowhere negative; changed
    cand : int32[candidates]      written: the candidates by number
    rows : int32[candidates]      written: the first row that contains each candidate
    numbers : int32[members]      written at the variable's rows: the number of each member
    bits : uint64[...]            zeroed; written: the variable's part of BITS
    """
    known = 0
    for row in range(begin, end):
        block = (row - begin) // ROWS_PER_WORD * cand.size
        bit = np.uint64(1) << np.uint64((row - begin) % ROWS_PER_WORD)
        for i in range(first[row], first[row + 1]):
            member = members[i]
            number = where[member]
            if number >= known or cand[number] != member:
                number = known
                where[member] = number
                cand[number] = member
                rows[number] = row
                known += 1
            numbers[i] = number
            bits[block + number] |= bit


@borrowing_kernel
def link_pairs(cand_begin, cand, rows, at, slot_begin, cand_slot, slots):
    """
    Write the slots of all pairs of candidate and child.

    cand_begin, cand              as CAND_BEGIN and CAND
    rows : int32[slots]           first row of the child that contains each entry of `cand`
    at : int64[n]                 scratch
    slot_begin : int64[n + 1]     zeroed; written: SLOT_BEGIN
    cand_slot : int32[slots]      written: CAND_SLOT
    slots : int32[3, slots]       written: SLOTS
    """
    n = at.size
    for i in range(cand.size):
        slot_begin[cand[i] + 1] += 1
    for v in range(n):
        slot_begin[v + 1] += slot_begin[v]
        at[v] = slot_begin[v]
    for child in range(n):
        for i in range(cand_begin[child], cand_begin[child + 1]):
            slot = at[cand[i]]
            at[cand[i]] += 1
            cand_slot[i] = slot
            slots[CHILD, slot] = child
            slots[NUMBER, slot] = i - cand_begin[child]
            slots[FIRST_ROW, slot] = rows[i]


@borrowing_kernel
def write_member_slots(numbers, cand_slot, member_slot):
    """Write the slot of each member, given its number; cand_slot : int32[candidates], the slots of one child."""
    for i in range(numbers.size):
        member_slot[i] = cand_slot[numbers[i]]


@borrowing_kernel
def sort_numbers(first, numbers, begin, end):
    """Sort the numbers of the members within each of the rows begin:end; first : first entry of each row."""
    for row in range(begin, end):
        for i in range(first[row] + 1, first[row + 1]):
            number = numbers[i]
            j = i
            while j > first[row] and numbers[j - 1] > number:
                numbers[j] = numbers[j - 1]
                j -= 1
            numbers[j] = number


@inlined_kernel
def find_child(node, number, table, nodes):
    """Return the place of a node's child for a candidate in a hash table; a free place if there is no such child."""
    mask = table.size - 1
    key = np.uint64(node) * HASH_MULTIPLIER + np.uint64(number) * (HASH_MULTIPLIER >> np.uint64(7))
    at = np.int64(key >> np.uint64(20)) & mask
    while table[at] >= 0 and (nodes[NODE_PARENT, table[at]] != node or nodes[NODE_NUMBER, table[at]] != number):
        at = (at + 1) & mask
    return at


@borrowing_kernel
def grow_tree(first, numbers, begin, end, table, nodes):
    """
    Build the tree of one variable's rows, inserted best first, with the nodes in order of creation.

    first : int64[rows + 1]       first entry of each row in `numbers`
    numbers : int32[members]      numbers of the members, ascending within a row
    begin, end : the variable's rows
    table : int32[power of two]   scratch, all -1; more than twice as large as the number of nodes
    nodes : int32[4, ...]         written: NODE_PARENT; NODE_NUMBER of the candidate; NODE_ROW, the row that ends here
                                  or NO_ROW; NODE_BEST_ROW, the row that created the node

    Returns the number of nodes, including the root.
    """
    nodes[NODE_PARENT, 0] = -1
    nodes[NODE_NUMBER, 0] = -1
    nodes[NODE_ROW, 0] = NO_ROW
    nodes[NODE_BEST_ROW, 0] = 0
    count = 1
    for row in range(begin, end):
        node = np.int64(0)
        for i in range(first[row], first[row + 1]):
            at = find_child(node, numbers[i], table, nodes)
            if table[at] < 0:
                table[at] = count
                nodes[NODE_PARENT, count] = node
                nodes[NODE_NUMBER, count] = numbers[i]
                nodes[NODE_ROW, count] = NO_ROW
                nodes[NODE_BEST_ROW, count] = row - begin
                count += 1
            node = table[at]
        nodes[NODE_ROW, node] = row - begin
    return count


@borrowing_kernel
def arrange_tree(nodes, count, cand, ends, by_parent, order, tree):
    """
    Copy a tree so that the children of a node are side by side.

    nodes, count : the result of `grow_tree`
    cand : int32[...]   the variable's candidates by number
    ends, by_parent, order : int32[nodes]   scratch
    tree : int32[nodes + 1, 4]   written: as TREE, with the nodes counted from the root
    """
    for node in range(count):
        ends[node] = 0
    for node in range(1, count):
        ends[nodes[NODE_PARENT, node]] += 1
    begin = 0
    for node in range(count):
        children = ends[node]
        ends[node] = begin
        begin += children
    for node in range(1, count):  # siblings in order of creation, which is the order of their best rows
        parent = nodes[NODE_PARENT, node]
        by_parent[ends[parent]] = node
        ends[parent] += 1
    order[0] = 0
    done = 1
    for at in range(count):
        node = order[at]
        tree[at, MEMBER] = cand[nodes[NODE_NUMBER, node]] if at > 0 else -1
        tree[at, ROW] = nodes[NODE_ROW, node]
        tree[at, BEST_ROW] = nodes[NODE_BEST_ROW, node]
        tree[at, FIRST_CHILD] = done
        for i in range(ends[node - 1] if node > 0 else 0, ends[node]):
            order[done] = by_parent[i]
            done += 1
    for column in range(tree.shape[1]):  # this node only ends the list of children before it
        tree[count, column] = count


@borrowing_kernel
def place_tree(own, offset, tree):
    """Copy one variable's tree to the trees of all, after `offset` nodes; own, tree : int32[nodes + 1, 4]."""
    last = own.shape[0] - 1
    for at in range(last):
        for column in range(FIRST_CHILD):
            tree[at, column] = own[at, column]
        tree[at, FIRST_CHILD] = own[at, FIRST_CHILD] + offset
    for column in range(own.shape[1]):
        tree[last, column] = own[last, column] + offset
