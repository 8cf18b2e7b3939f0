"""Mutual information, the pairs it relates, and the forest of strongest partners."""

from __future__ import annotations

from collections import Counter
from math import log

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stacks import follows, free, random_problem

from bnsearch.data import Dataset
from bnsearch.genetic.graph_stacks import find_predecessors
from bnsearch.genetic.information import compute_mutual_information, find_related_pairs, link_strongest_partners
from bnsearch.genetic.initialisation import connect_related_pairs, draw_informed_orders
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.bic import BIC

INFORMATION = np.array([[0.0, 0.5, 0.2, 0.0], [0.5, 0.0, 0.4, 0.1], [0.2, 0.4, 0.0, 0.0], [0.0, 0.1, 0.0, 0.0]])


def test_information_by_hand():
    """A fair coin and its copy share log 2; coins that are independent in the sample share nothing."""
    rows = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]])
    information = compute_mutual_information(Problem(data=Dataset.from_codes(rows), score=BIC()), Run())
    assert information == pytest.approx(np.array([[0, log(2), 0], [log(2), 0, 0], [0, 0, 0]]), abs=1e-12)


def test_information_by_definition():
    """Eq. 3: the sum over cells of p(a, b) log(p(a, b) / p(a) p(b))."""
    problem = random_problem(5, 40, seed=3)
    codes, n = problem.needed_data.codes, 40
    information = compute_mutual_information(problem, Run())
    for x in range(5):
        for y in range(5):
            if x != y:
                both = Counter(zip(codes[x].tolist(), codes[y].tolist(), strict=True))
                a, b = Counter(codes[x].tolist()), Counter(codes[y].tolist())
                expected = sum(c / n * log(c * n / (a[i] * b[j])) for (i, j), c in both.items())
                assert information[x, y] == pytest.approx(expected, abs=1e-12)


def test_related_pairs_by_hand():
    """
    The maxima are .5, .5, .4, .1.

    With alpha 1: none, as nothing exceeds the most that there is. With .9 and .5: 0-1 (.5), 1-2 (.4 is the most of 2),
    1-3 (.1 is the most of 3), but not 0-2, as .2 does not exceed .5 * .4. With .49: 0-2 too. Zero information relates
    nothing, whatever alpha is.
    """
    found = find_related_pairs(INFORMATION, np.array([1.0, 0.9, 0.5, 0.49, 0.0]))
    pairs = [{(int(a), int(b)) for a, b in zip(*np.nonzero(np.triu(m)), strict=True)} for m in found]
    assert pairs[0] == set()
    assert pairs[1] == pairs[2] == {(0, 1), (1, 2), (1, 3)}
    assert pairs[3] == pairs[4] == {(0, 1), (0, 2), (1, 2), (1, 3)}
    assert np.array_equal(found, found.transpose(0, 2, 1))


def test_strongest_partners_by_hand():
    """0 and 1 choose each other, 2 and 3 choose 1."""
    forest = link_strongest_partners(INFORMATION, np.random.default_rng(0))
    assert {(int(a), int(b)) for a, b in zip(*np.nonzero(np.triu(forest)), strict=True)} == {(0, 1), (1, 2), (1, 3)}


def test_partners_of_one_and_two_variables():
    """Two variables are partners, whatever their information is; a single one has no partner."""
    rng = np.random.default_rng(0)
    for information in (0.0, 0.5):
        pair = link_strongest_partners(np.array([[0.0, information], [information, 0.0]]), rng)
        assert pair.tolist() == [[False, True], [True, False]]
    assert link_strongest_partners(np.zeros((1, 1)), rng).tolist() == [[False]]


@given(st.integers(1, 7), st.integers(0, 1000))
def test_strongest_partners_never_form_a_cycle(n, seed):
    """Even with many ties the links are a forest in which every variable has a partner."""
    rng = np.random.default_rng(seed)
    information = np.triu(rng.integers(3, size=(n, n)) / 2.0, 1)
    forest = link_strongest_partners(information + information.T, rng)
    assert networkx.is_forest(networkx.from_numpy_array(forest))
    assert n == 1 or forest.any(axis=1).all()


@given(st.integers(1, 6), st.integers(0, 1000))
def test_first_orderings_are_permutations(n, seed):
    """Orderings hold every variable once, and the graphs made along them follow them, with few enough parents."""
    rng = np.random.default_rng(seed)
    information = np.triu(rng.random((n, n)), 1)
    information += information.T
    orders = draw_informed_orders(information, 5, rng)
    graphs = connect_related_pairs(orders, rng.random(5), information, free(len(information), 2))
    assert all(follows(graph, order) for graph, order in zip(graphs, orders, strict=True))
    assert (graphs.sum(axis=2) <= 2).all()


def test_orderings_agree_with_directed_partners():
    """In a chain a - b - c of strongest partners the two edges take all four directions, equally often."""
    information = np.array([[0.0, 0.9, 0.0], [0.9, 0.0, 0.5], [0.0, 0.5, 0.0]])
    orders = draw_informed_orders(information, 400, np.random.default_rng(1))
    before = find_predecessors(orders)
    counts = Counter(zip(before[:, 1, 0].tolist(), before[:, 2, 1].tolist(), strict=True))
    # Each of the four ways to direct two edges has probability 1/4, unlike under random permutations (1/6 or 1/3).
    assert all(70 <= counts[a, b] <= 130 for a in (False, True) for b in (False, True))
    assert sum(counts.values()) == 400


def test_too_many_parents_keep_the_strongest():
    """Along 0, 2, 3, 1 variable 1 is related to all three (.5, .4, .1): with two parents allowed it keeps 0 and 2."""
    graphs = connect_related_pairs(np.array([[0, 2, 3, 1]]), np.array([0.0]), INFORMATION, free(4, 2))
    assert np.flatnonzero(graphs[0, 1]).tolist() == [0, 2]
