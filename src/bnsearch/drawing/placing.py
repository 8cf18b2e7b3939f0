"""Horizontal positions of the nodes: as close to their neighbours as the order and the widths allow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bnsearch.drawing.layers import LayeredGraph

ROUNDS = 30  # passes over all layers, downwards and upwards in turn
STRAIGHT = 8.0  # weight of the distance between two dummy nodes, relative to variables: long edges should be straight


def place_nodes(graph: LayeredGraph, widths: Sequence[float]) -> list[float]:
    """Return the horizontal centre of every node; `widths` is the space that each needs in its layer."""
    centres = [0.0] * len(widths)
    for layer in graph.layers:
        for v, x in zip(layer, _pack_layer(layer, widths), strict=True):
            centres[v] = x
    n_variables = min((path[1] for path in graph.paths.values() if len(path) > 2), default=len(widths))
    for turn in range(ROUNDS):
        for layer in graph.layers if turn % 2 == 0 else reversed(graph.layers):
            _settle_layer(graph, layer, centres, widths, n_variables)
    return centres


def _settle_layer(
    graph: LayeredGraph, layer: Sequence[int], centres: list[float], widths: Sequence[float], n_variables: int
) -> None:
    """Move the nodes of one layer towards the mean of their neighbours, keeping order and distances."""
    offsets = _pack_layer(layer, widths)
    wanted, weights = [], []
    for v, offset in zip(layer, offsets, strict=True):
        neighbours = graph.above[v] + graph.below[v]
        pulls = [(centres[u], STRAIGHT if v >= n_variables and u >= n_variables else 1.0) for u in neighbours]
        weight = sum(w for _, w in pulls)
        wanted.append((sum(x * w for x, w in pulls) / weight if pulls else centres[v]) - offset)
        weights.append(weight or 0.1)
    for v, offset, shift in zip(layer, offsets, fit_ascending(wanted, weights), strict=True):
        centres[v] = offset + shift


def _pack_layer(layer: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return the centres of the nodes of a layer when no space is left between them."""
    offsets = [0.0]
    for left, right in pairwise(layer):
        offsets.append(offsets[-1] + (widths[left] + widths[right]) / 2)
    return offsets


def fit_ascending(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the ascending numbers closest to `wanted` in weighted least squares (pool adjacent violators)."""
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of values
    for value, weight in zip(wanted, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] >= pool[0]:
            mean, mass, size = pools.pop()
            total = mass + pool[1]
            pool = ((mean * mass + pool[0] * pool[1]) / total, total, size + pool[2])
        pools.append(pool)
    return [mean for mean, _, size in pools for _ in range(size)]
