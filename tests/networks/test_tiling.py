"""Networks made of copies of a smaller one, and the exact joint distributions that this needs."""

from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork, load_network, random_network, tile
from bnsearch.networks.inference.exact import compute_joint_probabilities
from bnsearch.networks.tiling import draw_fitted_table
from strategies import examples


def joint_by_definition(network: BayesianNetwork, variables: list[int]) -> np.ndarray:
    """Return the joint distribution as a sum over all assignments."""
    arities = network.arities.tolist()
    joint = np.zeros([arities[v] for v in variables])
    for states in product(*map(range, arities)):
        families = zip(network.tables, network.dag.parents, states, strict=True)
        joint[tuple(states[v] for v in variables)] += prod(
            table[(*(states[p] for p in parents), own)] for table, parents, own in families
        )
    return joint


@examples(40)
@given(st.integers(1, 6), st.floats(0, 1), st.integers(0, 10_000), st.data())
def test_joint_probabilities_by_definition(n, share, seed, data):
    """The joint distribution of any variables in any order agrees with the definition."""
    network = random_network(n, share * (n - 1) / 2, 3, seed)
    variables = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    found = compute_joint_probabilities(network, variables)
    assert found == pytest.approx(joint_by_definition(network, variables), abs=1e-12)


@pytest.mark.parametrize(("copies", "links", "edges"), [(3, 4, 79), (5, 1, 126)])
def test_sizes_of_child3_and_child5(copies, links, edges, shared_data: Path):
    """Table 8 of Dai et al. (2020): 60 variables and 79 edges, 100 and 126, at most 2 or 3 parents and 7 children."""
    tiled = tile(load_network(shared_data / "networks" / "child.bif.gz"), copies, links, 1)
    assert (len(tiled.names), len(tiled.dag.edges)) == (20 * copies, edges)
    assert 2 <= max(map(len, tiled.dag.parents)) <= 3
    assert 7 <= max(map(len, tiled.dag.children)) <= 8


@examples(20)
@given(st.integers(1, 4), st.integers(2, 3), st.integers(0, 10_000), st.data())
def test_copies_keep_their_distribution(n, copies, seed, data):
    """Every copy has the joint distribution of the network; links go from earlier copies to one root of a later one."""
    network = random_network(n, 0.3 * (n - 1), 3, seed)
    links = data.draw(st.integers(0, min(3, n) * (copies - 1)))
    tiled = tile(network, copies, links, seed)
    whole = compute_joint_probabilities(network, range(n))
    assert len(tiled.dag.edges) == copies * len(network.dag.edges) + links
    for copy in range(copies):
        mine = range(copy * n, (copy + 1) * n)
        assert [tiled.names[v] for v in mine] == [f"{name}_{copy + 1}" for name in network.names]
        assert compute_joint_probabilities(tiled, mine) == pytest.approx(whole, abs=1e-9)
        entries = [v for v in mine if any(p not in mine for p in tiled.dag.parents[v])]
        assert len(entries) <= 1
        assert all(network.dag.parents[v - copy * n] == () and max(tiled.dag.parents[v]) < mine[0] for v in entries)


def test_links_matter():
    """A root of a copy depends on a parent in another copy, which the seed determines."""
    pair = BayesianNetwork(DAG.from_edges("ab", ["ab"]), ["01", "01"], [np.array([0.3, 0.7]), np.eye(2)])
    tiled = tile(pair, 2, 1, 1)
    (cause,) = tiled.dag.parents[2]
    given_cause = compute_joint_probabilities(tiled, [cause, 2])
    assert np.abs(given_cause - np.outer([0.3, 0.7], [0.3, 0.7])).max() > 0.02
    assert tiled.equals(tile(pair, 2, 1, 1))
    assert {tile(pair, 2, 1, seed).dag.parents[2] for seed in range(9)} == {(0,), (1,)}


def test_tables_fit_impossible_states():
    """Parents and children may have states that never occur: rows still sum to one, and the marginal is met."""
    parents = np.array([[0.5, 0.0], [0.2, 0.3]])
    marginal = np.array([0.6, 0.0, 0.4])
    table = draw_fitted_table(parents, marginal, np.random.default_rng(2))
    assert table.shape == (2, 2, 3)
    assert table.sum(axis=-1) == pytest.approx(np.ones((2, 2)))
    assert np.einsum("ab,abc->c", parents, table) == pytest.approx(marginal, abs=1e-12)


@pytest.mark.parametrize(
    ("copies", "links", "message"),
    [(0, 0, "copies must be at least 1"), (3, 7, "links must be at least 0 and at most 6"), (1, 1, "at most 0")],
)
def test_bad_tilings_are_refused(copies, links, message):
    """Each parameter is named with its range; a network of eight variables allows three links for each copy."""
    with pytest.raises(InputError, match=message):
        tile(load_network("asia"), copies, links, 1)
