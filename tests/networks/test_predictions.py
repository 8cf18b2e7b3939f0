"""Predictions of one variable for many rows, and interventions, against enumeration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork, load_network
from bnsearch.networks.inference import prediction
from reference_inference import Recipe, joint_given, joint_of_all, recipes
from strategies import examples

ASIA = load_network("asia")


@examples(60)
@given(recipes(), st.data())
def test_prediction_by_enumeration(recipe: Recipe, data: st.DataObject) -> None:
    """Each row of the prediction is the distribution of the target given the columns of the row."""
    network = recipe.make_network()
    n = len(network.names)
    target = data.draw(st.integers(0, n - 1))
    columns = data.draw(st.lists(st.integers(0, n - 1).filter(lambda x: x != target), unique=True)) if n > 1 else []
    if not columns:
        return
    rows = network.sample(5, 1)
    table = rows.select([network.names[x] for x in columns])
    found = network.predict_proba(table, network.names[target])
    assert found.shape == (5, network.arities[target])
    for row, distribution in enumerate(found):
        expected, total = joint_given(network, [target], {x: int(rows.codes[x, row]) for x in columns})
        assert_allclose(distribution, expected / total, atol=1e-12)
    labels = network.predict(table, network.names[target])
    assert labels.tolist() == [network.states[target][state] for state in found.argmax(axis=1)]


@examples(60)
@given(recipes(), st.data())
def test_missing_values_by_enumeration(recipe: Recipe, data: st.DataObject) -> None:
    """Missing values are not observed: each row has the distribution given the other columns that have a value."""
    network = recipe.make_network()
    target = data.draw(st.integers(0, len(network.names) - 1))
    rows = network.sample(5, 1)
    masks = data.draw(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=len(network.names)))
    frame = rows.to_polars().cast(pl.String)
    for name, mask in zip(network.names, masks, strict=False):
        values = [None if gap else state for state, gap in zip(frame[name], mask, strict=True)]
        frame = frame.with_columns(pl.Series(name, values, dtype=pl.String))
    observed = [[x for x in range(len(network.names)) if x != target and not masks[x][row]] for row in range(5)]
    if not any(observed):
        return
    found = network.predict_proba(frame, network.names[target])
    for row, distribution in enumerate(found):
        expected, total = joint_given(network, [target], {x: int(rows.codes[x, row]) for x in observed[row]})
        assert_allclose(distribution, expected / total, atol=1e-12)


@pytest.mark.parametrize("kind", ["csv", "parquet", "dat"])
def test_missing_values_in_files(tmp_path: Path, kind: str) -> None:
    """Files may have missing values in all spellings; a column without any value is not observed."""
    columns = {"smoke": ["yes", None, "no"], "xray": ["no", "yes", None], "dysp": [None] * 3, "lung": [None] * 3}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    path = tmp_path / f"rows.{kind}"
    if kind == "parquet":
        frame.write_parquet(path)
    else:
        text = frame.fill_null("NA").write_csv() if kind == "dat" else frame.write_csv()
        path.write_text(text.replace(",", " ") if kind == "dat" else text)
    found = ASIA.predict_proba(path, "lung")
    given = [{"smoke": "yes", "xray": "no"}, {"xray": "yes"}, {"smoke": "no"}]
    for row, evidence in enumerate(given):
        assert_allclose(found[row], ASIA.query("lung", evidence).probabilities, atol=1e-12)


def test_a_row_without_values() -> None:
    """A row in which no other column has a value gets the distribution without evidence."""
    frame = pl.DataFrame({"smoke": ["yes", None], "weight": [70.5, None]})
    found = ASIA.predict_proba(frame, "lung")
    assert_allclose(found[1], ASIA.query("lung").probabilities, atol=1e-12)


def test_numbers_are_divided_into_the_intervals_of_the_network() -> None:
    """New numbers need no cut points: the states of the network are intervals; whole numbers and NaN as well."""
    dag = DAG.from_edges(["age", "ill"], [("age", "ill")])
    tables = [np.array([0.3, 0.7]), np.array([[0.9, 0.1], [0.2, 0.8]])]
    network = BayesianNetwork(dag, [("<=18.5", ">18.5"), ("no", "yes")], tables)
    found = network.predict_proba(pl.DataFrame({"age": [18.5, 19.0, float("nan")]}), "ill")
    assert_allclose(found, [[0.9, 0.1], [0.2, 0.8], [0.41, 0.59]])
    assert network.predict(pl.DataFrame({"age": [3, 80]}), "ill").tolist() == ["no", "yes"]


def test_pandas_rows() -> None:
    """Missing values of pandas: None, NaN and NA, with any index."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(
        {"smoke": ["yes", None, "no"], "xray": pandas.Categorical(["no", "yes", None])}, index=[7, 7, 3]
    )
    found = ASIA.predict_proba(frame, "lung")
    for row, evidence in enumerate([{"smoke": "yes", "xray": "no"}, {"xray": "yes"}, {"smoke": "no"}]):
        assert_allclose(found[row], ASIA.query("lung", evidence).probabilities, atol=1e-12)


def test_blocks_of_rows_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is the same if only a few rows are predicted at a time."""
    rows = ASIA.sample(50, 1)
    expected = ASIA.predict_proba(rows, "lung")
    monkeypatch.setattr(prediction, "MAX_BLOCK_ROWS", 7)
    assert_allclose(ASIA.predict_proba(rows, "lung"), expected, atol=1e-15)


def test_columns_of_a_table() -> None:
    """The target's own column and unknown columns are ignored; states are matched by label, not by code."""
    frame = pl.DataFrame({"bronc": ["no", "yes"], "lung": ["no", "no"], "comment": ["a", "b"]})
    found = ASIA.predict_proba(frame, "lung")
    for row, state in enumerate(frame["bronc"]):
        assert_allclose(found[row], ASIA.query("lung", {"bronc": state}).probabilities, atol=1e-12)


@pytest.mark.parametrize(
    ("table", "target", "message"),
    [
        (
            {"lung": ["no"]},
            "lung",
            "^the table has no values from which 'lung' can be predicted: its columns are 'lung'",
        ),
        ({"smoke": ["maybe"]}, "lung", "^column 'smoke', row 1: 'maybe' is not one of its states 'yes', 'no'$"),
        ({"smoke": ["no"]}, "lungs", r"^target: there is no variable 'lungs' \(did you mean 'lung'\?\)"),
        (
            {"lung": ["no", "yes"], "either": ["no", "no"]},
            "asia",
            "^row 2 of the table has probability zero in this ne",
        ),
        ({"smoke": [None, None]}, "lung", "^the table has no values from which 'lung' can be predicted"),
    ],
)
def test_wrong_tables_are_rejected(table: dict[str, list[str]], target: str, message: str) -> None:
    """The message names the column and the row."""
    with pytest.raises(InputError, match=message):
        ASIA.predict_proba(pl.DataFrame(table), target)


@examples(40)
@given(recipes(), st.data())
def test_interventions_by_definition(recipe: Recipe, data: st.DataObject) -> None:
    """The joint distribution is the product of all tables without those of the variables that are set."""
    network = recipe.make_network()
    n = len(network.names)
    fixed = {x: data.draw(st.integers(0, recipe.arities[x] - 1)) for x in range(n) if data.draw(st.booleans())}
    changed = network.intervene({f"v{x}": f"s{state}" for x, state in fixed.items()})
    expected = np.zeros(network.arities)
    for cell in np.ndindex(expected.shape):
        if all(cell[x] == state for x, state in fixed.items()):
            families = [
                network.tables[x][(*(cell[p] for p in parents), cell[x])]
                for x, parents in enumerate(network.dag.parents)
                if x not in fixed
            ]
            expected[cell] = np.prod(families)
    assert_allclose(joint_of_all(changed), expected, atol=1e-12)


def test_simulation() -> None:
    """Variables that are set have one state; variables that are not affected have the values of the plain sample."""
    plain, changed = ASIA.simulate(500, 1), ASIA.simulate(500, 1, do={"smoke": "no"})
    assert isinstance(changed, Dataset)
    assert np.array_equal(plain.codes, ASIA.sample(500, 1).codes)
    assert set(changed.to_polars()["smoke"]) == {"no"}
    for name in ("asia", "tub"):
        x = ASIA.names.index(name)
        assert np.array_equal(plain.codes[x], changed.codes[x])
    with pytest.raises(InputError, match="do: the variable 'smoke' has no state 'never'; its states are 'yes', 'no'"):
        ASIA.simulate(5, 1, do={"smoke": "never"})
    with pytest.raises(InputError, match="do must be a mapping from variables to states"):
        ASIA.intervene("smoke=no")
