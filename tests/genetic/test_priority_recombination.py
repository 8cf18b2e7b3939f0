"""Priority recombination: Algorithms 1 and 2, by hand and on random individuals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stacks import edges_of, follows, free, graph, random_individuals, random_problem

from bnsearch.genetic.individuals import Individuals
from bnsearch.genetic.recombination import recombine_by_priority, recombine_conventionally
from strategies import examples


def get_parent_set(matrix, start, order):
    """Return the variables that Algorithm 2 collects, and the new ordering."""
    from bnsearch.genetic.kernels_recombination import get_parent_set as kernel

    order = np.array(order)
    n = len(order)
    found = np.empty(n, dtype=bool)
    kernel(matrix, start, order, np.argsort(order), found, np.empty(n, np.int64), np.empty(n, np.int64))
    return set(np.flatnonzero(found).tolist()), order.tolist()


def test_insertion_before():
    """In 3, 0, 1, 2 variable 2 is put in front of 0: 3, 2, 0, 1."""
    from bnsearch.genetic.kernels_recombination import insert_before

    order = np.array([3, 0, 1, 2])
    position = np.argsort(order)
    insert_before(order, position, 2, 0)
    assert order.tolist() == [3, 2, 0, 1]
    assert position.tolist() == [2, 3, 1, 0]


def test_parents_in_front_need_nothing():
    """All parents of 2 stand before it: it alone is collected, and the ordering stays."""
    assert get_parent_set(graph(3, (0, 2), (1, 2)), 2, [0, 1, 2]) == ({2}, [0, 1, 2])


def test_parents_behind_are_collected_with_theirs():
    """
    Along 0, 1, 2, 3: 0 has the parent 2, which has the parents 1 and 3.

    2 is put in front of 0: 2, 0, 1, 3. Now both its parents stand behind it: 1 is put in front of 2, then 3 as well:
    1, 3, 2, 0. Neither has a parent behind.
    """
    matrix = graph(4, (2, 0), (1, 2), (3, 2))
    assert get_parent_set(matrix, 0, [0, 1, 2, 3]) == ({0, 1, 2, 3}, [1, 3, 2, 0])


def individuals(order, matrix, fit) -> Individuals:
    """Return one individual whose families have these log-likelihoods and no penalty."""
    fit = np.array([fit], dtype=np.float64)
    return Individuals(np.array([order]), matrix[None], np.array([0.5]), fit, np.zeros_like(fit))


def test_the_fit_is_the_score_without_its_penalty():
    """Eq. 12: a local score is llS - dpS; scores -7 and -9 with penalties 2 and 3 have the fits -5 and -6."""
    some = Individuals(
        np.array([[0, 1]]), graph(2)[None], np.array([0.5]), np.array([[-7.0, -9.0]]), np.array([[2.0, 3.0]])
    )
    assert some.fit.tolist() == [[-5.0, -6.0]]
    assert (some.scores.tolist(), some.total_penalty.tolist()) == ([-16.0], [5.0])


def test_recombination_by_hand():
    """
    The gains of taking over are 3 for 0, -1 for 1, 2 for 2: variables in order 0, 2, 1.

    0's parent 1 stands behind it along 0, 1, 2, so 1 goes first and is taken over with it: 3 - 1 = 2 > 0. 2 has the
    parent 1 in front of it: its 2 is gained, too. All is taken: no better than the former individual, so not better
    than both, and the old one stays.
    """
    old = individuals([0, 1, 2], graph(3, (0, 1)), [-10, -5, -10])
    former = individuals([1, 0, 2], graph(3, (1, 0), (1, 2)), [-7, -6, -8])
    new, better = recombine_by_priority(old, former)
    assert better.tolist() == [False]
    assert edges_of(new.graphs[0]) == {(0, 1)}
    assert new.orders.tolist() == [[0, 1, 2]]


def test_recombination_takes_what_fits_better():
    """
    Gains 3 for 0, -4 for 1, 2 for 2: 0 needs 1, whose loss is too high; 2 is taken alone: -25 becomes -23.

    The former individual has -24: less than the new one.
    """
    old = individuals([0, 1, 2], graph(3, (0, 1)), [-10, -5, -10])
    former = individuals([1, 0, 2], graph(3, (1, 0), (1, 2)), [-7, -9, -8])
    new, better = recombine_by_priority(old, former)
    assert better.tolist() == [True]
    assert edges_of(new.graphs[0]) == {(0, 1), (1, 2)}
    assert new.local.tolist() == [[-10, -5, -8]]
    assert new.alpha.tolist() == [0.5]


def test_gains_count_once():
    """
    Along 1, 2, 0 with gains 5 for 0 and 3 for 2 and -1 for 1: 2 is a parent of 1, and 1 of 0.

    0 is taken alone (1 stands before it), then 2 alone, then 1, whose parent 2 stands behind it: 2 was taken before, so
    the sum is -1, and 1 keeps its own: -16 - 16 becomes 5 + 3 more, against 5 + 3 - 1 of the former.
    """
    old = individuals([1, 2, 0], graph(3), [-10, -10, -10])
    former = individuals([2, 1, 0], graph(3, (2, 1), (1, 0)), [-5, -11, -7])
    new, better = recombine_by_priority(old, former)
    assert better.tolist() == [True]
    assert edges_of(new.graphs[0]) == {(1, 0)}
    assert new.local.tolist() == [[-5, -10, -7]]
    assert new.orders.tolist() == [[1, 2, 0]]


PROBLEM = random_problem(6, 80, seed=4)


@examples(40)
@given(st.integers(0, 10_000))
def test_offspring_exceed_both_or_the_parent_is_kept(seed):
    """Offspring follow their orderings, have the right scores, and fit better than both parents or are unchanged."""
    old, families = random_individuals(PROBLEM, 20, seed)
    former, _ = random_individuals(PROBLEM, 20, seed + 1)
    new, better = recombine_by_priority(old, former)
    assert all(follows(matrix, order) for matrix, order in zip(new.graphs, new.orders, strict=True))
    local, penalty = families.score_graphs(new.graphs)
    assert new.local == pytest.approx(local)
    assert new.penalty == pytest.approx(penalty)
    fits = [which.fit.sum(axis=1) for which in (new, old, former)]
    assert (fits[0] > np.maximum(fits[1], fits[2]))[better].all()
    assert np.array_equal(new.graphs[~better], old.graphs[~better])
    assert np.array_equal(new.orders[~better], old.orders[~better])


def test_some_offspring_are_better():
    """Random individuals do recombine into better ones: the property above is not empty."""
    old, _ = random_individuals(PROBLEM, 100, 1)
    former, _ = random_individuals(PROBLEM, 100, 2)
    assert recombine_by_priority(old, former)[1].sum() > 10


def test_conventional_offspring_follow_their_orderings():
    """Offspring of cut strings follow their orderings, have few enough parents, and have scores."""
    old, families = random_individuals(PROBLEM, 30, 1)
    former, _ = random_individuals(PROBLEM, 30, 2)
    new = recombine_conventionally(old, former, free(old.graphs.shape[1], 2), families, np.random.default_rng(0))
    assert all(follows(matrix, order) for matrix, order in zip(new.graphs, new.orders, strict=True))
    assert (new.graphs.sum(axis=2) <= 2).all()
    assert np.array_equal(new.local, families.score_graphs(new.graphs)[0])
    assert np.array_equal(new.alpha, old.alpha)


def test_a_small_gain_is_enough():
    """Gains .5 for 0 and -2 for 1: 0 alone is taken, and -15 becomes -14.5, more than the former's -16.5."""
    old = individuals([0, 1], graph(2), [-10, -5])
    former = individuals([1, 0], graph(2, (1, 0)), [-9.5, -7])
    new, better = recombine_by_priority(old, former)
    assert better.tolist() == [False]  # 1 stands behind 0, so its loss of 2 comes along
    old = individuals([1, 0], graph(2), [-10, -5])
    new, better = recombine_by_priority(old, former)
    assert better.tolist() == [True]
    assert new.local.tolist() == [[-9.5, -5.0]]
