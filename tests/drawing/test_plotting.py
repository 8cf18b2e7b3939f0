"""Graphs and curves on matplotlib axes."""

from __future__ import annotations

import math

import pytest

from bnsearch.drawing.plotting import plot_graph, plot_trace
from bnsearch.graphs.dag import DAG
from bnsearch.networks import load_network
from bnsearch.runs.stop import Progress
from bnsearch.runs.trace import Trace


@pytest.fixture(autouse=True)
def pyplot():
    """Use a backend without a display, and close all figures."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_graph_on_new_axes():
    """Every variable has a label, every edge a line and an arrow."""
    asia = load_network("asia")
    ax = asia.plot()
    assert sorted(text.get_text() for text in ax.texts) == sorted(asia.names)
    assert len(ax.patches) == 8 + 2 * 8
    ax.figure.canvas.draw()


def test_graph_on_given_axes(pyplot):
    """Given axes are used, and the font is smaller on small axes."""
    figure, (left, right) = pyplot.subplots(1, 2, width_ratios=(3, 1), figsize=(10, 4))
    asia = load_network("asia").dag
    assert asia.plot(left) is left
    assert plot_graph(asia, right) is right
    assert left.texts[0].get_fontsize() > right.texts[0].get_fontsize()
    assert len(figure.axes) == 2


def test_signs_in_names_are_drawn_as_they_are():
    """A dollar sign in a name is not a formula."""
    ax = plot_graph(DAG.empty(["$x_{$", "cost in $"]))
    ax.figure.canvas.draw()


def test_large_graphs_get_a_figure_of_bounded_size():
    """A new figure is at most forty inches wide and high."""
    names = [f"variable number {i}" for i in range(400)]
    ax = plot_graph(DAG(names, [[], *[[i] for i in range(399)]]))
    assert max(ax.figure.get_size_inches()) == pytest.approx(40)


def test_trace():
    """The curve has a point for each record with a score."""
    trace = Trace([Progress(), Progress(seconds=1.0, score=-9.0), Progress(seconds=3.0, score=-7.5)])
    assert trace.points[0].score == -math.inf
    ax = plot_trace(trace)
    assert ax.lines[0].get_xydata().tolist() == [[1.0, -9.0], [3.0, -7.5]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("seconds", "score")
    assert plot_trace(Trace(), ax) is ax


def test_labels_of_a_trace_are_inside_the_figure():
    """Long scores at the axis do not push its label out of the figure."""
    trace = Trace([Progress(seconds=1.0, score=-1_953_390.25), Progress(seconds=3.0, score=-1_953_390.125)])
    ax = plot_trace(trace)
    ax.figure.canvas.draw()
    label, whole = ax.yaxis.label.get_window_extent(), ax.figure.bbox
    assert whole.x0 <= label.x0
    assert label.x1 <= whole.x1
