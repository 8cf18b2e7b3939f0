"""
Layers of a connected DAG, and the order of the nodes within each layer.

The algorithm is that of Sugiyama, Tagawa & Toda (1981). Every variable is assigned to a layer below its parents. An
edge that spans several layers gets a dummy node in each layer between its ends. Sweeps over the layers sort the nodes
by the mean position of their neighbours, and the order with the fewest crossings is kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

MAX_SWEEPS = 24
MAX_STALE_SWEEPS = 6  # consecutive sweeps without fewer crossings
MIN_WIDTH_LIMIT = 14  # variables that fit into one layer in any graph; large graphs allow more
MAX_EXCHANGE_NODES = 400  # nodes of a graph in which adjacent nodes are also exchanged, which takes longer


@dataclass(frozen=True)
class LayeredGraph:
    """
    Nodes in layers: the variables first, then the dummy nodes of long edges.

    Attributes
    ----------
    layers : nodes of each layer, from left to right
    above, below : neighbours of each node in the layer above and in the layer below
    paths : nodes of each edge (parent, child), from top to bottom
    """

    layers: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]
    paths: dict[tuple[int, int], list[int]]


def assign_layers(parents: Sequence[Sequence[int]], order: Sequence[int]) -> LayeredGraph:
    """Return the layers of a DAG, given by its parent lists and a topological order of its variables."""
    levels = _assign_levels(parents, order)
    paths: dict[tuple[int, int], list[int]] = {}
    level_of = list(levels)
    for child, its_parents in enumerate(parents):
        for parent in its_parents:
            dummies = range(len(level_of), len(level_of) + levels[child] - levels[parent] - 1)
            level_of += range(levels[parent] + 1, levels[child])
            paths[parent, child] = [parent, *dummies, child]
    above: list[list[int]] = [[] for _ in level_of]
    below: list[list[int]] = [[] for _ in level_of]
    for path in paths.values():
        for upper, lower in pairwise(path):
            below[upper].append(lower)
            above[lower].append(upper)
    layers = _order_by_traversal(level_of, above, below)
    graph = LayeredGraph(layers, above, below, paths)
    return LayeredGraph(_reduce_crossings(graph), above, below, paths)


def _assign_levels(parents: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """
    Return the layer of each variable.

    A variable is placed as high as its parents allow, or directly above its children if it has more children than
    parents.
    """
    children: list[list[int]] = [[] for _ in parents]
    for child, its_parents in enumerate(parents):
        for parent in its_parents:
            children[parent].append(child)
    levels = [0] * len(parents)
    for v in order:
        levels[v] = max((levels[p] + 1 for p in parents[v]), default=0)
    for v in reversed(order):
        if len(children[v]) > len(parents[v]):
            levels[v] = min(levels[c] for c in children[v]) - 1
    widest = max(MIN_WIDTH_LIMIT, round(1.2 * len(parents) ** 0.5))
    if max(Counter(levels).values()) > widest:
        levels = _assign_narrow_levels(parents, children, order, widest)
    top = min(levels)
    return [level - top for level in levels]


def _assign_narrow_levels(
    parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]], order: Sequence[int], widest: int
) -> list[int]:
    """
    Return the layer of each variable, with at most `widest` variables in a layer.

    The layers are filled from the bottom. Variables with the longest path above them come first.
    """
    depth = [0] * len(parents)
    for v in order:
        depth[v] = max((depth[p] + 1 for p in parents[v]), default=0)
    open_children = [len(its_children) for its_children in children]
    ready = [(-depth[v], v) for v in order if not children[v]]
    heapify(ready)
    levels = [0] * len(parents)
    level = 0
    while ready:
        layer = [heappop(ready)[1] for _ in range(min(widest, len(ready)))]
        for v in layer:
            levels[v] = level
            for parent in parents[v]:
                open_children[parent] -= 1
                if not open_children[parent]:
                    heappush(ready, (-depth[parent], parent))
        level -= 1
    return levels


def _order_by_traversal(
    level_of: Sequence[int], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return the layers in the order of a depth-first traversal, which places relatives next to each other."""
    layers: list[list[int]] = [[] for _ in range(max(level_of) + 1)]
    seen = [False] * len(level_of)
    waiting = sorted(range(len(level_of)), key=lambda v: (-level_of[v], len(above[v])))
    while waiting:
        point = waiting.pop()
        if not seen[point]:
            seen[point] = True
            layers[level_of[point]].append(point)
            waiting += [v for v in (*above[point], *below[point]) if not seen[v]]
    return layers


def _reduce_crossings(graph: LayeredGraph) -> list[list[int]]:
    """Return the layers in the order with the fewest crossings that the sweeps find."""
    layers = [list(layer) for layer in graph.layers]
    exchanges = len(graph.above) <= MAX_EXCHANGE_NODES
    best, fewest = layers, count_crossings(graph, layers)
    stale = 0
    for sweep in range(MAX_SWEEPS):
        layers = _sweep_layers(graph, layers, downwards=sweep % 2 == 0)
        if exchanges:
            _exchange_neighbours(graph, layers)
        count = count_crossings(graph, layers)
        stale = 0 if count < fewest else stale + 1
        if count < fewest:
            best, fewest = [list(layer) for layer in layers], count
        if fewest == 0 or stale == MAX_STALE_SWEEPS:
            break
    return best


def _sweep_layers(graph: LayeredGraph, layers: list[list[int]], *, downwards: bool) -> list[list[int]]:
    """Return the layers, each sorted by the mean position of the neighbours in the previous layer."""
    neighbours = graph.above if downwards else graph.below
    swept = [list(layer) for layer in layers]
    place: dict[int, int] = {}
    for layer in swept if downwards else reversed(swept):
        means = {v: _mean_or([place[u] for u in neighbours[v]], i) for i, v in enumerate(layer)}
        layer.sort(key=means.__getitem__)
        place = {v: i for i, v in enumerate(layer)}
    return swept


def _mean_or(places: Sequence[int], default: int) -> float:
    return sum(places) / len(places) if places else default


def _exchange_neighbours(graph: LayeredGraph, layers: list[list[int]]) -> None:
    """Exchange adjacent nodes within layers, in place, while that reduces the number of crossings."""
    place = {v: i for layer in layers for i, v in enumerate(layer)}
    improved = True
    while improved:
        improved = False
        for layer in layers:
            for i in range(len(layer) - 1):
                left, right = layer[i], layer[i + 1]
                change = 0
                for neighbours in (graph.above, graph.below):
                    lefts, rights = ([place[u] for u in neighbours[v]] for v in (left, right))
                    change += sum((a < b) - (a > b) for a in lefts for b in rights)
                if change < 0:
                    layer[i], layer[i + 1] = right, left
                    place[left], place[right] = i + 1, i
                    improved = True


def count_crossings(graph: LayeredGraph, layers: Sequence[Sequence[int]]) -> int:
    """Return the number of crossings of edges between adjacent layers."""
    count = 0
    for upper, lower in pairwise(layers):
        place = {v: i for i, v in enumerate(lower)}
        ends: list[int] = []
        for v in upper:
            mine = sorted(place[u] for u in graph.below[v])
            count += sum(len(ends) - bisect_right(ends, end) for end in mine)
            for end in mine:
                insort(ends, end)
    return count
