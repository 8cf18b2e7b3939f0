"""Where the points of a layer stand: as near to their neighbours as the order and the distances allow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bnsearch.drawing.layers import Layered

ROUNDS = 30
STRAIGHT = 8.0  # how much more than that of a variable the joints of long edges count: they should not bend


def placed(graph: Layered, widths: Sequence[float]) -> list[float]:
    """Return the horizontal centre of every point; each has its width for itself in its layer."""
    centres = [0.0] * len(widths)
    for layer in graph.layers:
        for v, x in zip(layer, _offsets(layer, widths), strict=True):
            centres[v] = x
    n_variables = min((path[1] for path in graph.paths.values() if len(path) > 2), default=len(widths))
    for turn in range(ROUNDS):
        for layer in graph.layers if turn % 2 == 0 else reversed(graph.layers):
            _settle(graph, layer, centres, widths, n_variables)
    return centres


def _settle(
    graph: Layered, layer: Sequence[int], centres: list[float], widths: Sequence[float], n_variables: int
) -> None:
    """Move the points of one layer to the mean of their neighbours, in order and at their distances."""
    offsets = _offsets(layer, widths)
    wanted, weights = [], []
    for v, offset in zip(layer, offsets, strict=True):
        pulls = [(centres[u], STRAIGHT if v >= n_variables and u >= n_variables else 1.0) for u in _around(graph, v)]
        weight = sum(w for _, w in pulls)
        wanted.append((sum(x * w for x, w in pulls) / weight if pulls else centres[v]) - offset)
        weights.append(weight or 0.1)
    for v, offset, shift in zip(layer, offsets, ascending(wanted, weights), strict=True):
        centres[v] = offset + shift


def _around(graph: Layered, v: int) -> list[int]:
    return graph.above[v] + graph.below[v]


def _offsets(layer: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return where the points of a layer stand when they stand as close as they may."""
    offsets = [0.0]
    for left, right in pairwise(layer):
        offsets.append(offsets[-1] + (widths[left] + widths[right]) / 2)
    return offsets


def ascending(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the numbers in ascending order nearest to those wanted, in weighted least squares (pooled neighbours)."""
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for value, weight in zip(wanted, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] >= pool[0]:
            mean, mass, size = pools.pop()
            total = mass + pool[1]
            pool = ((mean * mass + pool[0] * pool[1]) / total, total, size + pool[2])
        pools.append(pool)
    return [mean for mean, _, size in pools for _ in range(size)]
