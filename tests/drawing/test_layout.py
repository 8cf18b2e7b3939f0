"""Boxes and routes: nothing overlaps, and everything is inside the drawing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from random_dags import dags

from bnsearch.drawing.layout import BOX_HEIGHT, compute_layout, estimate_text_width, find_components, shorten_label
from bnsearch.graphs.dag import DAG
from bnsearch.networks import load_network


def check(dag):
    """Assert that boxes are inside and do not overlap, that edges connect their boxes and cross no other box."""
    plan = compute_layout(dag)
    for box in plan.boxes:
        assert box.x - box.width / 2 + 1e-6 >= 0
        assert box.x + box.width / 2 <= plan.width + 1e-6
        assert box.y + 1e-6 >= BOX_HEIGHT / 2
        assert box.y + BOX_HEIGHT / 2 <= plan.height + 1e-6
        assert estimate_text_width(box.label) < box.width
    for one, two in itertools.combinations(plan.boxes, 2):
        apart = abs(one.x - two.x) >= (one.width + two.width) / 2 - 1e-6
        assert apart or abs(one.y - two.y) >= BOX_HEIGHT + 1e-6
    assert {(r.parent, r.child) for r in plan.routes} == {(p, c) for c, ps in enumerate(dag.parents) for p in ps}
    for route in plan.routes:
        top, bottom = plan.boxes[route.parent], plan.boxes[route.child]
        assert route.points[0][1] == pytest.approx(top.y + BOX_HEIGHT / 2)
        assert route.points[-1][1] == pytest.approx(bottom.y - BOX_HEIGHT / 2)
        assert abs(route.points[0][0] - top.x) < top.width / 2
        assert abs(route.points[-1][0] - bottom.x) < bottom.width / 2
        assert all(b[1] > a[1] for a, b in itertools.pairwise(route.points))
        for x, y in route.points[1:-1]:
            assert not any(abs(x - box.x) < box.width / 2 and abs(y - box.y) < BOX_HEIGHT for box in plan.boxes)


@given(dags())
def test_nothing_overlaps(dag):
    """The layouts of random graphs of up to 12 variables are valid."""
    check(dag)


@pytest.mark.parametrize("name", ["asia", "greenhouse"])
def test_examples(name):
    """The layouts of the embedded networks are valid."""
    check(load_network(name).dag)


def test_many_variables():
    """A tree of 300 variables, a third of them without edges, has a drawing that is neither too wide nor too high."""
    dag = DAG([f"v{i}" for i in range(300)], [[(i - 1) // 3] if 0 < i < 200 else [] for i in range(300)])
    check(dag)
    plan = compute_layout(dag)
    assert 1 / 4 < plan.width / plan.height < 4


def test_unconnected_variables_stand_in_rows():
    """Thirty variables without edges are placed in several rows."""
    plan = compute_layout(DAG.empty([f"v{i}" for i in range(30)]))
    rows = {box.y for box in plan.boxes}
    assert 3 <= len(rows) <= 10


def test_parts_are_connected_and_in_order():
    """The graph a -> c and b has two components, in topological order."""
    assert find_components(DAG(["c", "b", "a"], [[2], [], []])) == [[2, 0], [1]]


def test_labels_are_short_and_on_one_line():
    """A long name ends in an ellipsis; line breaks and control characters become blanks; no label is empty."""
    assert shorten_label("x" * 24) == "x" * 24
    assert shorten_label("x" * 25) == "x" * 23 + "…"
    assert shorten_label("\t ") == "(blank)"
    assert shorten_label("two\nlines\x1b[0m") == "two lines [0m"
