"""Equal rows: found by hashing, confirmed by comparison."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.kernels.compile import kernel

if TYPE_CHECKING:
    from bnsearch.counting.columns import Codes

SAMPLE = 4096  # approximate number of sampled rows of a large dataset


@kernel
def hash_rows(codes, hashes):
    """
    Hash every row, column by column.

    codes : uint8|uint16[n, rows]
    hashes : uint64[rows]   written
    """
    for row in range(hashes.size):
        hashes[row] = np.uint64(0x9E3779B97F4A7C15)
    for v in range(codes.shape[0]):
        for row in range(hashes.size):
            mixed = (hashes[row] ^ np.uint64(codes[v, row])) * np.uint64(0xBF58476D1CE4E5B9)
            hashes[row] = mixed ^ (mixed >> np.uint64(29))


@kernel
def count_groups(codes, hashes, order, first, counts):
    """
    Count runs of equal rows in an order that sorts the hashes; return their number.

    Different rows with the same hash start a new group each time the row changes. So the rows of a group are equal, and
    in the worst case equal rows are in several groups.

    first, counts : int64[rows]   written: one row of each group, and its size
    """
    groups = -1
    for i in range(order.size):
        row = order[i]
        same = i > 0 and hashes[row] == hashes[first[groups]]
        if same:
            for v in range(codes.shape[0]):
                if codes[v, row] != codes[v, first[groups]]:
                    same = False
                    break
        if not same:
            groups += 1
            first[groups] = row
            counts[groups] = 0
        counts[groups] += 1
    return groups + 1


def hashes_of_rows(codes: Codes) -> NDArray[np.uint64]:
    """Return a hash of every row."""
    hashes = np.empty(codes.shape[1], dtype=np.uint64)
    hash_rows(codes, hashes)
    return hashes


def estimate_distinct(hashes: NDArray[np.uint64]) -> int:
    """
    Estimate the number of distinct rows; exact for a few thousand rows.

    The sample is chosen by hash, so of equal rows all or none are in it.
    """
    part = -(-hashes.size // SAMPLE)
    sample = hashes[hashes <= np.uint64((2**64 - 1) // part)]
    return int(np.unique(sample).size) * part


def group_equal_rows(codes: Codes, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one row of each group of equal rows, and the groups' sizes."""
    order = np.argsort(hashes, kind="stable")
    first = np.empty(hashes.size, dtype=np.int64)
    counts = np.empty(hashes.size, dtype=np.int64)
    groups = count_groups(codes, hashes, order, first, counts)
    return first[:groups], counts[:groups]
