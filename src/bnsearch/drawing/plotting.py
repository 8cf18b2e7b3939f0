"""Graphs and scores over time, drawn with matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bnsearch._tools.extras import import_optional
from bnsearch.drawing.layout import BOX_HEIGHT, FONT_SIZE, Box, Layout, Route, compute_layout
from bnsearch.drawing.routes import make_curve
from bnsearch.drawing.svg import (
    ARROW_LENGTH,
    ARROW_WIDTH,
    BORDER_COLOUR,
    BOX_COLOUR,
    EDGE_COLOUR,
    MARGIN,
    TEXT_COLOUR,
)

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG
    from bnsearch.runs.trace import Trace

MAX_FIGURE_INCHES = 40.0  # width and height of a new figure
POINTS_PER_INCH = 72.0  # one point is one unit of a layout


def plot_graph(dag: DAG, ax: Any = None) -> Any:
    """Draw a DAG on matplotlib axes and return the axes; None creates axes of a suitable size."""
    plan = compute_layout(dag)
    if ax is None:
        ax = _new_axes(plan)
    ax.set_axis_off()
    ax.set_xlim(-MARGIN, plan.width + MARGIN)
    ax.set_ylim(plan.height + MARGIN, -MARGIN)
    ax.set_aspect("equal")
    scale = _compute_scale(ax, plan)
    for route in plan.routes:
        _draw_edge(ax, route, scale)
    for box in plan.boxes:
        _draw_box(ax, box, scale)
    return ax


def plot_trace(trace: Trace, ax: Any = None) -> Any:
    """Draw the best score over time on matplotlib axes and return the axes; None creates new axes."""
    pyplot = import_optional("matplotlib.pyplot", "plots")
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")  # leaves room for scores with many digits
    points = [(point.seconds, point.score) for point in trace if math.isfinite(point.score)]
    ax.step(*(zip(*points, strict=True) if points else ((), ())), where="post", marker=".", color=BORDER_COLOUR)
    ax.set_xlabel("seconds")
    ax.set_ylabel("score")
    ax.ticklabel_format(axis="y", useOffset=False)
    return ax


def _new_axes(plan: Layout) -> Any:
    """Return axes that fill a new figure of the size of the layout, reduced if it is too large."""
    width, height = (plan.width + 2 * MARGIN) / POINTS_PER_INCH, (plan.height + 2 * MARGIN) / POINTS_PER_INCH
    shrink = min(1.0, MAX_FIGURE_INCHES / max(width, height))
    figure = import_optional("matplotlib.pyplot", "plots").figure(figsize=(width * shrink, height * shrink))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _compute_scale(ax: Any, plan: Layout) -> float:
    """Return the number of points of one unit of the layout on these axes."""
    extent = ax.get_window_extent()
    pixels = min(extent.width / (plan.width + 2 * MARGIN), extent.height / (plan.height + 2 * MARGIN))
    return float(pixels * POINTS_PER_INCH / ax.figure.dpi)


def _draw_edge(ax: Any, route: Route, scale: float) -> None:
    path = import_optional("matplotlib.path", "plots").Path
    patches = import_optional("matplotlib.patches", "plots")
    x, y = route.points[-1]
    line = [*route.points[:-1], (x, y - ARROW_LENGTH / 2)]
    pieces = [point for piece in make_curve(line) for point in piece]
    bends = path([line[0], *pieces], [path.MOVETO, *[path.CURVE4] * len(pieces)])
    ax.add_patch(patches.PathPatch(bends, fill=False, edgecolor=EDGE_COLOUR, linewidth=1.2 * scale))
    half, top = ARROW_WIDTH / 2, y - ARROW_LENGTH
    ax.add_patch(patches.Polygon([(x - half, top), (x + half, top), (x, y)], color=EDGE_COLOUR, linewidth=0))


def _draw_box(ax: Any, box: Box, scale: float) -> None:
    patches = import_optional("matplotlib.patches", "plots")
    corner = (box.x - box.width / 2, box.y - BOX_HEIGHT / 2)
    style = patches.BoxStyle.Round(pad=0, rounding_size=8)
    look = {"facecolor": BOX_COLOUR, "edgecolor": BORDER_COLOUR, "linewidth": 1.1 * scale}
    ax.add_patch(patches.FancyBboxPatch(corner, box.width, BOX_HEIGHT, boxstyle=style, **look))
    # parse_math is off because a dollar sign in a name does not start a formula
    text = {"ha": "center", "va": "center", "color": TEXT_COLOUR, "parse_math": False}
    ax.text(box.x, box.y, box.label, fontsize=FONT_SIZE * scale, **text)
