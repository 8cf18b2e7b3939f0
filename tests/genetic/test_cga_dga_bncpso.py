"""The operators of CGA, DGA and BNC-PSO."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stacks import edges_of, follows, free, graph

from bnsearch.genetic.bncpso import BNCPSO, copy_parent_sets, mutate_edges
from bnsearch.genetic.cga import cross_strings, flip_bits
from bnsearch.genetic.dga import DGA, draw_pairs, mutate_both
from bnsearch.genetic.encoding import encode_connections
from bnsearch.genetic.graph_stacks import draw_orders


def test_cga_cuts_strings_once():
    """Up to the cut the bits are the first's, then the second's, a variable's children before those of the next."""
    ones, zeros = np.ones((200, 3, 3), dtype=bool), np.zeros((200, 3, 3), dtype=bool)
    crossed = cross_strings(ones, zeros, 1.0, np.random.default_rng(0))
    strings = crossed.transpose(0, 2, 1).reshape(200, 9)  # parent by parent
    assert (np.diff(strings.astype(int), axis=1) <= 0).all()  # ones, then zeros
    assert set(strings.sum(axis=1).tolist()) == set(range(10))


def test_cga_crosses_at_its_rate():
    """Of 1,000 pairs half are not crossed, and one in ten of the others is cut at its end: about 550 first members."""
    ones, zeros = np.ones((1000, 3, 3), dtype=bool), np.zeros((1000, 3, 3), dtype=bool)
    crossed = cross_strings(ones, zeros, 0.5, np.random.default_rng(0))
    assert abs(crossed.all(axis=(1, 2)).sum() - 550) < 60


def test_cga_flips_one_bit():
    """About one in ten graphs has one bit flipped; the others are as they were."""
    graphs = np.repeat(graph(4, (0, 1), (2, 3))[None], 1000, axis=0)
    changed = (flip_bits(graphs, 0.1, np.random.default_rng(0)) != graphs).sum(axis=(1, 2))
    assert set(changed.tolist()) == {0, 1}
    assert abs(changed.sum() - 100) < 40


@given(st.integers(1, 7), st.integers(0, 1000))
def test_dga_mutants_are_valid(n, seed):
    """Mutants follow their orderings; places differ by one connection, orderings by one swap."""
    rng = np.random.default_rng(seed)
    orders = draw_orders(6, n, rng)
    graphs = free(n, n).draw_graphs(orders, rng)
    new_orders, new = mutate_both(orders, graphs, 1.0, free(n, n), rng)
    assert all(follows(matrix, order) for matrix, order in zip(new, new_orders, strict=True))
    if n > 1:
        assert ((orders != new_orders).sum(axis=1) == 2).all()
        strings = encode_connections(graphs, orders), encode_connections(new, new_orders)
        assert ((strings[0] != strings[1]).sum(axis=(1, 2)) == 1).all()


def test_dga_leaves_some_pairs_uncrossed():
    """With rate 0 offspring are the first members."""
    rng = np.random.default_rng(0)
    orders, others = draw_orders(9, 5, rng), draw_orders(9, 5, rng)
    graphs, other_graphs = (free(orders.shape[1], 4).draw_graphs(some, rng) for some in (orders, others))
    found = DGA(crossover=0.0).cross((orders, graphs), (others, other_graphs), rng)
    assert np.array_equal(found[0], orders)
    assert np.array_equal(found[1], graphs)


def test_random_pairs_differ():
    """All six ordered pairs of three numbers occur, and no number is paired with itself."""
    first, second = draw_pairs(3, 300, np.random.default_rng(0))
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == {
        (a, b) for a in range(3) for b in range(3) if a != b
    }


def test_bncpso_weights_go_from_end_to_end():
    """The first generation has .95, .82, .4, the last .4, .5, .83, and the middle one the means."""
    method = BNCPSO(generations=3)
    assert method.compute_weights(1) == pytest.approx((0.95, 0.82, 0.4))
    assert method.compute_weights(2) == pytest.approx((0.675, 0.66, 0.615))
    assert method.compute_weights(3) == pytest.approx((0.4, 0.5, 0.83))
    assert BNCPSO(generations=1).compute_weights(1) == pytest.approx((0.95, 0.82, 0.4))


def test_bncpso_takes_a_run_of_parent_sets():
    """Rows of the better graph appear as one run of variables; with rate 0 none does."""
    ones, zeros = np.ones((300, 4, 4), dtype=bool), np.zeros((300, 4, 4), dtype=bool)
    rows = copy_parent_sets(zeros, ones, 1.0, np.random.default_rng(0))
    assert (rows.all(axis=2) == rows.any(axis=2)).all()
    taken = rows.any(axis=2).astype(int)
    assert (np.abs(np.diff(np.pad(taken, ((0, 0), (1, 1))), axis=1)).sum(axis=1) <= 2).all()
    assert set(taken.sum(axis=1).tolist()) == {0, 1, 2, 3, 4}
    assert not copy_parent_sets(zeros, ones, 0.0, np.random.default_rng(0)).any()


def test_bncpso_changes_one_edge():
    """An edge is added, deleted or reversed, each for about a third; with rate 0 nothing is."""
    graphs = np.repeat(graph(4, (0, 1), (1, 2))[None], 900, axis=0)
    mutated = mutate_edges(graphs, 1.0, free(graphs.shape[1], 5), np.random.default_rng(0))
    before = edges_of(graphs[0])
    added, deleted, turned = 0, 0, 0
    for matrix in mutated:
        come, gone = edges_of(matrix) - before, before - edges_of(matrix)
        added += len(come) == 1 and not gone
        deleted += len(gone) == 1 and not come
        turned += len(gone) == 1 and {(c, p) for p, c in gone} == come
    assert added + deleted + turned == 900
    assert all(abs(count - 300) < 60 for count in (added, deleted, turned))
    assert np.array_equal(mutate_edges(graphs, 0.0, free(graphs.shape[1], 5), np.random.default_rng(0)), graphs)


def test_bncpso_with_nothing_to_change():
    """A single variable has no edge to add, delete or reverse."""
    assert not mutate_edges(np.zeros((5, 1, 1), dtype=bool), 1.0, free(1, 5), np.random.default_rng(0)).any()
