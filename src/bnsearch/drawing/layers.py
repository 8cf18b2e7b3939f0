"""
Layers of a connected graph, and the order within them.

The steps are those of Sugiyama, Tagawa & Toda (1981): every variable gets a layer below its parents; an edge that
passes layers gets a joint in each; the order within the layers is improved by sweeps that move everything to the mean
place of its neighbours, and the one with the fewest crossings is kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

SWEEPS = 24
PATIENCE = 6  # sweeps without fewer crossings after which to end
FEWEST_WIDE = 14  # variables that may always stand in one layer
MOST_EXCHANGED = 400  # points up to which neighbours in a layer are also exchanged one by one


@dataclass(frozen=True)
class Layered:
    """
    Points in layers: the variables first, then the joints of long edges.

    Attributes
    ----------
    layers : for each layer its points, from left to right
    above, below : for each point the points it is joined with in the layer above and in the one below
    paths : for each edge (parent, child) all its points from top to bottom
    """

    layers: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]
    paths: dict[tuple[int, int], list[int]]


def layered(parents: Sequence[Sequence[int]], order: Sequence[int]) -> Layered:
    """Return the layers of a graph given by parent lists and a topological order of its variables."""
    levels = _levels(parents, order)
    paths: dict[tuple[int, int], list[int]] = {}
    level_of = list(levels)
    for child, its_parents in enumerate(parents):
        for parent in its_parents:
            joints = range(len(level_of), len(level_of) + levels[child] - levels[parent] - 1)
            level_of += range(levels[parent] + 1, levels[child])
            paths[parent, child] = [parent, *joints, child]
    above: list[list[int]] = [[] for _ in level_of]
    below: list[list[int]] = [[] for _ in level_of]
    for path in paths.values():
        for upper, lower in pairwise(path):
            below[upper].append(lower)
            above[lower].append(upper)
    layers = _first_order(level_of, above, below)
    graph = Layered(layers, above, below, paths)
    return Layered(_uncrossed(graph), above, below, paths)


def _levels(parents: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """Return each variable's layer: as high as its parents allow, or nearer to its children where it has more."""
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
    widest = max(FEWEST_WIDE, round(1.2 * len(parents) ** 0.5))
    if max(Counter(levels).values()) > widest:
        levels = _narrow_levels(parents, children, order, widest)
    top = min(levels)
    return [level - top for level in levels]


def _narrow_levels(
    parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]], order: Sequence[int], widest: int
) -> list[int]:
    """Return layers of at most so many variables, filled from the bottom; those with most layers above them first."""
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


def _first_order(
    level_of: Sequence[int], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return the layers in the order in which a walk along the edges meets the points: relatives stand together."""
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


def _uncrossed(graph: Layered) -> list[list[int]]:
    """Return the layers in the order with the fewest crossings that sweeps find."""
    layers = [list(layer) for layer in graph.layers]
    exchanges = len(graph.above) <= MOST_EXCHANGED
    best, fewest = layers, crossings(graph, layers)
    stale = 0
    for sweep in range(SWEEPS):
        layers = _swept(graph, layers, downwards=sweep % 2 == 0)
        if exchanges:
            _exchange(graph, layers)
        count = crossings(graph, layers)
        stale = 0 if count < fewest else stale + 1
        if count < fewest:
            best, fewest = [list(layer) for layer in layers], count
        if fewest == 0 or stale == PATIENCE:
            break
    return best


def _swept(graph: Layered, layers: list[list[int]], *, downwards: bool) -> list[list[int]]:
    """Return the layers with each sorted by the mean place of its points' neighbours in the layer before."""
    neighbours = graph.above if downwards else graph.below
    swept = [list(layer) for layer in layers]
    place: dict[int, int] = {}
    for layer in swept if downwards else reversed(swept):
        means = {v: _mean([place[u] for u in neighbours[v]], i) for i, v in enumerate(layer)}
        layer.sort(key=means.__getitem__)
        place = {v: i for i, v in enumerate(layer)}
    return swept


def _mean(places: Sequence[int], otherwise: int) -> float:
    return sum(places) / len(places) if places else otherwise


def _exchange(graph: Layered, layers: list[list[int]]) -> None:
    """Exchange points that stand side by side while that takes crossings away."""
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


def crossings(graph: Layered, layers: Sequence[Sequence[int]]) -> int:
    """Count the pairs of edges between neighbouring layers that cross."""
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
