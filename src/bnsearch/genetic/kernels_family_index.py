"""A hash table from the keys of families to their numbers."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def find_entry(key, keys, numbers):
    """Return the entry of a key, or the free entry for it; the search begins at the entry of its lowest bits."""
    last = keys.size - 1
    at = np.int64(key & np.uint64(last))
    while numbers[at] >= 0 and keys[at] != key:
        at = (at + 1) & last
    return at


@kernel
def find_families(children, parents, codes, keys, numbers, known, found, new):
    """
    Find the numbers of families, and enter the new ones; return how many are new.

    children, parents : int64[m], bool[m, n]
    codes : uint64[2 n]            random code of each variable as a parent, then of each as the child
    keys, numbers : uint64[size], int64[size]   the table, updated; size is a power of two above the entries, free is -1
    known : number of entries so far; the new ones are numbered from there
    found : int64[m]               written: the number of each family
    new : int64[m]                 written: the indices of the families that were entered
    """
    n = parents.shape[1]
    entered = 0
    for i in range(children.size):
        key = codes[n + children[i]]
        for v in range(n):
            if parents[i, v]:
                key ^= codes[v]
        at = find_entry(key, keys, numbers)
        if numbers[at] < 0:
            keys[at] = key
            numbers[at] = known + entered
            new[entered] = i
            entered += 1
        found[i] = numbers[at]
    return entered


@kernel
def move_families(keys, numbers, to_keys, to_numbers):
    """Enter all entries of one table in another one, which is empty."""
    for i in range(keys.size):
        if numbers[i] >= 0:
            at = find_entry(keys[i], to_keys, to_numbers)
            to_keys[at] = keys[i]
            to_numbers[at] = numbers[i]
