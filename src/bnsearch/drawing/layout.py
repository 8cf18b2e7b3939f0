"""A layered picture of a DAG: where the boxes of the variables stand and how the edges run."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bnsearch.drawing.layers import Layered, layered
from bnsearch.drawing.placing import placed

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG

FONT_SIZE = 12.0
BOX_HEIGHT = 28.0
BOX_PADDING = 11.0  # between a box and its label
BOX_GAP = 18.0
JOINT_WIDTH = 12.0
LAYER_GAP = 44.0  # the least between two layers of boxes
STEEPNESS = 0.12  # how much of the mean sideways way of the edges between two layers is added to that
WIDEST_GAP = 150.0
COMPONENT_GAP = 30.0
LONGEST_LABEL = 24

Point = tuple[float, float]


class Box(NamedTuple):
    """A variable's box: its centre, its size and its label."""

    x: float
    y: float
    width: float
    label: str


class Route(NamedTuple):
    """An edge: the points it runs through, from the bottom of the parent's box to the top of the child's."""

    parent: int
    child: int
    points: list[Point]


class Layout(NamedTuple):
    """A picture's size, the boxes in the order of the variables, and the edges; y grows downwards."""

    width: float
    height: float
    boxes: list[Box]
    routes: list[Route]


def layout(dag: DAG) -> Layout:
    """Lay out a DAG: connected parts apart, the largest first, in rows."""
    labels = [shortened(name) for name in dag.names]
    parts = [_layout_part(dag, part, labels) for part in connected_parts(dag)]
    parts.sort(key=lambda part: -part.width * part.height)
    widest = max((part.width for part in parts), default=0.0)
    area = sum((part.width + COMPONENT_GAP) * (part.height + COMPONENT_GAP) for part in parts)
    limit = max(widest, (1.8 * area) ** 0.5)
    boxes: dict[int, Box] = {}
    routes: list[Route] = []
    x = y = row_height = width = 0.0
    for part in parts:
        if x > 0 and x + part.width > limit:
            x, y, row_height = 0.0, y + row_height + COMPONENT_GAP, 0.0
        boxes |= {v: box._replace(x=box.x + x, y=box.y + y) for v, box in part.boxes.items()}
        routes += [route._replace(points=[(a + x, b + y) for a, b in route.points]) for route in part.routes]
        width = max(width, x + part.width)
        row_height = max(row_height, part.height)
        x += part.width + COMPONENT_GAP
    return Layout(width, y + row_height, [boxes[v] for v in range(len(labels))], routes)


def connected_parts(dag: DAG) -> list[list[int]]:
    """Return the variables of each connected part, in topological order."""
    part_of = [-1] * len(dag.names)
    n_parts = 0
    for start in range(len(dag.names)):
        if part_of[start] < 0:
            waiting = [start]
            while waiting:
                v = waiting.pop()
                if part_of[v] < 0:
                    part_of[v] = n_parts
                    waiting += (*dag.parents[v], *dag.children[v])
            n_parts += 1
    parts: list[list[int]] = [[] for _ in range(n_parts)]
    for v in dag.order:
        parts[part_of[v]].append(v)
    return parts


def shortened(name: str) -> str:
    """Return a name as a label: on one line, not too long."""
    label = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1].rstrip() + "…"


def text_width(label: str) -> float:
    """Return about how wide a label is in a common sans-serif font; rather too wide than too narrow."""
    return FONT_SIZE * sum(map(_character_width, label))


def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "mwMW@%…":
        return 1.0
    if character in "iljtfrI.,:;|!'()[] ":
        return 0.4
    return 0.74 if character.isupper() else 0.62


class _Part(NamedTuple):
    width: float
    height: float
    boxes: dict[int, Box]
    routes: list[Route]


def _layout_part(dag: DAG, part: Sequence[int], labels: Sequence[str]) -> _Part:
    """Lay out one connected part, with its upper left corner at the origin."""
    number = {v: i for i, v in enumerate(part)}
    graph = layered([[number[p] for p in dag.parents[v]] for v in part], range(len(part)))
    widths = [max(30.0, text_width(labels[v]) + 2 * BOX_PADDING) for v in part]
    widths += [JOINT_WIDTH] * (len(graph.above) - len(part))
    centres = placed(graph, [w + BOX_GAP if i < len(part) else w for i, w in enumerate(widths)])
    left = min(x - w / 2 for x, w in zip(centres, widths, strict=True))
    centres = [x - left for x in centres]
    heights = _heights(graph, centres)
    level = {v: y for layer, y in zip(graph.layers, heights, strict=True) for v in layer}
    boxes = {v: Box(centres[i], level[i], widths[i], labels[v]) for i, v in enumerate(part)}
    routes = [
        Route(part[parent], part[child], _route(graph, path, centres, level, widths))
        for (parent, child), path in graph.paths.items()
    ]
    right = max(x + w / 2 for x, w in zip(centres, widths, strict=True))
    return _Part(right, heights[-1] + BOX_HEIGHT / 2, boxes, routes)


def _heights(graph: Layered, centres: Sequence[float]) -> list[float]:
    """Return the vertical centre of each layer: further apart where edges run far to the side."""
    heights = [BOX_HEIGHT / 2]
    for layer in graph.layers[:-1]:
        ways = [abs(centres[v] - centres[u]) for v in layer for u in graph.below[v]]
        gap = LAYER_GAP + STEEPNESS * (sum(ways) / len(ways) if ways else 0.0)
        heights.append(heights[-1] + BOX_HEIGHT + min(gap, WIDEST_GAP))
    return heights


def _route(
    graph: Layered, path: Sequence[int], centres: Sequence[float], level: dict[int, float], widths: Sequence[float]
) -> list[Point]:
    """Return the points of an edge; edges leave and reach a box side by side, in the order of where they come from."""
    start, end = path[0], path[-1]
    first = (_port(start, path[1], graph.below, centres, widths), level[start] + BOX_HEIGHT / 2)
    last = (_port(end, path[-2], graph.above, centres, widths), level[end] - BOX_HEIGHT / 2)
    passed = [point for v in path[1:-1] for point in _beside(centres[v], level[v])]
    return [first, *passed, last]


def _beside(x: float, y: float) -> list[Point]:
    """Return the upper and the lower end of a joint: an edge passes a layer of boxes straight down."""
    return [(x, y - BOX_HEIGHT / 2), (x, y + BOX_HEIGHT / 2)]


def _port(
    point: int, other: int, neighbours: Sequence[Sequence[int]], centres: Sequence[float], widths: Sequence[float]
) -> float:
    """Return where on a box's side the edge to another point is tied."""
    others = sorted(neighbours[point], key=centres.__getitem__)
    spread = min(0.6 * widths[point], 12.0 * (len(others) - 1))
    share = (others.index(other) + 0.5) / len(others) - 0.5 if len(others) > 1 else 0.0
    return centres[point] + spread * share
