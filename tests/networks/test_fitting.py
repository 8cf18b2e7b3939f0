"""Fitted tables against counting by dictionary."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.network import fit


@st.composite
def tables_and_dags(draw):
    """Draw a table of 1 to 80 rows over 1 to 5 variables of 1 to 4 states, and a DAG over them."""
    n = draw(st.integers(1, 5))
    rows = draw(st.integers(1, 80))
    arities = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    codes = np.stack([rng.integers(r, size=rows) for r in arities], axis=1)
    names = [f"v{i}" for i in range(n)]
    order = draw(st.permutations(range(n)))
    parents = [[] for _ in range(n)]
    for i, child in enumerate(order):
        parents[child] = [p for p in order[:i] if draw(st.booleans())]
    states = [[f"s{k}" for k in range(r)] for r in arities]
    return Dataset.from_codes(codes, names=names, states=states), DAG(names, parents)


def by_definition(data: Dataset, dag: DAG, child: int, pseudo: float) -> np.ndarray:
    """Return the table of a variable from dictionaries of counts."""
    rows = list(zip(*data.codes.tolist(), strict=True))
    parents = dag.parents[child]
    family = Counter((*(row[p] for p in parents), row[child]) for row in rows)
    r = int(data.arities[child])
    table = np.empty((*(int(data.arities[p]) for p in parents), r))
    for cell in itertools.product(*map(range, table.shape)):
        total = sum(family[*cell[:-1], k] + pseudo for k in range(r))
        table[cell] = (family[cell] + pseudo) / total if total else 1 / r
    return table


@given(tables_and_dags(), st.sampled_from(["plain", "smoothing", "ess"]), st.floats(0.01, 20))
def test_equals_the_definition(case, kind, amount):
    """Maximum likelihood, a pseudo-count per cell and an equivalent sample size all follow their formulas."""
    data, dag = case
    network = fit(dag, data, **({} if kind == "plain" else {kind: amount}))
    assert network.dag == dag
    assert network.states == data.states
    for child, table in enumerate(network.tables):
        pseudo = {"plain": 0.0, "smoothing": amount, "ess": amount / table.size}[kind]
        np.testing.assert_allclose(table, by_definition(data, dag, child, pseudo), rtol=1e-12)
        np.testing.assert_allclose(table.sum(axis=-1), 1, rtol=1e-12)


def test_by_hand():
    """Rows ax, ax, ay; b is never seen. Given a, x has 2/3, smoothed (2 + 1) / (3 + 2); given b, 1/2."""
    data = Dataset.from_codes(np.array([[0, 0], [0, 0], [0, 1]]), names=["p", "c"], states=[["a", "b"], ["x", "y"]])
    dag = DAG(["p", "c"], [[], [0]])
    assert fit(dag, data).tables[0].tolist() == [1, 0]
    assert fit(dag, data).tables[1].tolist() == [[2 / 3, 1 / 3], [1 / 2, 1 / 2]]
    assert fit(dag, data, smoothing=1).tables[1].tolist() == [[3 / 5, 2 / 5], [1 / 2, 1 / 2]]
    # ess = 2 adds 2/4 to each of c's cells and 2/2 to each of p's
    assert fit(dag, data, ess=2).tables[1].tolist() == [[2.5 / 4, 1.5 / 4], [1 / 2, 1 / 2]]
    assert fit(dag, data, ess=2).tables[0].tolist() == [4 / 5, 1 / 5]


def test_columns_are_found_by_name():
    """The DAG has another order of the variables than the table, which has a further column."""
    codes = np.array([[0, 1, 0], [1, 1, 1], [0, 0, 1], [0, 1, 1]])
    data = Dataset.from_codes(codes, names=["a", "other", "b"], states=[["0", "1"]] * 3)
    network = fit(DAG(["b", "a"], [[], [0]]), data)
    assert network.names == ("b", "a")
    assert network.tables[0].tolist() == [1 / 4, 3 / 4]
    assert network.tables[1].tolist() == [[1, 0], [2 / 3, 1 / 3]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": -1}, "smoothing must be at least 0"),
        ({"smoothing": float("nan")}, "smoothing must be"),
        ({"ess": float("inf")}, "ess must be"),
        ({"smoothing": 1, "ess": 1}, "cannot be combined"),
    ],
)
def test_refuses_parameters(options, message):
    """Negative, undefined, infinite or contradictory parameters raise an error that names them."""
    data = Dataset.from_codes(np.array([[0], [1]]), names=["a"], states=[["0", "1"]])
    with pytest.raises(InputError, match=message):
        fit(DAG(["a"], [[]]), data, **options)


def test_refuses_an_unknown_variable():
    """A variable of the DAG without a column raises an error that names it."""
    data = Dataset.from_codes(np.array([[0], [1]]), names=["a"], states=[["0", "1"]])
    with pytest.raises(InputError, match="'b'"):
        fit(DAG(["a", "b"], [[], []]), data)


def test_refuses_an_absurd_table():
    """Thirty binary parents: 2 ** 31 cells for the child and 2 for each parent, 2,147,483,708 in all."""
    data = Dataset.from_codes(np.eye(31, dtype=np.uint8), names=[f"v{i}" for i in range(31)], states=[["0", "1"]] * 31)
    dag = DAG(data.names, [range(1, 31), *[[]] * 30])
    with pytest.raises(InputError, match=r"2,147,483,708 cells.* 'v0' with its 30 parents.*fewer parents"):
        fit(dag, data)
