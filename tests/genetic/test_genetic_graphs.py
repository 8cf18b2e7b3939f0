"""What evolution does with stacks of graphs: make, limit, repair, select."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stacks import edges_of, follows, free, graph, is_dag

from bnsearch.genetic.graphs import (
    fittest,
    generations,
    limited,
    precedes,
    random_orders,
    ranked,
    tournament,
)
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations
from strategies import examples


def test_generations_are_iterations():
    """Each generation counts when it begins; the run may end them sooner."""
    run = Run(Iterations(3))
    assert [(g, run.progress.iterations) for g in generations(10, run)] == [(1, 1), (2, 2), (3, 3)]
    assert [*generations(2, Run())] == [1, 2]


def test_precedence_by_hand():
    """Along 2, 0, 1: 2 stands before 0 and 1, 0 before 1."""
    assert edges_of(precedes(np.array([[2, 0, 1]]))[0]) == {(2, 0), (2, 1), (0, 1)}


@given(st.integers(1, 12), st.integers(0, 1000))
def test_random_graphs_follow_their_orderings(n, seed):
    """Random graphs are acyclic, with at most as many parents as allowed."""
    rng = np.random.default_rng(seed)
    orders = random_orders(4, n, rng)
    graphs = free(n, 2).random_graphs(orders, rng)
    assert all(follows(matrix, order) for matrix, order in zip(graphs, orders, strict=True))
    assert (graphs.sum(axis=2) <= 2).all()


def test_random_graphs_have_about_as_many_edges_as_variables():
    """2 / (n - 1) of n (n - 1) / 2 pairs are n edges on average: 200 graphs of 10 have about 2,000."""
    rng = np.random.default_rng(0)
    assert abs(free(10, 9).random_graphs(random_orders(200, 10, rng), rng).sum() - 2000) < 150


def test_the_best_parents_are_kept():
    """Of the parents 0, 1, 2 with merits .1, .3, .2 two are kept: 1 and 2. Others are left alone."""
    graphs = graph(4, (0, 3), (1, 3), (2, 3), (0, 1))[None]
    merit = np.zeros((4, 4))
    merit[3, :3] = 0.1, 0.3, 0.2
    assert edges_of(limited(graphs, np.full(4, 2), merit)[0]) == {(1, 3), (2, 3), (0, 1)}
    assert edges_of(graphs[0]) == {(0, 3), (1, 3), (2, 3), (0, 1)}


def test_repair_by_hand():
    """The cycle 0 -> 1 -> 2 -> 0 loses one edge, each about as often; 3, below it, keeps its parent."""
    graphs = np.repeat(graph(4, (0, 1), (1, 2), (2, 0), (2, 3))[None], 600, axis=0)
    fixed = free(4, 3).repaired(graphs, np.random.default_rng(0))
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
    fixed = free(n, 3).repaired(graphs, rng)
    assert all(is_dag(matrix) for matrix in fixed)
    assert not (fixed & ~graphs).any()
    assert (fixed.sum(axis=2) <= 3).all()
    assert np.array_equal(free(n, 3).repaired(fixed, rng), fixed)


def test_tournaments():
    """Of 1, 2, 3, 4 the best of two draws is the best with 7/16, then 5/16, 3/16, 1/16."""
    rng = np.random.default_rng(0)
    winners = Counter(np.concatenate([tournament(np.array([3.0, 1.0, 4.0, 2.0]), 2, rng) for _ in range(800)]).tolist())
    assert [abs(winners[i] - 3200 * p / 16) < 120 for i, p in ((2, 7), (0, 5), (3, 3), (1, 1))] == [True] * 4


def test_ranks():
    """Scores -5, -1, -3 have ranks 1, 3, 2 of 6."""
    drawn = Counter(ranked(np.array([-5.0, -1.0, -3.0]), 6000, np.random.default_rng(0)).tolist())
    assert [abs(drawn[i] - 1000 * rank) < 150 for i, rank in ((0, 1), (1, 3), (2, 2))] == [True] * 3


def test_the_fittest():
    """The best two of -3, -1, -2, -1 both score -1; distinct, the second is the -2; repeated ones fill what is left."""
    scores = np.array([-3.0, -1.0, -2.0, -1.0])
    assert fittest(scores, 2).tolist() == [1, 3]
    assert fittest(scores, 2, distinct=True).tolist() == [1, 2]
    assert fittest(scores, 4, distinct=True).tolist() == [1, 2, 0, 3]
