"""Kernels of the candidate table: which sets a subset matches or beats."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_bits import popcount
from bnsearch.kernel import kernel


@kernel
def sort_members(first, members):
    """Sort the members of every row's set in place; return the first row that holds one twice, or -1."""
    for row in range(first.size - 1):
        for i in range(first[row] + 1, first[row + 1]):
            member = members[i]
            j = i
            while j > first[row] and members[j - 1] > member:
                members[j] = members[j - 1]
                j -= 1
            members[j] = member
            if j > first[row] and members[j - 1] == member:
                return row
    return -1


@kernel
def take_rows(first, members, rows, new_first, new_members):
    """Copy the sets of some rows; new_first : int64[rows + 1], new_members : int32[...], both written."""
    to = 0
    new_first[0] = 0
    for i in range(rows.size):
        for j in range(first[rows[i]], first[rows[i] + 1]):
            new_members[to] = members[j]
            to += 1
        new_first[i + 1] = to


@kernel
def is_subset(first, members, inner, outer):
    """Tell whether one row's set is a subset of another's; both sorted."""
    j = first[outer]
    for i in range(first[inner], first[inner + 1]):
        while j < first[outer + 1] and members[j] < members[i]:
            j += 1
        if j == first[outer + 1] or members[j] != members[i]:
            return False
        j += 1
    return True


@kernel
def is_selection(first, members, inner, outer, selected):
    """Tell whether a row's set is exactly the members of another that the bits of `selected` choose."""
    i = first[inner]
    if first[inner + 1] - i != np.int64(popcount(selected)):
        return False
    for j in range(first[outer + 1] - first[outer]):
        if (selected >> np.uint64(j)) & np.uint64(1):
            if members[i] != members[first[outer] + j]:
                return False
            i += 1
    return True


@kernel
def find_set(slots, keys, key, first, members, outer, selected):
    """Return the row whose set is the selected members of another row's set, or -1; keys : uint64[rows]."""
    mask = np.uint64(slots.size - 1)
    at = key & mask
    while slots[np.int64(at)] >= 0:
        row = np.int64(slots[np.int64(at)])
        if keys[row] == key and is_selection(first, members, row, outer, selected):
            return row
        at = (at + np.uint64(1)) & mask
    return np.int64(-1)


@kernel
def mark_undominated(scores, first, members, rows, random, tolerance, slots, keys, keep):
    """
    Mark the sets of one variable that no subset, itself included, matches or beats.

    Subsets are looked up in a hash table of all the sets, or, where a set has more subsets than there are sets, all
    sets are tried.

    rows : int64[m]         the variable's rows, best score first, smaller sets first among equals
    random : uint64[n]      a random number for each variable
    tolerance : scores closer than tolerance * max(1, |score|) count as equal
    slots : int32[power of two > m]   scratch, all -1; left so
    keys : uint64[all rows]           scratch
    keep : bool[m]                    written
    """
    mask = np.uint64(slots.size - 1)
    for i in range(rows.size):
        row = rows[i]
        key = np.uint64(0x9E3779B97F4A7C15)
        for j in range(first[row], first[row + 1]):
            key ^= random[members[j]]
        keys[row] = key
        every = (np.uint64(1) << np.uint64(first[row + 1] - first[row])) - np.uint64(1)
        keep[i] = first[row + 1] - first[row] > 63 or find_set(slots, keys, key, first, members, row, every) < 0
        if keep[i]:
            at = key & mask
            while slots[np.int64(at)] >= 0:
                at = (at + np.uint64(1)) & mask
            slots[np.int64(at)] = row
    for i in range(rows.size):
        row = rows[i]
        size = first[row + 1] - first[row]
        if not keep[i] or size == 0:
            continue
        least = scores[row] - tolerance * max(1.0, abs(scores[row]))
        if size < 30 and (1 << size) < rows.size:
            key = keys[row]
            selected = (np.uint64(1) << np.uint64(size)) - np.uint64(1)
            for step in range(1, 1 << size):  # all subsets in the order of a Gray code: one member changes a step
                bit = 0
                while not (step >> bit) & 1:
                    bit += 1
                selected ^= np.uint64(1) << np.uint64(bit)
                key ^= random[members[first[row] + bit]]
                found = find_set(slots, keys, key, first, members, row, selected)
                if found >= 0 and scores[found] >= least:
                    keep[i] = False
                    break
        else:
            for other in range(rows.size):
                if scores[rows[other]] < least:
                    break
                if first[rows[other] + 1] - first[rows[other]] < size and is_subset(first, members, rows[other], row):
                    keep[i] = False
                    break
    for i in range(slots.size):
        slots[i] = -1
