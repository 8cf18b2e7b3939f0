"""The cached extensions of chains: families whose scores were computed during the search but that are not stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.parent_sets.rows import Families


class ExtensionRows(NamedTuple):
    """
    Cached extension rows of one chain, as `kernels_extensions` lists them.

    A row extends a stored family, or a stored family without one of its parents. Each entry of the row is one more
    parent, and so gives one family.

    Attributes
    ----------
    chain : the chain that has the rows in its cache
    child, slot : variable of the stored family, and its slot in the store of the variable
    dropped : index of the parent that is left out; -1 for none
    cached : slot of the row in the cache
    n_entries : int64[rows], number of entries of each row
    sizes : int64[rows], number of parents of the families that a row gives
    """

    chain: OnDemandChain
    child: NDArray[np.int32]
    slot: NDArray[np.int32]
    dropped: NDArray[np.int32]
    cached: NDArray[np.int64]
    n_entries: NDArray[np.int64]
    sizes: NDArray[np.int64]


def list_extensions(chains: Sequence[OnDemandChain], wanted: float, max_families: float) -> list[Families]:
    """
    Return the cached extensions of the families that chains have stored; no chain may run at the same time.

    Each row gives its best entries, up to a number that is the same for all rows.

    wanted : number of families to return, at most `max_families`; fewer if the caches have fewer
    max_families : upper bound on the number of families. With up to this many rows, each row gives at least one entry,
        even if that exceeds `wanted`
    """
    found = _find_rows(chains)
    n_entries = np.concatenate([rows.n_entries for rows in found])
    max_per_row = find_max_per_row(n_entries, wanted)
    if len(n_entries) <= max_families:
        max_per_row = max(1, max_per_row)
    return [_list_families(rows, max_per_row) for rows in found] if max_per_row else []


def find_max_per_row(n_entries: NDArray[np.int64], max_families: float) -> int:
    """Return the largest number of entries for each row such that all rows together give at most `max_families`."""
    ordered = np.sort(n_entries)
    before = np.concatenate([[0], np.cumsum(ordered)[:-1]]) if len(ordered) else np.empty(0)
    # If all rows from the i-th on are cut to the number of entries of the i-th, the total is totals[i].
    totals = before + ordered * np.arange(len(ordered), 0, -1)
    at = int(np.searchsorted(totals, max_families, side="right"))
    if at == len(ordered):
        return int(ordered[-1]) if len(ordered) else 0
    return int((max_families - before[at]) // (len(ordered) - at))


def _find_rows(chains: Sequence[OnDemandChain]) -> list[ExtensionRows]:
    """List the cached rows of chains; a row in several caches is listed once."""
    from bnsearch.ondemand.kernels_extensions import list_extension_rows
    from bnsearch.ondemand.kernels_row_cache import COUNT
    from bnsearch.ondemand.kernels_store import NUMBER, SIZE

    max_rows = []
    for chain in chains:
        _, _, store, _ = chain.arrays
        filled = np.arange(store[SIZE].shape[1]) < store[NUMBER][:, np.newaxis]
        max_rows.append(int((store[SIZE][filled].astype(np.int64) + 1).sum()))
    seen = np.zeros(1 << (2 * sum(max_rows)).bit_length(), dtype=np.uint64)
    found = []
    for chain, capacity in zip(chains, max_rows, strict=True):
        source, rows, store, _ = chain.arrays
        child, slot, dropped = np.empty((3, capacity), dtype=np.int32)
        cached = np.empty(capacity, dtype=np.int64)
        number = list_extension_rows(source, rows, store, chain.source.limits, seen, child, slot, dropped, cached)
        child, slot, dropped, cached = child[:number], slot[:number], dropped[:number], cached[:number]
        sizes = store[SIZE][child, slot].astype(np.int64) + (dropped < 0)
        found.append(ExtensionRows(chain, child, slot, dropped, cached, rows[COUNT][cached], sizes))
    return found


def _list_families(found: ExtensionRows, max_per_row: int) -> Families:
    """Return the best entries of each row of one chain as families."""
    from bnsearch.ondemand.kernels_extensions import write_extensions

    _, rows, store, _ = found.chain.arrays
    written = np.minimum(found.n_entries, max_per_row)
    number = int(written.sum())
    child, scores, sizes = np.empty(number, dtype=np.int32), np.empty(number), np.empty(number, dtype=np.int64)
    members = np.empty(int((written * found.sizes).sum()), dtype=np.int32)
    write_extensions(
        rows, store, found.child, found.slot, found.dropped, found.cached, max_per_row, child, scores, sizes, members
    )
    order = found.chain.source.order.astype(np.int32)
    return Families(order[child], scores, sizes, order[members])
