"""Insertion into sorted arrays, a step of insertion sort; for the few members of a parent set."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compile import inlined_kernel


@inlined_kernel
def insert_ascending(values, begin, end, value):
    """Insert a value into the ascending values[begin:end], so that values[end] is used, too; return its index."""
    at = end
    while at > begin and values[at - 1] > value:
        values[at] = values[at - 1]
        at -= 1
    values[at] = value
    return at


@inlined_kernel
def insert_descending(values, end, value):
    """Insert a value into the descending values[:end], so that values[end] is used, too."""
    at = end
    while at > 0 and values[at - 1] < value:
        values[at] = values[at - 1]
        at -= 1
    values[at] = value
