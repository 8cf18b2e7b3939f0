"""Routes of edges: smooth curves through points, from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]

MAX_SHIFT = 9.0  # horizontal distance of a straightened edge from the points it passes; less than to the next box
BISECTIONS = 20
BEND = 0.34  # share of the height of a segment at which its control points are; 0.5 has the smoothest curves


def make_curve(points: Sequence[Point]) -> list[tuple[Point, Point, Point]]:
    """
    Return the Bezier segments of an edge: two control points and an end point each.

    Every segment starts and ends vertically, so that segments join smoothly and arrows point down.
    """
    pieces = []
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (y1 - y0) * BEND
        pieces.append(((x0, y0 + bend), (x1, y1 - bend), (x1, y1)))
    return pieces


def straighten_route(points: Sequence[Point]) -> list[Point]:
    """
    Return the points of an edge without those that its curve passes closely anyway.

    The algorithm is that of Douglas & Peucker (1973), with the curves of `make_curve` in place of straight lines.
    """
    kept = [points[0]]
    waiting = [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        (x0, y0), (x1, y1) = points[first], points[last]
        shifts = [
            (abs(x - x0 - (x1 - x0) * find_curve_share((y - y0) / (y1 - y0))), i)
            for i, (x, y) in enumerate(points[first + 1 : last], first + 1)
        ]
        shift, farthest = max(shifts, default=(0.0, 0))
        if shift > MAX_SHIFT:
            waiting += [(farthest, last), (first, farthest)]
        else:
            kept.append(points[last])
    return kept


def find_curve_share(height: float) -> float:
    """Return the share of the horizontal way of a segment of `make_curve` at a share of its height."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        t = (low + high) / 2
        if 3 * t * (1 - t) * ((1 - t) * BEND + t * (1 - BEND)) + t**3 < height:
            low = t
        else:
            high = t
    return 3 * low**2 - 2 * low**3
