"""A hash table of families: where in a list of values each one's is."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel


@inner_kernel
def place_of(key, keys, slots):
    """Return where a key is in the table, or would be entered; the first place tried is given by its lowest bits."""
    last = keys.size - 1
    at = np.int64(key & np.uint64(last))
    while slots[at] >= 0 and keys[at] != key:
        at = (at + 1) & last
    return at


@kernel
def find_families(children, parents, codes, keys, slots, known, found, new):
    """
    Look families up, and enter those that are not there yet; return how many these are.

    children, parents : int64[m], bool[m, n]
    codes : uint64[2 n]            random, of each variable as a parent, then as the child
    keys, slots : uint64[size], int64[size]   the table, updated; size is a power of two above the entries, free is -1
    known : entries so far; the new ones are numbered from there
    found : int64[m]               written: the number of each family
    new : int64[m]                 written: which families were entered, as many as are returned
    """
    n = parents.shape[1]
    entered = 0
    for i in range(children.size):
        key = codes[n + children[i]]
        for v in range(n):
            if parents[i, v]:
                key ^= codes[v]
        at = place_of(key, keys, slots)
        if slots[at] < 0:
            keys[at] = key
            slots[at] = known + entered
            new[entered] = i
            entered += 1
        found[i] = slots[at]
    return entered


@kernel
def move_families(keys, slots, to_keys, to_slots):
    """Enter all that one table holds in another one that is empty."""
    for i in range(keys.size):
        if slots[i] >= 0:
            at = place_of(keys[i], to_keys, to_slots)
            to_keys[at] = keys[i]
            to_slots[at] = slots[i]
