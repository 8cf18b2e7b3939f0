"""
Layers of a connected DAG, and the order of the nodes within each layer.

The algorithm is that of Sugiyama, Tagawa & Toda (1981). Every variable is assigned to a layer below its parents. An
edge that spans several layers gets a dummy node in each layer between its ends. Sweeps over the layers sort the nodes
by the mean position of their neighbours, and the order with the fewest crossings is kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from random import Random

MAX_STARTS = 8  # orders from which the sweeps begin
MAX_START_NODES = 1200  # nodes in all starts together; larger graphs have one start
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


def assign_layers(parents: Sequence[Sequence[int]]) -> LayeredGraph:
    """Return the layers of a DAG, given by its parent lists."""
    levels = _assign_levels(parents)
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
    return _order_layers(LayeredGraph(layers, above, below, paths))


def _assign_levels(parents: Sequence[Sequence[int]]) -> list[int]:
    """
    Return the layer of each variable: edges are short, and no layer is too wide.

    A layer that is too wide is divided into several. Variables with more parents than children are in the first ones.
    """
    excess = [len(its_parents) for its_parents in parents]
    for its_parents in parents:
        for parent in its_parents:
            excess[parent] -= 1
    widest = max(MIN_WIDTH_LIMIT, round(1.2 * len(parents) ** 0.5))
    layers: dict[int, list[int]] = {}
    for v, level in enumerate(find_short_levels(parents)):
        layers.setdefault(level, []).append(v)
    levels = [0] * len(parents)
    first = 0
    for _, layer in sorted(layers.items()):
        n_parts = ceil(len(layer) / widest)
        for i, v in enumerate(sorted(layer, key=lambda v: -excess[v])):
            levels[v] = first + i * n_parts // len(layer)
        first += n_parts
    return levels


def find_short_levels(parents: Sequence[Sequence[int]]) -> list[int]:
    """
    Return the layer of each variable such that the edges span as few layers as possible in total.

    This is a linear program whose vertices are integral (Gansner, Koutsofios, North & Vo 1993, section 2).
    """
    edges = [(parent, child) for child, its_parents in enumerate(parents) for parent in its_parents]
    if not edges:
        return [0] * len(parents)
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    rows = list(range(len(edges)))
    signs = [1.0] * len(edges) + [-1.0] * len(edges)
    ends = [parent for parent, _ in edges] + [child for _, child in edges]
    spans = coo_array((signs, (rows + rows, ends)), shape=(len(edges), len(parents))).tocsr()
    costs = [float(len(its_parents)) for its_parents in parents]
    for parent, _ in edges:
        costs[parent] -= 1
    found = linprog(costs, A_ub=spans, b_ub=[-1.0] * len(edges), bounds=(0, len(parents)), method="highs-ds")
    return [round(level) for level in found.x]


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


def _order_layers(graph: LayeredGraph) -> LayeredGraph:
    """Return the graph with few crossings: the best of several starts, the given order and random ones."""
    random = Random(0)
    n_starts = max(1, min(MAX_STARTS, MAX_START_NODES // len(graph.above)))
    starts = [graph.layers, *([random.sample(layer, len(layer)) for layer in graph.layers] for _ in range(1, n_starts))]
    found = (_reduce_crossings(replace(graph, layers=start)) for start in starts)
    return replace(graph, layers=min(found, key=lambda layers: count_crossings(graph, layers)))


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
