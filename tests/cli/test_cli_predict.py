"""`bnsearch predict`."""

from __future__ import annotations

import json

import polars as pl
import pytest

from bnsearch.networks import load_network

ASIA = load_network("asia")


@pytest.fixture
def rows(tmp_path):
    """Return a file with a missing value and a column that is not in the network."""
    path = tmp_path / "rows.csv"
    path.write_text("id,smoke,xray,weight\n1,yes,yes,70.5\n2,no,,80.1\n3,no,no,60\n")
    return path


def test_predictions_as_json(run, rows):
    """The probabilities are those of the library, in the order of the states."""
    found = json.loads(run("predict", "asia", rows, "--target", "lung", "--json").out)
    expected = ASIA.predict_proba(rows, "lung").tolist()
    assert found == {
        "schema_version": 1,
        "target": "lung",
        "states": ["yes", "no"],
        "predicted": ["yes", "no", "no"],
        "probabilities": expected,
    }


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.parquet"])
def test_predictions_as_a_file(run, rows, tmp_path, name):
    """The file has the most probable state, and one column for the probability of each state."""
    outcome = run("predict", "asia", rows, "--target", "lung", "-o", tmp_path / name)
    assert outcome.err == f"wrote {tmp_path / name}: 3 rows\n"
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv
    frame = read(tmp_path / name)
    assert frame.columns == ["lung", "p(yes)", "p(no)"]
    assert frame["lung"].to_list() == ["yes", "no", "no"]
    assert frame["p(yes)"].to_list() == ASIA.predict_proba(rows, "lung")[:, 0].round(6).tolist()


def test_predictions_as_text(run, tmp_path):
    """The first twenty rows are shown, and a line says that there are more."""
    ASIA.sample(30, 1).write(tmp_path / "rows.csv")
    outcome = run("predict", "asia", tmp_path / "rows.csv", "--target", "lung")
    lines = outcome.err.splitlines()
    assert outcome.out == ""
    assert lines[-1] == "20 of 30 rows are shown: -o predicted.csv writes all of them"
    numbers = [line.split()[0] for line in lines if line.split()[1:2] in (["yes"], ["no"])]
    assert numbers == [str(i + 1) for i in range(20)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["asia", "rows.csv", "--target", "lungs"], "target: there is no variable 'lungs' (did you mean 'lung'?)"),
        (["asia", "rows.csv", "--target", "lung", "-o", "rows.csv"], "rows.csv"),
        (["asia", "rows.csv", "--target", "lung", "-o", "p.txt"], "the name of a table must end with"),
        (["asia", "none.csv", "--target", "lung"], "none.csv does not exist"),
        (["asia", "rows.csv"], "Missing option '--target'"),
    ],
)
def test_wrong_input(refused, rows, monkeypatch, arguments, message):
    """Wrong names, files and options are reported in one line."""
    monkeypatch.chdir(rows.parent)
    assert message in refused("predict", *arguments)
