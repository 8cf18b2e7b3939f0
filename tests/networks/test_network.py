"""BayesianNetwork: checks, number of parameters, and reordering of the variables."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.network import BayesianNetwork
from bnsearch.networks.random_network import random_network

RAIN = [0.2, 0.8]
WET = [[0.9, 0.1], [0.3, 0.7]]
LABELS = [["yes", "no"], ["yes", "no"]]


@pytest.fixture
def rain() -> DAG:
    """Return rain -> wet."""
    return DAG(["rain", "wet"], [[], [0]])


def joint(network: BayesianNetwork, assignment: dict[str, str]) -> float:
    """Return the probability of a full assignment of labels, by definition."""
    state = {n: s.index(assignment[n]) for n, s in zip(network.names, network.states, strict=True)}
    product = 1.0
    for name, parents, table in zip(network.names, network.dag.parents, network.tables, strict=True):
        product *= table[tuple(state[network.names[p]] for p in parents)][state[name]]
    return product


def test_parameters_by_hand():
    """A: 3 states, no parents: 2. B: 2 states, parent A: 1 * 3. C: 4 states, parents A, B: 3 * 6. Sum 23."""
    dag = DAG(["A", "B", "C"], [[], [0], [0, 1]])
    tables = [np.full(3, 1 / 3), np.full((3, 2), 1 / 2), np.full((3, 2, 4), 1 / 4)]
    network = BayesianNetwork(dag, ["abc", "xy", "1234"], tables)
    assert network.parameters == 23
    assert network.arities.tolist() == [3, 2, 4]
    assert repr(network) == "BayesianNetwork(3 variables, 3 edges, 23 parameters)"


def test_tables_are_copied_and_read_only(rain):
    """Tables are copied and read-only."""
    mine = np.array(RAIN)
    network = BayesianNetwork(rain, LABELS, [mine, np.array(WET)])
    mine[0] = 0.5
    assert network.tables[0].tolist() == RAIN
    with pytest.raises(ValueError, match="read-only"):
        network.tables[0][0] = 0.5


@pytest.mark.parametrize(
    ("states", "tables", "message"),
    [
        (LABELS[:1], [RAIN, WET], "2 variables need as many lists of states and tables, not 1 and 2"),
        ([[], LABELS[1]], [[], WET], "'rain' has no states"),
        ([["yes", "yes"], LABELS[1]], [RAIN, WET], "'rain' has two states with the same label"),
        (LABELS, [RAIN, RAIN], r"'wet' has shape \(2,\); its family needs \(2, 2\)"),
        (LABELS, [[1.2, -0.2], WET], "'rain' contains a number that is not a probability"),
        (LABELS, [[np.nan, 1.0], WET], "'rain' contains a number that is not a probability"),
        (LABELS, [RAIN, [[0.9, 0.1], [0.3, 0.6]]], "'wet' has a row that does not sum to one"),
    ],
)
def test_refuses(rain, states, tables, message):
    """Each invalid network raises an error of one line that names the variable."""
    with pytest.raises(InputError, match=message):
        BayesianNetwork(rain, states, [np.array(t) for t in tables])


def test_pickling_keeps_a_network_closed(rain):
    """A pickled network is restored with equal, read-only tables."""
    network = BayesianNetwork(rain, LABELS, [RAIN, WET])
    copy = pickle.loads(pickle.dumps(network))
    assert copy.equals(network)
    assert not any(table.flags.writeable for table in copy.tables)


def test_probabilities_scale_rows_and_leave_the_table(rain):
    """The row 0.3, 0.3, 0.3996 sums to 0.9996: stored as given in `tables`, normalised in `probabilities`."""
    written = np.array([0.3, 0.3, 0.3996])
    network = BayesianNetwork(DAG(["a"], [[]]), ["xyz"], [written])
    assert network.tables[0].tolist() == written.tolist()
    assert network.probabilities(0) == pytest.approx(written / 0.9996, abs=1e-15)


def test_equals_within_tolerance(rain):
    """A difference of 0.01 matters unless the tolerance allows it; different labels always matter."""
    network = BayesianNetwork(rain, LABELS, [np.array(RAIN), np.array(WET)])
    near = BayesianNetwork(rain, LABELS, [np.array([0.21, 0.79]), np.array(WET)])
    relabelled = BayesianNetwork(rain, [["yes", "no"], ["wet", "dry"]], network.tables)
    turned = BayesianNetwork(DAG(["rain", "wet"], [[1], []]), LABELS, [np.array(WET), np.array(RAIN)])
    assert network.equals(network)
    assert not network.equals(near)
    assert network.equals(near, tolerance=0.011)
    assert not network.equals(relabelled, tolerance=1)
    assert not network.equals(turned, tolerance=1)


@given(seed=st.integers(0, 10**6), data=st.data())
def test_reordering_keeps_every_joint_probability(seed, data):
    """Reordering keeps the probability of every assignment, and the old order restores the network."""
    network = random_network(5, 1.4, 3, seed)
    names = data.draw(st.permutations(network.names))
    other = network.reordered(names)
    assert other.names == tuple(names)
    assert sorted(other.dag.edges) == sorted(network.dag.edges)
    for labels in itertools.islice(itertools.product(*network.states), 40):
        assignment = dict(zip(network.names, labels, strict=True))
        assert joint(other, assignment) == pytest.approx(joint(network, assignment), rel=1e-12)
    assert other.reordered(network.names).equals(network)


def test_reordering_needs_the_same_variables(rain):
    """A name that is not in the network raises an error."""
    network = BayesianNetwork(rain, LABELS, [np.array(RAIN), np.array(WET)])
    with pytest.raises(InputError, match="different variables"):
        network.reordered(["snow", "rain"])


def test_methods_are_the_functions(rain):
    """It rains in 1 of 4 rows, and is wet in that row and in 1 of the other 3."""
    data = Dataset.from_codes(np.array([[0, 0], [1, 0], [1, 1], [1, 1]]), names=["rain", "wet"], states=LABELS)
    network = BayesianNetwork.fit(rain, data)
    assert network.tables[0].tolist() == [0.25, 0.75]
    assert network.tables[1].tolist() == [[1.0, 0.0], [1 / 3, 2 / 3]]
    by_hand = np.log(0.25) + 3 * np.log(0.75) + np.log(1 / 3) + 2 * np.log(2 / 3)
    assert network.log_likelihood(data) == pytest.approx(by_hand, rel=1e-14)
    assert network.sample(7, seed=1).n_rows == 7
    assert BayesianNetwork.fit(rain, data, smoothing=1).tables[0].tolist() == [2 / 6, 4 / 6]
