"""The test whether a subset matches or beats a candidate set."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import popcount
from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def is_subset(first, members, inner, outer):
    """Return True if the set of one row is a subset of another row's; both are sorted."""
    j = first[outer]
    for i in range(first[inner], first[inner + 1]):
        while j < first[outer + 1] and members[j] < members[i]:
            j += 1
        if j == first[outer + 1] or members[j] != members[i]:
            return False
        j += 1
    return True


@inner_kernel
def is_selection(first, members, inner, outer, selected):
    """Return True if a row's set holds exactly the members of another that the bits of `selected` select."""
    i = first[inner]
    if first[inner + 1] - i != np.int64(popcount(selected)):
        return False
    for j in range(first[outer + 1] - first[outer]):
        if (selected >> np.uint64(j)) & np.uint64(1):
            if members[i] != members[first[outer] + j]:
                return False
            i += 1
    return True


@inner_kernel
def make_keys(first, members, rows, random, keys, folds):
    """
    Write the key of each set, the exclusive or of its members' random numbers; subsets' keys follow from it quickly.

    folds : uint64[m]   written: the members of each set modulo 64, as bits; a superset has all bits of a subset
    """
    for i in range(rows.size):
        keys[i] = 0
        folds[i] = 0
        for j in range(first[rows[i]], first[rows[i] + 1]):
            keys[i] ^= random[members[j]]
            folds[i] |= np.uint64(1) << np.uint64(members[j] & 63)


@inner_kernel
def add_set(first, members, rows, i, keys, slots, words):
    """Insert a set into the hash table; return True if it is new. Arrays are as in mark_undominated."""
    mask = np.uint64(slots.size - 1)
    key = keys[i]
    at = key & mask
    while slots[at] >= 0:
        other = rows[slots[at]]
        same_size = first[other + 1] - first[other] == first[rows[i] + 1] - first[rows[i]]
        if keys[slots[at]] == key and same_size and is_subset(first, members, other, rows[i]):
            return False
        at = (at + np.uint64(1)) & mask
    slots[at] = i
    words[(key >> np.uint64(38)) & np.uint64(words.size - 1)] |= np.uint64(1) << (key >> np.uint64(58))
    return True


@inner_kernel
def holds_subset(first, members, rows, i, random, keys, slots, words):
    """
    Return True if a proper subset of a set is in the hash table. Arrays are as in mark_undominated.

    The set has less than 2**62 subsets. Most are not in the table, and the bits in `words`, which fit into a faster
    cache of the processor, exclude them.
    """
    one = np.uint64(1)
    mask = np.uint64(slots.size - 1)
    last_word = np.uint64(words.size - 1)
    start = first[rows[i]]
    key = keys[i]
    selected = (one << np.uint64(first[rows[i] + 1] - start)) - one
    for step in range(1, 1 << (first[rows[i] + 1] - start)):  # Gray code: each step changes one member
        bit = 0
        while not (step >> bit) & 1:
            bit += 1
        selected ^= one << np.uint64(bit)
        key ^= random[members[start + bit]]
        if (words[(key >> np.uint64(38)) & last_word] >> (key >> np.uint64(58))) & one:
            at = key & mask
            while slots[at] >= 0:
                if keys[slots[at]] == key and is_selection(first, members, rows[slots[at]], rows[i], selected):
                    return True
                at = (at + one) & mask
    return False


@kernel
def mark_undominated(scores, first, members, rows, known, random, tolerance, keys, folds, slots, words, keep):
    """
    Mark the sets of one variable that no subset, itself included, matches or beats.

    The sets are inserted into a hash table, best first, so a subset in the table matches or beats a set. If a set has
    more subsets than there are sets in the table, it is compared with all of those instead.

    rows : int64[m]         the variable's rows, best score first, smaller sets first among equals
    known : size up to which sets are known to be undominated and not repeated
    random : uint64[n]      random number of each variable
    tolerance : scores that differ by less than tolerance * max(1, |score|) count as equal
    keys, folds : uint64[m]           scratch
    slots : int32[power of two > m]   scratch, all -1; the hash table
    words : uint64[power of two]      scratch, all 0; a bit for each set in the table, which several sets may share
    keep : bool[m]          written
    """
    make_keys(first, members, rows, random, keys, folds)
    entered = np.int64(0)
    for i in range(rows.size):
        size = first[rows[i] + 1] - first[rows[i]]
        least = scores[rows[i]] - tie_margin(scores[rows[i]], tolerance)
        while entered < rows.size and scores[rows[entered]] >= least:
            keep[entered] = add_set(first, members, rows, entered, keys, slots, words)
            entered += 1
        if not keep[i] or size <= known:
            continue
        if size < 30 and (1 << size) < entered:
            keep[i] = not holds_subset(first, members, rows, i, random, keys, slots, words)
            continue
        for other in range(entered):
            smaller = first[rows[other] + 1] - first[rows[other]] < size
            if smaller and not folds[other] & ~folds[i] and is_subset(first, members, rows[other], rows[i]):
                keep[i] = False
                break
