"""Layers of a graph, and the positions of the nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_dags import dags

from bnsearch.drawing.layers import assign_layers, count_crossings, find_short_levels
from bnsearch.drawing.placing import fit_ascending, place_nodes


def level_of(graph):
    """Return the layer of each node."""
    return {v: level for level, layer in enumerate(graph.layers) for v in layer}


def check_layers(graph, dag):
    """Assert that the path of an edge has one node in each layer from the parent down to the child."""
    level = level_of(graph)
    assert sorted(level) == list(range(len(graph.above)))
    assert sum(map(len, graph.layers)) == len(level)
    assert set(graph.paths) == {(p, child) for child, parents in enumerate(dag.parents) for p in parents}
    for (parent, child), path in graph.paths.items():
        assert (path[0], path[-1]) == (parent, child)
        assert [level[v] for v in path] == list(range(level[parent], level[child] + 1))
        assert all(v >= len(dag.names) for v in path[1:-1])


def check_crossings(graph):
    """Assert that two edges between the same layers cross if their ends are in opposite orders."""
    expected = 0
    for upper, lower in itertools.pairwise(graph.layers):
        edges = [(i, lower.index(u)) for i, v in enumerate(upper) for u in graph.below[v]]
        expected += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in itertools.combinations(edges, 2))
    assert count_crossings(graph, graph.layers) == expected


def check_positions(graph):
    """Assert that the distance of adjacent nodes in a layer is at least the mean of their widths."""
    widths = [10.0 + v % 3 for v in range(len(graph.above))]
    centres = place_nodes(graph, widths)
    for layer in graph.layers:
        for left, right in itertools.pairwise(layer):
            assert centres[right] - centres[left] >= (widths[left] + widths[right]) / 2 - 1e-6


@given(dags())
def test_layers_of_any_graph(dag):
    """Layers have every node once, crossings are those of the definition, and positions keep order and distance."""
    graph = assign_layers(dag.parents)
    check_layers(graph, dag)
    check_crossings(graph)
    check_positions(graph)


def test_crossings_that_can_be_avoided_are():
    """Two variables, each with two children of its own, listed alternately: no edges cross."""
    graph = assign_layers([[], [], [0], [1], [0], [1]])
    assert count_crossings(graph, graph.layers) == 0
    assert count_crossings(graph, [[0, 1], [2, 3, 4, 5]]) == 1


@given(dags(most=5))
def test_edges_span_few_layers(dag):
    """No assignment of up to 5 variables to layers below their parents has a smaller total span."""

    def span(levels):
        spans = [levels[child] - levels[p] for child, parents in enumerate(dag.parents) for p in parents]
        return sum(spans) if min(spans, default=1) > 0 else np.inf

    n = len(dag.names)
    assert span(find_short_levels(dag.parents)) == min(map(span, itertools.product(range(n), repeat=n)))


def test_a_source_stands_above_its_children():
    """In 0 -> 1 -> 2 -> 3 with 4 -> 3, variable 4 is in the layer of 2, not at the top."""
    graph = assign_layers([[], [0], [1], [2, 4], []])
    assert level_of(graph)[4] == level_of(graph)[2] == 2


def test_wide_layers_are_split():
    """At most 14 of 100 children of one variable are in the same layer, so there are 8 layers below it, about equal."""
    graph = assign_layers([[], *[[0]] * 100])
    variables = [[v for v in layer if v <= 100] for layer in graph.layers]
    assert {len(layer) for layer in variables[1:]} == {12, 13}
    assert len(variables) == 9
    assert variables[0] == [0]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=7))
def test_ascending_is_the_best(pairs):
    """No ascending sequence of means of neighbours has a smaller weighted sum of squares."""
    wanted, weights = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    found = fit_ascending(wanted, weights)
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(found))
    best = np.inf
    for cuts in itertools.product([False, True], repeat=len(pairs) - 1):
        group = np.cumsum([0, *cuts])
        means = np.bincount(group, wanted * weights) / np.bincount(group, weights)
        if (np.diff(means) >= 0).all():
            best = min(best, (weights * (wanted - means[group]) ** 2).sum())
    assert (weights * (wanted - found) ** 2).sum() == pytest.approx(best)
