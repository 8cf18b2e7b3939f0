"""Kernels that index a candidate table by pairs: which variables another could have as parents, and in which sets."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import borrowing_kernel

WORD = 64


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
