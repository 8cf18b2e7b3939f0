"""SVG drawings of graphs: boxes with names, arrows from parents to children, lines for undirected edges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from typing import TYPE_CHECKING

from bnsearch.drawing.layout import BOX_HEIGHT, FONT_SIZE, Box, Route, compute_layout
from bnsearch.drawing.routes import Point, make_curve

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
MAX_NOTEBOOK_VARIABLES = 500  # larger graphs take several seconds, so a notebook does not draw them
MAX_NOTEBOOK_EDGES = 2000


def render_structure(dag: DAG, lines: Collection[Edge] = ()) -> str:
    """
    Return an SVG drawing of a structure.

    The edges in `lines` have no arrow. Boxes and edges have titles, which browsers show as tooltips.
    """
    plan = compute_layout(dag)
    width, height = plan.width + 2 * MARGIN, plan.height + 2 * MARGIN
    # edges come first so that they do not cover names
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{-MARGIN:g} {-MARGIN:g} {width:.1f} {height:.1f}" '
            f'font-family="Helvetica,Arial,sans-serif" font-size="{FONT_SIZE:g}">',
            f'<rect x="{-MARGIN:g}" y="{-MARGIN:g}" width="{width:.1f}" height="{height:.1f}" fill="#ffffff"/>',
            f'<g fill="none" stroke="{EDGE_COLOUR}" stroke-width="1.2">',
            *(_render_edge(dag, route, lines) for route in plan.routes),
            f'</g>\n<g stroke="{BORDER_COLOUR}" stroke-width="1.1" fill="{BOX_COLOUR}">',
            *(_render_box(box) for box in plan.boxes),
            f'</g>\n<g fill="{TEXT_COLOUR}" text-anchor="middle">',
            *(_render_label(box, name) for box, name in zip(plan.boxes, dag.names, strict=True)),
            "</g>\n</svg>\n",
        ]
    )


def fits_notebook(graph: DAG | PDAG) -> bool:
    """Return True if a graph is small enough to be drawn automatically in a notebook."""
    return len(graph.names) <= MAX_NOTEBOOK_VARIABLES and len(graph.skeleton) <= MAX_NOTEBOOK_EDGES


def escape_xml(text: str) -> str:
    """Return a text with XML markup escaped and characters that XML does not allow replaced."""
    return escape("".join(c if c.isprintable() or c in "\t\n" else "\ufffd" for c in text))


def _render_edge(dag: DAG, route: Route, lines: Collection[Edge]) -> str:
    pair = (dag.names[route.parent], dag.names[route.child])
    if pair in lines:
        return f'<g><title>{escape_xml(" — ".join(pair))}</title><path d="{_render_path(route.points)}"/></g>'
    x, y = route.points[-1]
    # the line ends inside the arrow so that its end does not show at the tip
    path = _render_path([*route.points[:-1], (x, y - ARROW_LENGTH / 2)])
    half = ARROW_WIDTH / 2
    arrow = f"M{x - half:.1f},{y - ARROW_LENGTH:.1f}L{x + half:.1f},{y - ARROW_LENGTH:.1f}L{x:.1f},{y:.1f}Z"
    title = escape_xml(" → ".join(pair))
    return f'<g><title>{title}</title><path d="{path}"/><path d="{arrow}" fill="{EDGE_COLOUR}" stroke="none"/></g>'


def _render_path(points: Sequence[Point]) -> str:
    return f"M{points[0][0]:.1f},{points[0][1]:.1f}" + "".join(
        f"C{a[0]:.1f},{a[1]:.1f} {b[0]:.1f},{b[1]:.1f} {c[0]:.1f},{c[1]:.1f}" for a, b, c in make_curve(points)
    )


def _render_box(box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - BOX_HEIGHT / 2
    return f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{BOX_HEIGHT:g}" rx="8"/>'


def _render_label(box: Box, name: str) -> str:
    title = "" if box.label == name else f"<title>{escape_xml(name)}</title>"
    return f'<text x="{box.x:.1f}" y="{box.y + FONT_SIZE * 0.35:.1f}">{title}{escape_xml(box.label)}</text>'
