"""Strongly connected components."""

from __future__ import annotations

import networkx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.exact.components import strong_components
from strategies import examples


def components(arcs):
    """Return the components as a set of sets of vertices."""
    label = strong_components(arcs)
    assert sorted(set(label.tolist())) == list(range(label.max() + 1))
    return {frozenset(np.flatnonzero(label == number).tolist()) for number in set(label.tolist())}


def test_components_of_a_small_graph():
    """0 -> 1 -> 2 -> 0 is a cycle; 3 leads to it, 4 follows from it, and 3 -> 3 is no matter."""
    arcs = np.zeros((5, 5), dtype=bool)
    for i, j in [(0, 1), (1, 2), (2, 0), (3, 0), (3, 3), (1, 4)]:
        arcs[i, j] = True
    assert components(arcs) == {frozenset({0, 1, 2}), frozenset({3}), frozenset({4})}


@examples(60)
@given(n=st.integers(1, 70), arcs_each=st.floats(0, 3), seed=st.integers(0, 1000))
def test_components_are_those_of_networkx(n, arcs_each, seed):
    """Random graphs, on both sides of the width of a machine word and of the density where components grow large."""
    arcs = np.random.default_rng(seed).random((n, n)) < arcs_each / n
    graph = networkx.from_numpy_array(arcs, create_using=networkx.DiGraph)
    assert components(arcs) == set(map(frozenset, networkx.strongly_connected_components(graph)))


def test_long_cycles_and_paths():
    """2,000 vertices on a path are components of their own, on a cycle one; no recursion is too deep."""
    path = np.eye(2000, k=1, dtype=bool)
    assert len(components(path)) == 2000
    path[-1, 0] = True
    assert len(components(path)) == 1
