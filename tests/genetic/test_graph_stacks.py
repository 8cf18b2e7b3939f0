"""Stacks of graphs and orderings: drawn, limited, repaired."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stacks import edges_of, follows, free, graph, is_dag

from bnsearch.genetic.graph_stacks import draw_orders, drop_surplus_parents, find_predecessors
from strategies import examples


def test_precedence_by_hand():
    """Along 2, 0, 1: 2 stands before 0 and 1, 0 before 1."""
    assert edges_of(find_predecessors(np.array([[2, 0, 1]]))[0]) == {(2, 0), (2, 1), (0, 1)}


@given(st.integers(1, 12), st.integers(0, 1000))
def test_random_graphs_follow_their_orderings(n, seed):
    """Random graphs are acyclic, with at most as many parents as allowed."""
    rng = np.random.default_rng(seed)
    orders = draw_orders(4, n, rng)
    graphs = free(n, 2).draw_graphs(orders, rng)
    assert all(follows(matrix, order) for matrix, order in zip(graphs, orders, strict=True))
    assert (graphs.sum(axis=2) <= 2).all()


def test_random_graphs_have_about_as_many_edges_as_variables():
    """2 / (n - 1) of n (n - 1) / 2 pairs are n edges on average: 200 graphs of 10 have about 2,000."""
    rng = np.random.default_rng(0)
    assert abs(free(10, 9).draw_graphs(draw_orders(200, 10, rng), rng).sum() - 2000) < 150


def test_the_best_parents_are_kept():
    """Of the parents 0, 1, 2 with merits .1, .3, .2 two are kept: 1 and 2. Others are left alone."""
    graphs = graph(4, (0, 3), (1, 3), (2, 3), (0, 1))[None]
    merit = np.zeros((4, 4))
    merit[3, :3] = 0.1, 0.3, 0.2
    assert edges_of(drop_surplus_parents(graphs, np.full(4, 2), merit)[0]) == {(1, 3), (2, 3), (0, 1)}
    assert edges_of(graphs[0]) == {(0, 3), (1, 3), (2, 3), (0, 1)}


def test_repair_by_hand():
    """The cycle 0 -> 1 -> 2 -> 0 loses one edge, each about as often; 3, below it, keeps its parent."""
    graphs = np.repeat(graph(4, (0, 1), (1, 2), (2, 0), (2, 3))[None], 600, axis=0)
    fixed = free(4, 3).repair(graphs, np.random.default_rng(0))
    lost = Counter(next(iter(edges_of(graphs[0]) - edges_of(matrix))) for matrix in fixed)
    assert (fixed.sum(axis=(1, 2)) == 3).all()
    assert set(lost) == {(0, 1), (1, 2), (2, 0)}
    assert all(abs(count - 200) < 50 for count in lost.values())


@examples(50)
@given(st.integers(1, 9), st.floats(0, 1), st.integers(0, 1000))
def test_repaired_graphs_are_acyclic(n, density, seed):
    """Out of any matrices, self-loops and all, come acyclic graphs with some of their edges; acyclic ones are kept."""
    rng = np.random.default_rng(seed)
    graphs = rng.random((3, n, n)) < density
    fixed = free(n, 3).repair(graphs, rng)
    assert all(is_dag(matrix) for matrix in fixed)
    assert not (fixed & ~graphs).any()
    assert (fixed.sum(axis=2) <= 3).all()
    assert np.array_equal(free(n, 3).repair(fixed, rng), fixed)
