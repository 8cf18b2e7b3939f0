"""The log-likelihood against a loop over rows and variables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.likelihood import log_likelihood, row_log_likelihoods
from bnsearch.networks.network import BayesianNetwork, fit
from bnsearch.networks.random_network import random_network
from bnsearch.networks.sampling import sample


@pytest.fixture
def rain() -> BayesianNetwork:
    """Return rain -> wet, with a state of wet that rain makes impossible."""
    dag = DAG(["rain", "wet"], [[], [0]])
    return BayesianNetwork(
        dag, [["yes", "no"], ["yes", "no"]], [np.array([0.2, 0.8]), np.array([[1.0, 0.0], [0.3, 0.7]])]
    )


def table(names, rows) -> Dataset:
    """Return a Dataset of labels, its states in the order of first appearance."""
    states = [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    codes = [[s.index(label) for s, label in zip(states, row, strict=True)] for row in rows]
    return Dataset.from_codes(np.array(codes), names=names, states=states)


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 50))
def test_equals_the_sum_of_logs(seed, rows):
    """The log-likelihood is the sum of the logarithms of the table entries over rows and variables."""
    network = random_network(6, 1.5, 4, seed)
    data = sample(network, rows, seed)
    expected = []
    for row in zip(*data.codes.tolist(), strict=True):
        entries = [
            network.tables[x][tuple(row[p] for p in parents)][row[x]] for x, parents in enumerate(network.dag.parents)
        ]
        expected.append(sum(map(math.log, entries)))
    assert row_log_likelihoods(network, data) == pytest.approx(expected, rel=1e-12)
    assert log_likelihood(network, data) == pytest.approx(sum(expected), rel=1e-12)


def test_labels_and_names_decide(rain):
    """Other orders of columns and states and a further column: 0.8 * 0.3, twice 0.8 * 0.7, and 0.2 * 1."""
    data = table(
        ["wet", "other", "rain"],
        [["yes", "u", "no"], ["no", "u", "no"], ["no", "v", "no"], ["yes", "v", "yes"]],
    )
    by_row = [math.log(0.24), math.log(0.56), math.log(0.56), math.log(0.2)]
    assert row_log_likelihoods(rain, data) == pytest.approx(by_row, rel=1e-14)


def test_a_held_out_table_need_not_show_every_state(rain):
    """A table of one row, in which both variables have one state."""
    assert log_likelihood(rain, table(["rain", "wet"], [["no", "no"]])) == pytest.approx(math.log(0.56))


def test_an_impossible_row(rain):
    """A row of probability zero and the total are -inf, the other row is not."""
    data = table(["rain", "wet"], [["yes", "no"], ["no", "no"]])
    assert row_log_likelihoods(rain, data).tolist() == [-math.inf, pytest.approx(math.log(0.56))]
    assert log_likelihood(rain, data) == -math.inf


def test_refuses_an_unknown_label(rain):
    """A label that is not a state of the network raises an error with its column."""
    with pytest.raises(InputError, match=r"(?=.*'wet')(?=.*'damp')"):
        log_likelihood(rain, table(["rain", "wet"], [["yes", "yes"], ["no", "damp"]]))


def test_refuses_a_missing_column(rain):
    """A variable without a column raises an error that names it."""
    with pytest.raises(InputError, match="'wet'"):
        log_likelihood(rain, table(["rain"], [["yes"], ["no"]]))


def test_rows_off_one_are_scaled():
    """The row 0.3, 0.3, 0.3996 sums to 0.9996 and is normalised: log(0.3 / 0.9996)."""
    network = BayesianNetwork(DAG(["x"], [[]]), ["abc"], [np.array([0.3, 0.3, 0.3996])])
    assert log_likelihood(network, table(["x"], [["b"]])) == pytest.approx(math.log(0.3 / 0.9996), rel=1e-14)


def test_no_tables_fit_better_than_the_fitted():
    """The fitted tables have a higher likelihood on their data than the true ones and the smoothed ones."""
    network = random_network(8, 1.5, 3, 11)
    data = sample(network, 500, 11)
    best = log_likelihood(fit(network.dag, data), data)
    assert best > log_likelihood(network, data)
    assert best > log_likelihood(fit(network.dag, data, smoothing=1), data)
