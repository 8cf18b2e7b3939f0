"""The memory of a store of families, as `kernels_store` describes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.kernels.tuples import KernelTuple
from bnsearch.parent_sets.rows import Families

NEARLY_FULL = 0.7  # filled share of a variable's list from which on the store is doubled

Store = KernelTuple


def new_store(capacity: int, n: int, max_parents: int) -> Store:
    """Return an empty store for n variables, with room for `capacity` families of each."""
    return KernelTuple(
        (
            np.zeros((n, capacity)),
            np.zeros((n, capacity), dtype=np.uint64),
            np.zeros((n, capacity), dtype=np.int32),
            np.zeros((n, capacity, max_parents), dtype=np.int32),
            np.zeros((n, capacity), dtype=np.int32),
            np.zeros(n, dtype=np.int64),
        )
    )


def enlarge_store(store: Store, max_capacity: int) -> Store:
    """Return a store of twice the capacity with the same families if a list is nearly full; else the store itself."""
    from bnsearch.ondemand.kernels_store import MEMBER, NUMBER

    n, capacity, max_parents = store[MEMBER].shape
    if store[NUMBER].max() <= NEARLY_FULL * capacity or capacity >= max_capacity:
        return store
    larger = new_store(min(2 * capacity, max_capacity), n, max_parents)
    for old, new in zip(store, larger, strict=True):
        new[tuple(slice(length) for length in old.shape)] = old
    return larger


def list_families(store: Store, order: NDArray[np.int64]) -> Families:
    """Return the families of a store; order : int64[n], the variable at each place."""
    scores, _, sizes, members, _, number = store
    filled = np.arange(scores.shape[1]) < number[:, np.newaxis]
    size = sizes[filled].astype(np.int64)
    inside = np.arange(members.shape[2]) < size[:, np.newaxis]
    child = np.repeat(order, number).astype(np.int32)
    return Families(child, scores[filled], size, order[members[filled][inside]].astype(np.int32))
