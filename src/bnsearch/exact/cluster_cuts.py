"""The search for cuts that a solution of the linear program violates."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.cuts import Cut, make_cluster_cut
from bnsearch.exact.support import Support

MAX_STEPS = 50  # steps of a search for a cluster
STARTS_PER_CALL = 5_000  # searches of a kernel call times variables, up to 0.05 s, between checks of the deadline
CELLS_PER_CALL = 1 << 25  # the same for shortest cycles: sources times the square of the number of variables


def find_cluster_cuts(
    support: Support, random: NDArray[np.uint64], max_cuts: int, halted: Callable[[], bool]
) -> list[Cut]:
    """
    Return cluster inequalities that a solution violates, the most violated first.

    Parameters
    ----------
    support : the solution
    random : uint64[1], state of the random numbers; changed
    max_cuts : maximum number of inequalities
    halted : function that returns True if the search should stop
    """
    from bnsearch.exact.kernels_cluster_cuts import find_cycle_clusters

    n = len(support.weights)
    size = max(1, CELLS_PER_CALL // n**2)
    found = np.empty((size, n), dtype=np.int8), np.empty(size, dtype=np.int64), np.empty(size)
    violations: dict[tuple[bytes, int], float] = {}
    for at in range(0, n, size):
        if halted():
            break
        sources = np.arange(at, min(at + size, n))
        _collect(found, find_cycle_clusters(support.arrays, sources, *found), violations)
    for parents, children in _split_edges(support):
        if halted():
            break
        _search_from_edges(support, parents, children, random, violations)
    best = sorted(violations, key=lambda key: (-violations[key], key))[:max_cuts]
    return [make_cluster_cut(np.flatnonzero(np.frombuffer(key, dtype=np.int8)), order) for key, order in best]


def _split_edges(support: Support) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the edges from which searches start, in parts: those whose weight, either way, is not 0 or 1."""
    from bnsearch.exact.kernels_cluster_cuts import MIN_WEIGHT

    both = np.triu(support.weights + support.weights.T, 1)
    is_whole = np.maximum(support.weights, support.weights.T) > 1 - MIN_WEIGHT
    edges = np.argwhere((both > MIN_WEIGHT) & ~(is_whole & (both < 1 + MIN_WEIGHT))).T
    parents, children = np.ascontiguousarray(edges)
    size = max(1, STARTS_PER_CALL // len(support.weights))
    for at in range(0, len(parents), size):
        yield parents[at : at + size], children[at : at + size]


def _search_from_edges(
    support: Support,
    parents: NDArray[np.int64],
    children: NDArray[np.int64],
    random: NDArray[np.uint64],
    violations: dict[tuple[bytes, int], float],
) -> None:
    """Add the clusters found from some edges to `violations`."""
    from bnsearch.exact.kernels_cluster_cuts import MAX_ORDER, find_clusters_from_edges

    n, m = len(support.weights), MAX_ORDER * len(parents)
    found = np.empty((m, n), dtype=np.int8), np.empty(m, dtype=np.int64), np.empty(m)
    steps = min(n, MAX_STEPS)
    _collect(found, find_clusters_from_edges(support.arrays, parents, children, steps, random, *found), violations)


def _collect(
    found: tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.float64]],
    number: int,
    violations: dict[tuple[bytes, int], float],
) -> None:
    """Add clusters and their violations to a dictionary."""
    clusters, orders, amounts = found
    for cluster, order, amount in zip(clusters[:number], orders[:number].tolist(), amounts[:number], strict=True):
        violations[cluster.tobytes(), order] = float(amount)
