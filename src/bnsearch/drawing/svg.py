"""Graphs as SVG: boxes with names in layers, arrows down from parents to children, lines without a direction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from bnsearch.drawing.layout import BOX_HEIGHT, FONT_SIZE, Box, Point, Route, layout

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG
    from bnsearch.graphs.patterns import Edge
    from bnsearch.graphs.pdag import PDAG

MARGIN = 12.0
ARROW_LENGTH = 7.0
ARROW_WIDTH = 6.0
EDGE_COLOUR = "#5b6b7b"
BOX_COLOUR = "#eaf1f8"
BORDER_COLOUR = "#3d6a94"
TEXT_COLOUR = "#15202b"
MOST_SHOWN = 500  # variables, and
MOST_EDGES = 2000  # edges, of a graph that a notebook draws by itself: it takes some seconds


def render_structure(dag: DAG, lines: Collection[Edge] = ()) -> str:
    """Return a drawing of a structure, without an arrow on some edges; hover over a box or an edge for its name."""
    plan = layout(dag)
    width, height = plan.width + 2 * MARGIN, plan.height + 2 * MARGIN
    # the edges first, so that they never hide a name
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{-MARGIN:g} {-MARGIN:g} {width:.1f} {height:.1f}" '
            f'font-family="Helvetica,Arial,sans-serif" font-size="{FONT_SIZE:g}">',
            f'<rect x="{-MARGIN:g}" y="{-MARGIN:g}" width="{width:.1f}" height="{height:.1f}" fill="#ffffff"/>',
            f'<g fill="none" stroke="{EDGE_COLOUR}" stroke-width="1.2">',
            *(_edge(dag, route, lines) for route in plan.routes),
            f'</g>\n<g stroke="{BORDER_COLOUR}" stroke-width="1.1" fill="{BOX_COLOUR}">',
            *(_box(box) for box in plan.boxes),
            f'</g>\n<g fill="{TEXT_COLOUR}" text-anchor="middle">',
            *(_label(box, name) for box, name in zip(plan.boxes, dag.names, strict=True)),
            "</g>\n</svg>\n",
        ]
    )


def fits_notebook(graph: DAG | PDAG) -> bool:
    """Tell whether a graph is small enough for a notebook to draw it by itself."""
    return len(graph.names) <= MOST_SHOWN and len(graph.skeleton) <= MOST_EDGES


def curve(points: Sequence[Point]) -> list[tuple[Point, Point, Point]]:
    """
    Return the Bezier pieces of an edge: two control points and an end each.

    Every piece begins and ends running straight down, so pieces join smoothly and an arrow points down.
    """
    pieces = []
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (y1 - y0) * 0.5
        pieces.append(((x0, y0 + bend), (x1, y1 - bend), (x1, y1)))
    return pieces


def xml_text(text: str) -> str:
    """Return a text as XML can hold it: marks escaped, characters that XML does not know replaced."""
    return escape("".join(c if c.isprintable() or c in "\t\n" else "\ufffd" for c in text))


def _edge(dag: DAG, route: Route, lines: Collection[Edge]) -> str:
    pair = (dag.names[route.parent], dag.names[route.child])
    if pair in lines:
        return f'<g><title>{xml_text(" — ".join(pair))}</title><path d="{_path(route.points)}"/></g>'
    x, y = route.points[-1]
    # the line ends inside the arrow, or its blunt end would show at the tip
    path = _path([*route.points[:-1], (x, y - ARROW_LENGTH / 2)])
    half = ARROW_WIDTH / 2
    arrow = f"M{x - half:.1f},{y - ARROW_LENGTH:.1f}L{x + half:.1f},{y - ARROW_LENGTH:.1f}L{x:.1f},{y:.1f}Z"
    title = xml_text(" → ".join(pair))
    return f'<g><title>{title}</title><path d="{path}"/><path d="{arrow}" fill="{EDGE_COLOUR}" stroke="none"/></g>'


def _path(points: Sequence[Point]) -> str:
    return f"M{points[0][0]:.1f},{points[0][1]:.1f}" + "".join(
        f"C{a[0]:.1f},{a[1]:.1f} {b[0]:.1f},{b[1]:.1f} {c[0]:.1f},{c[1]:.1f}" for a, b, c in curve(points)
    )


def _box(box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - BOX_HEIGHT / 2
    return f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{BOX_HEIGHT:g}" rx="8"/>'


def _label(box: Box, name: str) -> str:
    title = "" if box.label == name else f"<title>{xml_text(name)}</title>"
    return f'<text x="{box.x:.1f}" y="{box.y + FONT_SIZE * 0.35:.1f}">{title}{xml_text(box.label)}</text>'
