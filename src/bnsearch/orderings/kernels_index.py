"""Kernels that index a candidate table by pairs: which variables another could have as parents, and in which sets."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernel import kernel

WORD = 64


@kernel
def count_pairs(begin, first, members, seen, cand_begin, slot_begin):
    """
    Count each variable's candidates (members of its sets), and the variables it is a candidate of.

    begin, first, members : a candidate table
    seen : int32[n]              scratch, all -1
    cand_begin : int64[n + 1]    written: where each variable's candidates begin
    slot_begin : int64[n + 1]    zeroed; written: where the slots of each candidate begin
    """
    n = begin.size - 1
    total = 0
    for child in range(n):
        cand_begin[child] = total
        for i in range(first[begin[child]], first[begin[child + 1]]):
            if seen[members[i]] != child:
                seen[members[i]] = child
                slot_begin[members[i] + 1] += 1
                total += 1
    cand_begin[n] = total
    for v in range(n):
        slot_begin[v + 1] += slot_begin[v]


@kernel
def fill_pairs(
    begin, first, members, where, cand_begin, slot_begin, bits_begin, cand, cand_slot, slots, member_slot, bits
):  # fmt: skip
    """
    Write the pairs of candidate and child, by child and by candidate.

    A pair's slot is its place in the list by candidate; its number is its place among the child's candidates.

    where : int64[n]                scratch, all -1
    cand, cand_slot : int32[pairs]  written: by child, each candidate and the pair's slot
    slots : int32[3, pairs]         written: by candidate, the child, the pair's number, the first row that has it
    member_slot : int32[members]    written: the slot of each member of each row
    bits_begin : int64[n]           where each child's words begin
    bits : uint64[...]              zeroed; written: for every 64 rows of a child a word for each of its candidates by
                                    number, the bits of the rows that have it
    """
    n = begin.size - 1
    at = slot_begin[:n].copy()
    for child in range(n):
        number = 0
        for row in range(begin[child], begin[child + 1]):
            place = row - begin[child]
            words = bits_begin[child] + place // WORD * (cand_begin[child + 1] - cand_begin[child])
            bit = np.uint64(1) << np.uint64(place % WORD)
            for i in range(first[row], first[row + 1]):
                member = members[i]
                slot = where[member]
                if slot < 0 or slots[0, slot] != child:
                    slot = at[member]
                    at[member] += 1
                    where[member] = slot
                    cand[cand_begin[child] + number] = member
                    cand_slot[cand_begin[child] + number] = slot
                    slots[0, slot] = child
                    slots[1, slot] = number
                    slots[2, slot] = row
                    number += 1
                member_slot[i] = slot
                bits[words + slots[1, slot]] |= bit
