"""Curves of edges."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.drawing.routes import BEND, MAX_SHIFT, find_curve_share, make_curve, straighten_route


def evaluate(piece, start, t):
    """Return a point of a Bezier segment by its definition."""
    points = [start, *piece]
    weights = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3]
    return tuple(sum(w * p[axis] for w, p in zip(weights, points, strict=True)) for axis in (0, 1))


def test_curves_run_down_at_their_ends():
    """The control points are above and below the ends: from (0, 0) to (4, 10) at BEND * 10 and 10 - BEND * 10."""
    first, second = make_curve([(0, 0), (4, 10), (4, 20)])
    assert first == ((0, 10 * BEND), (4, 10 - 10 * BEND), (4, 10))
    assert second == ((4, 10 + 10 * BEND), (4, 20 - 10 * BEND), (4, 20))


@given(st.floats(0, 1))
def test_share_of_the_way(t):
    """The share at the height of a point of the curve is that of the point."""
    (piece,) = make_curve([(0, 0), (1, 1)])
    x, y = evaluate(piece, (0, 0), t)
    assert find_curve_share(y) == pytest.approx(x, abs=1e-5)


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=12))
def test_straight_routes_stay_close(xs):
    """Ends are kept, kept points are given ones in their order, and the curve passes the others closely."""
    points = [(x, 10.0 * i) for i, x in enumerate(xs)]
    kept = straighten_route(points)
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert [p for p in points if p in kept] == kept
    for x, y in points:
        for (x0, y0), (x1, y1) in itertools.pairwise(kept):
            if y0 <= y <= y1:
                assert abs(x0 + (x1 - x0) * find_curve_share((y - y0) / (y1 - y0)) - x) <= MAX_SHIFT + 1e-3


def test_a_bend_that_is_needed_is_kept():
    """A point 40 to the side of the line between the ends is kept, one 1 to the side is not."""
    assert straighten_route([(0, 0), (40, 10), (0, 20)]) == [(0, 0), (40, 10), (0, 20)]
    assert straighten_route([(0, 0), (1, 10), (0, 20)]) == [(0, 0), (0, 20)]
