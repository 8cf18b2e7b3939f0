"""The synthetic networks net(n, p, m)."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.networks.random_network import (
    DEFAULT_MAX_TABLE_CELLS,
    MAX_TABLE_CELLS,
    MIN_STRENGTH,
    UNIFORM_SHARE,
    compute_edge_strength,
    random_network,
)


@given(n=st.integers(1, 25), share=st.floats(0, 1), m=st.integers(2, 7), seed=st.integers(0, 10**6))
def test_pattern(n, share, m, seed):
    """Edges, states, rows and strengths agree with the pattern, from no edges to the densest DAG."""
    p = share * sum(min(i, 4) for i in range(n)) / n
    network = random_network(n, p, m, seed, max_parents=4)
    assert len(network.names) == n
    assert len(network.dag.edges) == round(p * n)
    assert all(len(parents) <= 4 for parents in network.dag.parents)
    assert set(network.arities.tolist()) <= set(range(2, m + 1))
    for table, parents in zip(network.tables, network.dag.parents, strict=True):
        assert table.sum(axis=-1) == pytest.approx(1, abs=1e-12)
        assert table.min() >= UNIFORM_SHARE / table.shape[-1] - 1e-12
        assert all(compute_edge_strength(table, axis) >= MIN_STRENGTH for axis in range(len(parents)))


def test_every_number_of_states_occurs():
    """Of 300 variables with 2 to 5 states about 75 have each number; 40 are 4.7 deviations below."""
    counts = np.bincount(random_network(300, 1, 5, 2).arities, minlength=6)
    assert counts[:2].sum() == 0
    assert counts[2:].min() >= 40


def test_names_do_not_tell_the_direction():
    """About half of the 400 edges go from a smaller number to a larger; 5 deviations are 50."""
    network = random_network(200, 2, 2, 3)
    upward = sum(parent < child for parent, child in network.dag.edges)
    assert abs(upward - 200) < 50
    assert network.names[0] == "x001"
    assert network.names[-1] == "x200"


def test_the_seed_decides():
    """The same seed produces the same network, another seed another one; a generator with the seed is equivalent."""
    network = random_network(30, 1.5, 4, 6)
    assert network.equals(random_network(30, 1.5, 4, 6))
    assert network.equals(random_network(30, 1.5, 4, np.random.default_rng(6)))
    assert not network.equals(random_network(30, 1.5, 4, 7), tolerance=1)


def test_the_densest_graph():
    """Five variables with p = 2 have all 10 possible edges."""
    assert len(random_network(5, 2, 2, 1).dag.edges) == 10


@pytest.mark.parametrize(("m", "limit"), [(2, 15), (5, 6), (316, 1)])
def test_tables_stay_small(m, limit):
    """2 ** 16 = 65,536, 5 ** 7 = 78,125 and 316 ** 2 = 99,856 cells are the most below 100,000."""
    room = sum(min(i, limit) for i in range(18))
    network = random_network(18, room / 18, m, 1)
    assert max(len(parents) for parents in network.dag.parents) == limit
    assert max(table.size for table in network.tables) <= DEFAULT_MAX_TABLE_CELLS


def test_edge_strength_by_hand():
    """Rows .9 .1 and .5 .5 average to .7 .3, a distance of .2 each; the strength of a parent without effect is 0."""
    strong = np.array([[0.9, 0.1], [0.5, 0.5]])
    assert compute_edge_strength(strong, 0) == pytest.approx(0.2)
    both = np.stack([strong, strong], axis=1)  # a second parent, without effect
    assert compute_edge_strength(both, 0) == pytest.approx(0.2)
    assert compute_edge_strength(both, 1) == pytest.approx(0, abs=1e-15)


@given(shape=st.lists(st.integers(2, 4), min_size=2, max_size=4), seed=st.integers(0, 10**6))
def test_edge_strength_by_definition(shape, seed):
    """The strength is the mean distance from the average over the states of the parent."""
    table = np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), size=tuple(shape[:-1]))
    for axis in range(len(shape) - 1):
        distances = []
        for cell in itertools.product(*map(range, shape[:-1])):
            same = [table[(*cell[:axis], state, *cell[axis + 1 :])] for state in range(shape[axis])]
            distances.append(np.abs(table[cell] - np.mean(same, axis=0)).sum() / 2)
        assert compute_edge_strength(table, axis) == pytest.approx(np.mean(distances), abs=1e-12)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ((0, 1, 2), "n must be at least 1"),
        ((2.5, 1, 2), "n must be a whole number"),
        ((5, -1, 2), "p must be at least 0"),
        ((5, float("inf"), 2), "p must be"),
        ((5, 2.2, 2), "p must be at most 2 for 5 variables"),
        ((5, 1, 1), "m must be at least 2"),
        ((5, 1, 317), "m must be at least 2 and at most 316"),
    ],
)
def test_refuses_patterns(pattern, message):
    """Each impossible pattern raises an error that names the parameter."""
    with pytest.raises(InputError, match=message):
        random_network(*pattern, 1)


def test_edges_of_each_pair():
    """
    Thirty networks net(50, 1, 2): each of 1,225 pairs with probability 2 / 50, 49 edges on average, deviation 6.9.

    Table 2 of Alonso et al. (2018) has a mean of 48.6 and 37 to 59 of them, and 3 to 6 parents at most.
    """
    drawn = [random_network(50, 1, 2, seed, edges="binomial").dag for seed in range(30)]
    number = [len(dag.edges) for dag in drawn]
    assert abs(np.mean(number) - 49) < 5  # four deviations of the mean
    assert min(number) < 42
    assert max(number) > 56
    most = [max(map(len, dag.parents)) for dag in drawn]
    assert 3 <= np.mean(most) <= 6


def test_many_parents_of_many_states():
    """Table 2 has up to 10 parents in net(100, 2, 5), 7.9 on average: more than the 6 that 100,000 cells allow."""
    networks = [random_network(100, 2, 5, seed, edges="binomial") for seed in range(3)]
    most = [max(map(len, network.dag.parents)) for network in networks]
    assert max(most) > 6
    assert all(table.size <= MAX_TABLE_CELLS for network in networks for table in network.tables)


def test_in_degrees_of_binomial_edges_are_limited():
    """With p = n / 2 every pair has an edge: the i-th variable has i parents, or as many as are allowed."""
    dense = random_network(6, 3, 2, 1, edges="binomial")
    assert sorted(map(len, dense.dag.parents)) == [0, 1, 2, 3, 4, 5]
    limited = random_network(6, 3, 2, 1, edges="binomial", max_parents=2)
    assert sorted(map(len, limited.dag.parents)) == [0, 1, 2, 2, 2, 2]


def test_structures_with_large_tables_are_drawn_again(monkeypatch):
    """Of 3 variables with 2 or 3 states one has a parent: with 4 cells at most both are binary, with 3 nothing is."""
    module = sys.modules["bnsearch.networks.random_network"]  # not the function of that name
    monkeypatch.setattr(module, "MAX_TABLE_CELLS", 4)
    for seed in range(5):
        network = random_network(3, 0.34, 3, seed)
        (edge,) = network.dag.edges
        assert [network.arities[network.names.index(name)] for name in edge] == [2, 2]
    monkeypatch.setattr(module, "MAX_TABLE_CELLS", 3)
    with pytest.raises(InputError, match="tables of more than 3 cells: choose a smaller p, m or max_parents"):
        random_network(3, 0.34, 3, 1)


def test_refuses_in_degrees():
    """With 1 parent each, 10 variables have 9 edges; a pair cannot be more likely than certain."""
    with pytest.raises(InputError, match="max_parents must be at least 0"):
        random_network(20, 1, 5, 1, max_parents=-1)
    with pytest.raises(InputError, match="p must be at most 5"):
        random_network(10, 5.1, 5, 1, edges="binomial")
    with pytest.raises(InputError, match=r"edges must be one of exact, binomial, not 'binomia' \(did you mean"):
        random_network(10, 1, 5, 1, edges="binomia")
    with pytest.raises(InputError, match=r"p must be at most 0.9 for 10 variables with up to 1 parents"):
        random_network(10, 1, 5, 1, max_parents=1)
