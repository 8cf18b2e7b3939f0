"""Layout of a DAG: the positions of the boxes and the routes of the edges."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bnsearch.drawing.layers import LayeredGraph, assign_layers
from bnsearch.drawing.placing import place_nodes
from bnsearch.drawing.routes import Point, straighten_route

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG

FONT_SIZE = 12.0
BOX_HEIGHT = 28.0
BOX_PADDING = 11.0  # horizontal space between the border of a box and its label
BOX_GAP = 18.0  # horizontal space between two boxes
DUMMY_WIDTH = 12.0  # horizontal space for an edge that passes a layer
MIN_LAYER_GAP = 44.0  # vertical space between two layers of boxes
STEEPNESS = 0.12  # share of the mean horizontal length of the edges that is added to the gap between two layers
MAX_LAYER_GAP = 150.0
COMPONENT_GAP = 30.0
PORT_GAP = 11.0  # horizontal space between the ends of two edges at one box
MAX_LABEL_LENGTH = 24


class Box(NamedTuple):
    """The box of a variable: centre, width and label."""

    x: float
    y: float
    width: float
    label: str


class Route(NamedTuple):
    """An edge: its points from the bottom of the parent's box to the top of the child's box."""

    parent: int
    child: int
    points: list[Point]


class Layout(NamedTuple):
    """The size of a drawing, the boxes in the order of the variables, and the edges; y increases downwards."""

    width: float
    height: float
    boxes: list[Box]
    routes: list[Route]


def compute_layout(dag: DAG) -> Layout:
    """Return the layout of a DAG; connected components are packed in rows, the largest first."""
    labels = [shorten_label(name) for name in dag.names]
    parts = [_lay_out_component(dag, part, labels) for part in find_components(dag)]
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


def find_components(dag: DAG) -> list[list[int]]:
    """Return the variables of each connected component, in topological order."""
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


def shorten_label(name: str) -> str:
    """Return a name on one line, with at most MAX_LABEL_LENGTH characters; a blank name gets a label in parentheses."""
    label = " ".join("".join(c if c.isprintable() else " " for c in name).split()) or "(blank)"
    return label if len(label) <= MAX_LABEL_LENGTH else label[: MAX_LABEL_LENGTH - 1].rstrip() + "…"


def estimate_text_width(label: str) -> float:
    """Return an estimate of the width of a label in a common sans-serif font, rather too large than too small."""
    return FONT_SIZE * sum(map(_estimate_character_width, label))


def _estimate_character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "mwMW@%…":
        return 1.0
    if character in "iljtfrI.,:;|!'()[] ":
        return 0.4
    return 0.74 if character.isupper() else 0.62


class _Component(NamedTuple):
    width: float
    height: float
    boxes: dict[int, Box]
    routes: list[Route]


def _lay_out_component(dag: DAG, part: Sequence[int], labels: Sequence[str]) -> _Component:
    """Return the layout of one connected component; its upper left corner is the origin."""
    number = {v: i for i, v in enumerate(part)}
    graph = assign_layers([[number[p] for p in dag.parents[v]] for v in part])
    widths = [max(30.0, estimate_text_width(labels[v]) + 2 * BOX_PADDING) for v in part]
    widths += [DUMMY_WIDTH] * (len(graph.above) - len(part))
    centres = place_nodes(graph, [w + BOX_GAP if i < len(part) else w for i, w in enumerate(widths)])
    left = min(x - w / 2 for x, w in zip(centres, widths, strict=True))
    centres = [x - left for x in centres]
    heights = _place_layers(graph, centres)
    level = {v: y for layer, y in zip(graph.layers, heights, strict=True) for v in layer}
    boxes = {v: Box(centres[i], level[i], widths[i], labels[v]) for i, v in enumerate(part)}
    routes = [
        Route(part[parent], part[child], _trace_route(graph, path, centres, level, widths))
        for (parent, child), path in graph.paths.items()
    ]
    right = max(x + w / 2 for x, w in zip(centres, widths, strict=True))
    return _Component(right, heights[-1] + BOX_HEIGHT / 2, boxes, routes)


def _place_layers(graph: LayeredGraph, centres: Sequence[float]) -> list[float]:
    """Return the vertical centre of each layer; the gap is larger where edges are long horizontally."""
    heights = [BOX_HEIGHT / 2]
    for layer in graph.layers[:-1]:
        ways = [abs(centres[v] - centres[u]) for v in layer for u in graph.below[v]]
        gap = MIN_LAYER_GAP + STEEPNESS * (sum(ways) / len(ways) if ways else 0.0)
        heights.append(heights[-1] + BOX_HEIGHT + min(gap, MAX_LAYER_GAP))
    return heights


def _trace_route(
    graph: LayeredGraph, path: Sequence[int], centres: Sequence[float], level: dict[int, float], widths: Sequence[float]
) -> list[Point]:
    """Return the points of an edge; the ends of several edges at one box are sorted so that they do not cross."""
    start, end = path[0], path[-1]
    first = (_find_port(start, path[1], graph.below, centres, widths), level[start] + BOX_HEIGHT / 2)
    last = (_find_port(end, path[-2], graph.above, centres, widths), level[end] - BOX_HEIGHT / 2)
    passed = [point for v in path[1:-1] for point in _pass_layer(centres[v], level[v])]
    return straighten_route([first, *passed, last])


def _pass_layer(x: float, y: float) -> list[Point]:
    """Return two points that make an edge pass a layer of boxes vertically."""
    return [(x, y - BOX_HEIGHT / 2), (x, y + BOX_HEIGHT / 2)]


def _find_port(
    point: int, other: int, neighbours: Sequence[Sequence[int]], centres: Sequence[float], widths: Sequence[float]
) -> float:
    """Return the x coordinate at which the edge to another node meets a box."""
    others = sorted(neighbours[point], key=centres.__getitem__)
    spread = min(0.8 * widths[point], PORT_GAP * len(others))
    share = (others.index(other) + 0.5) / len(others) - 0.5 if len(others) > 1 else 0.0
    return centres[point] + spread * share
