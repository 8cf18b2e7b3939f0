"""
Kernels that index a candidate table by pairs: which variables another could have as parents, and in which sets.

Trees of the sets of each variable: the best set before a position without looking at all that are out of reach.

A path from a root spells a set, its members by number (see number_members), so that those of the best sets come first.
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

WORD = 64
MEMBER, ROW, BEST, KIDS = 0, 1, 2, 3
NONE = np.int32(2**31 - 1)
FEW = 12  # rows that are looked at one by one before the tree is
HASH = np.uint64(0x9E3779B97F4A7C15)


@borrowing_kernel
def count_candidates(members, begin, end, seen, stamp):
    """
    Return how many variables are among members[begin:end].

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
    Give a child's candidates numbers in the order in which they appear in its rows.

    begin, end : the child's rows
    where : int32[n]              scratch, nowhere negative; changed
    cand : int32[candidates]      written: the candidates by number
    rows : int32[candidates]      written: the first row that has each
    numbers : int32[members]      written at the child's rows: the number of each member
    bits : uint64[...]            zeroed; written: for every 64 rows a word for each candidate by number, with the
                                  bits of the rows that have it
    """
    known = 0
    for row in range(begin, end):
        words = (row - begin) // WORD * cand.size
        bit = np.uint64(1) << np.uint64((row - begin) % WORD)
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
            bits[words + number] |= bit


@borrowing_kernel
def link_pairs(cand_begin, cand, rows, at, slot_begin, cand_slot, slots):
    """
    Write the pairs of candidate and child by candidate.

    A pair's slot is its place in the list by candidate; its number is its place among the child's candidates.

    cand_begin : int64[n + 1]           where each child's candidates begin
    cand, rows : int32[pairs]           by child, each candidate and the first row that has it
    at : int64[n]                       scratch
    slot_begin : int64[n + 1]           zeroed; written: where the slots of each candidate begin
    cand_slot : int32[pairs]            written: by child, the pair's slot
    slots : int32[3, pairs]             written: by candidate, the child, the pair's number, the first row that has it
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
            slots[0, slot] = child
            slots[1, slot] = i - cand_begin[child]
            slots[2, slot] = rows[i]


@borrowing_kernel
def write_slots(numbers, cand_slot, member_slot):
    """Write the slot of each member, given its number; cand_slot : int32[candidates], those of the child."""
    for i in range(numbers.size):
        member_slot[i] = cand_slot[numbers[i]]


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
