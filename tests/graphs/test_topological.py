"""Topological orders: ranks, ties and cycles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.graphs.topological import topological_order


@pytest.mark.parametrize(
    ("parents", "rank", "expected"),
    [
        ([[], [], []], None, [0, 1, 2]),
        ([[], [], []], [2, 0, 1], [1, 2, 0]),
        ([{2}, {0}, set()], [0, 1, 2], [2, 0, 1]),
        ([[1], [], [], [2]], [0, 3, 2, 1], [2, 3, 1, 0]),
        ([[1], [0], [], [1]], None, [2]),
        ([], None, []),
    ],
    ids=["index", "rank", "chain", "free-first", "cycle", "empty"],
)
def test_orders_by_hand(parents, rank, expected):
    """The lowest rank among the free variables is next; variables on or below a cycle are missing."""
    assert topological_order(parents, rank) == expected


@given(st.permutations(range(7)), st.permutations(range(7)), st.integers(0, 2**21 - 1))
def test_each_variable_is_the_lowest_that_could_come_next(order, rank, bits):
    """By definition: at each position stands the variable of the lowest rank whose parents all stand before."""
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    parents = [{a for k, (a, b) in enumerate(pairs) if b == v and bits >> k & 1} for v in range(7)]
    found = topological_order(parents, rank)
    for i, v in enumerate(found):
        free = [u for u in range(7) if u not in found[:i] and parents[u] <= set(found[:i])]
        assert v == min(free, key=rank.__getitem__)
    assert len(found) == 7
