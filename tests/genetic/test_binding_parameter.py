"""The binding parameter of MIIGA: Eq. 16, and the edges that come and go with it."""

from __future__ import annotations

import numpy as np
import pytest
from stacks import edges_of, free, graph

from bnsearch.genetic.miiga import adapt_alpha, renovate_graphs


def test_binding_parameters_move_as_eq_16_says():
    """Simpler than the best (90 < 100): a step down; as complex: none; more complex: a step up; never out of 0..1."""
    alpha = np.array([0.5, 0.5, 0.5, 0.01, 0.99])
    penalties = np.array([90.0, 100.0 + 1e-12, 110.0, 90.0, 110.0])
    assert adapt_alpha(alpha, penalties, 100.0, 0.02) == pytest.approx([0.48, 0.5, 0.52, 0.0, 1.0])


def test_edges_come_and_go_with_the_search_space():
    """
    The pair 0-1 leaves the space and 1-2 enters it; 0-3, never in it, and 2-3, always in it, stay as they are.

    Along 2, 1, 0, 3 the new edge is 2 -> 1.
    """
    orders = np.array([[2, 1, 0, 3]])
    graphs = graph(4, (1, 0), (0, 3))[None]
    before = graph(4, (0, 1), (1, 0), (2, 3), (3, 2))[None]
    after = graph(4, (1, 2), (2, 1), (2, 3), (3, 2))[None]
    found = renovate_graphs(orders, graphs, before, after, np.ones((4, 4)), free(4, 3))
    assert edges_of(found[0]) == {(0, 3), (2, 1)}


def test_new_edges_need_room():
    """Of two pairs that enter, variable 3 has room for one beside the parent it has: for the stronger, 1."""
    information = np.zeros((4, 4))
    information[3, 1], information[3, 2], information[3, 0] = 0.5, 0.4, 0.1
    after = graph(4, (1, 3), (2, 3), (3, 1), (3, 2))[None]
    graphs = graph(4, (0, 3))[None]
    found = renovate_graphs(np.array([[0, 1, 2, 3]]), graphs, np.zeros_like(after), after, information, free(4, 2))
    assert edges_of(found[0]) == {(0, 3), (1, 3)}
