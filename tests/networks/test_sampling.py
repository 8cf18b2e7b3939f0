"""Forward sampling: reproducible for any block size, and consistent with the tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks import sampling
from bnsearch.networks.network import BayesianNetwork
from bnsearch.networks.random_network import random_network
from bnsearch.networks.sampling import sample


def one_variable(probabilities) -> BayesianNetwork:
    """Return a network of one variable with these probabilities."""
    states = [str(k) for k in range(len(probabilities))]
    return BayesianNetwork(DAG(["x"], [[]]), [states], [np.array(probabilities)])


@pytest.mark.parametrize("seed", [0, 7, 12345])
def test_joint_frequencies_approach_the_joint_distribution(seed):
    """Pearson's statistic over all joint states lies within 5 deviations of its degrees of freedom."""
    network = random_network(4, 1.25, 3, seed)
    rows = 100_000
    data = sample(network, rows, seed)
    counts = np.zeros(network.arities)
    np.add.at(counts, tuple(data.codes), 1)
    statistic = 0.0
    for cell in itertools.product(*map(range, counts.shape)):
        probability = np.prod(
            [
                network.tables[x][tuple(cell[p] for p in parents)][cell[x]]
                for x, parents in enumerate(network.dag.parents)
            ]
        )
        statistic += (counts[cell] - rows * probability) ** 2 / (rows * probability)
    freedom = counts.size - 1
    assert abs(statistic - freedom) < 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("states", [2, 3, 5, 8, 9, 300])
def test_frequencies_of_any_number_of_states(states):
    """State k of r has weight k + 1; 5 standard deviations around each expected frequency."""
    weights = np.arange(1, states + 1) / (states * (states + 1) / 2)
    data = sample(one_variable(weights), 200_000, 3)
    frequencies = np.bincount(data.codes[0], minlength=states) / 200_000
    assert np.all(np.abs(frequencies - weights) < 5 * np.sqrt(weights / 200_000))


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 200))
def test_a_short_sample_begins_a_long_one(seed, rows):
    """The same seed produces the same table, and a shorter sample is its beginning."""
    network = random_network(6, 1.5, 4, seed)
    long = sample(network, 200, seed)
    short = sample(network, rows, seed)
    assert np.array_equal(short.codes, long.codes[:, :rows])
    assert np.array_equal(sample(network, 200, seed).codes, long.codes)
    assert not np.array_equal(sample(network, 200, seed + 1).codes, long.codes)


def test_blocks_do_not_matter(monkeypatch):
    """One block of 1,000 rows and 143 blocks of 7 rows produce the same table."""
    network = random_network(10, 1.5, 4, 5)
    whole = sample(network, 1000, 9)
    monkeypatch.setattr(sampling, "BLOCK_ROWS", 7)
    assert np.array_equal(sample(network, 1000, 9).codes, whole.codes)


def test_a_generator_moves_on():
    """Two calls with one generator differ; a new generator with the same seed repeats the first."""
    network = random_network(6, 1, 3, 1)
    rng = np.random.default_rng(4)
    first, second = sample(network, 100, rng), sample(network, 100, rng)
    assert not np.array_equal(first.codes, second.codes)
    assert np.array_equal(sample(network, 100, np.random.default_rng(4)).codes, first.codes)
    assert np.array_equal(sample(network, 100, 4).codes, first.codes)


def test_impossible_states_are_never_drawn():
    """States of probability zero are never drawn, at the start, in the middle and at the end, but stay declared."""
    data = sample(one_variable([0.0, 0.3, 0.0, 0.1, 0.3, 0.3, 0.0, 0.0]), 100_000, 2)
    assert set(np.unique(data.codes)) == {1, 3, 4, 5}
    assert data.arities.tolist() == [8]
    assert data.states == (("0", "1", "2", "3", "4", "5", "6", "7"),)


def test_extreme_uniform_numbers():
    """At u = 0 the first possible state is drawn, at the largest u below 1 the last, despite rounding."""
    table = np.array([[0.0, 0.1, 0.2, 0.7, 0.0], [0.3, 0.3, 0.3996, 0.0, 0.0]])
    cumulative = sampling.accumulate_rows(table)
    smallest, largest = 0.0, np.nextafter(1, 0)
    rows = np.array([0, 0, 1, 1])
    drawn = sampling.draw_states(cumulative, rows, np.array([smallest, largest, smallest, largest]))
    assert drawn.tolist() == [1, 3, 0, 2]


def test_rows_off_one_are_scaled():
    """The row 0.4965, 0.4965 means one half each; unscaled its first state would be 7 deviations short."""
    data = sample(one_variable([0.4965, 0.4965]), 1_000_000, 8)
    assert abs(data.codes.mean() - 0.5) < 5 * 0.5 / 1_000


def test_a_single_state():
    """A variable of one state is constant."""
    assert sample(one_variable([1.0]), 5, 1).codes.tolist() == [[0, 0, 0, 0, 0]]


@pytest.mark.parametrize("rows", [0, -3, 2.5])
def test_refuses_rows(rows):
    """The number of rows must be a whole number of at least 1."""
    with pytest.raises(InputError, match="rows must be"):
        sample(one_variable([0.5, 0.5]), rows, 1)


@pytest.mark.parametrize("rows", [10**17, 10**30])
def test_refuses_more_rows_than_memory(rows):
    """A table that does not fit into memory raises an InputError."""
    with pytest.raises(InputError, match="do not fit into memory"):
        sample(one_variable([0.5, 0.5]), rows, 1)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None])
def test_refuses_seeds(seed):
    """The seed must be a whole number of at least 0."""
    with pytest.raises(InputError, match="seed must be"):
        sample(one_variable([0.5, 0.5]), 1, seed)
