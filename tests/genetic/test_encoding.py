"""Graphs as an ordering and connections of places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stacks import edges_of, follows, free, graph

from bnsearch.genetic.encoding import (
    cross_both,
    cross_connections,
    cross_orders,
    decode_connections,
    encode_connections,
    number_connections,
)
from bnsearch.genetic.graph_stacks import draw_orders


def test_the_string():
    """a12 a13 a23 a14 a24 a34: the connections of the second place, of the third, of the fourth."""
    assert number_connections(4)[np.tril_indices(4, -1)].tolist() == [0, 1, 2, 3, 4, 5]


def test_connections_by_hand():
    """Along 2, 0, 1 the edges 2 -> 1 and 0 -> 1 are connections of the third place with the first and the second."""
    orders = np.array([[2, 0, 1]])
    matrix = graph(3, (2, 1), (0, 1))[None]
    assert edges_of(encode_connections(matrix, orders)[0]) == {(0, 2), (1, 2)}
    assert np.array_equal(decode_connections(encode_connections(matrix, orders), orders), matrix)


def test_orderings_are_cut():
    """3, 1, 0, 2 up to the second place, then what is missing as in 0, 1, 2, 3: 3, 1, 0, 2; cut at 1: 3, 0, 1, 2."""
    first, second = np.array([[3, 1, 0, 2]] * 4), np.array([[0, 1, 2, 3]] * 4)
    crossed = cross_orders(first, second, np.array([0, 1, 2, 4]))
    assert crossed.tolist() == [[0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 0, 2]]


def test_connections_are_cut():
    """Of 1 1 1 and 0 0 0 a cut after two leaves 1 1 0: the third place keeps its connection with the first only."""
    full = np.tril(np.ones((1, 3, 3), dtype=bool), -1)
    crossed = cross_connections(full, np.zeros_like(full), np.array([2]))
    assert edges_of(crossed[0]) == {(0, 1), (0, 2)}


@given(st.integers(1, 8), st.integers(0, 1000))
def test_crossing_is_closed(n, seed):
    """Offspring of any two individuals follow their orderings."""
    rng = np.random.default_rng(seed)
    pairs = [draw_orders(5, n, rng) for _ in range(2)]
    first, second = ((orders, free(n, n).draw_graphs(orders, rng)) for orders in pairs)
    orders, graphs = cross_both(first, second, rng)
    assert all(follows(matrix, order) for matrix, order in zip(graphs, orders, strict=True))
