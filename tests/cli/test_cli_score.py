"""`bnsearch score`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork, load_network
from bnsearch.networks.files import write_network
from bnsearch.scores import SCORES, Scorer, make_score

# a2 is declared and never occurs. Log-likelihood: 4 log(1/2) for A, 2 log(1/2) for B given a0, 0 given a1.
PAIR = """{"format": "bnsearch-network", "version": 1, "variables": [
  {"name": "A", "states": ["a0", "a1", "a2"], "parents": [], "table": [[0.5, 0.3, 0.2]]},
  {"name": "B", "states": ["b1", "b0"], "parents": ["A"], "table": [[0.5, 0.5], [0.1, 0.9], [1, 0]]}]}"""
ROWS = "B,A\nb0,a0\nb1,a0\nb0,a1\nb0,a1\n"


@pytest.fixture
def pair(tmp_path):
    """Write a network of two variables, its structure and a table with the columns in another order."""
    (tmp_path / "pair.json").write_text(PAIR)
    (tmp_path / "pair.csv").write_text("A,B\n0,1\n0,0\n")
    (tmp_path / "rows.csv").write_text(ROWS)


def scored(run, *arguments):
    """Return the scores that a call with --json prints; nothing else may be printed."""
    outcome = run("score", *arguments, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.count("\n") == 1
    return json.loads(outcome.out)["scores"]


def test_bic_by_hand_with_declared_states(run, pair):
    """Free parameters 2 + 3 * 1 = 5: BIC = -6 log 2 - (log 4 / 2) * 5 = -11 log 2."""
    assert scored(run, "rows.csv", "pair.json", "--score", "bic")["bic"] == pytest.approx(-11 * math.log(2))


def test_bic_by_hand_with_the_data_s_states(run, pair):
    """A structure has no states: 1 + 2 * 1 = 3 parameters, BIC = -6 log 2 - (log 4 / 2) * 3 = -9 log 2."""
    assert scored(run, "rows.csv", "pair.csv", "--score", "bic")["bic"] == pytest.approx(-9 * math.log(2))


@pytest.mark.parametrize("name", ["asia", "greenhouse"])
def test_bic_is_penalised_likelihood(run, name):
    """BIC = LL - log(N)/2 * free parameters, LL from tables fitted by another path, arities as declared."""
    network = load_network(name)
    run("sample", name, "--rows", 25, "--seed", 1, "-o", "few.csv")  # 25 rows do not show every state
    few = Dataset.read("few.csv")
    assert few.arities.sum() < network.arities.sum()
    data = few.with_states(dict(zip(network.names, network.states, strict=True)))
    likelihood = BayesianNetwork.fit(network.dag, data).log_likelihood(data)
    values = scored(run, "few.csv", name)
    assert values["loglik"] == pytest.approx(likelihood, rel=1e-12)
    assert values["bic"] == pytest.approx(likelihood - math.log(25) / 2 * network.parameters, rel=1e-12)


def test_all_scores_by_default(run, asia_csv):
    """Without --score every score is there, each as the library gives it."""
    network = load_network("asia")
    data = Dataset.read(asia_csv).with_states(dict(zip(network.names, network.states, strict=True)))
    values = scored(run, asia_csv, "asia")
    assert list(values) == list(SCORES)
    for name, value in values.items():
        assert value == pytest.approx(Scorer(data, make_score(name)).network(network.dag), rel=1e-12)


def test_chosen_scores_and_parameters(run, asia_csv):
    """--score repeats and knows aliases; --ess and --prior go to the score that has them."""
    data, dag = Dataset.read(asia_csv), load_network("asia").dag
    values = scored(run, asia_csv, "asia", "--score", "mdl", "--score", "BDeu", "--ess", 10, "--prior")
    assert list(values) == ["bic", "bdeu"]
    expected = Scorer(data, make_score("bdeu", ess=10.0, prior=True)).network(dag)
    assert values["bdeu"] == pytest.approx(expected, rel=1e-12)
    assert values["bdeu"] != scored(run, asia_csv, "asia", "--score", "bdeu", "--ess", 10)["bdeu"]


def test_table_for_people(run, pair):
    """People read rows, size, free parameters and every score on stderr; stdout stays empty."""
    outcome = run("score", "rows.csv", "pair.json")
    assert (outcome.code, outcome.out) == (0, "")
    assert "4 rows, 2 variables, 1 edge, 5 free parameters" in outcome.err
    assert f"{-6 * math.log(2):.6f}" in outcome.err
    assert f"{-11 * math.log(2) / 4:.6f}" in outcome.err
    assert all(f"\n  {name} " in outcome.err for name in SCORES)


def test_parquet_and_gzip(run, asia_csv):
    """The format of the table does not matter."""
    Dataset.read(asia_csv).write("t.parquet")
    Dataset.read(asia_csv).write("t.csv.gz")
    assert scored(run, "t.parquet", "asia") == scored(run, "t.csv.gz", "asia") == scored(run, asia_csv, "asia")


def test_no_header(run, tmp_path):
    """Without a header the columns are 0, 1, ..., as the structure names them."""
    (tmp_path / "rows.csv").write_text("x,u\nx,v\ny,u\ny,u\n")
    (tmp_path / "shape.csv").write_text("0,1\n0,1\n0,0\n")
    values = scored(run, "rows.csv", "shape.csv", "--no-header", "--score", "bic")
    assert values["bic"] == pytest.approx(-9 * math.log(2))


def test_discretize(run, tmp_path):
    """Numbers above and below 2 are two states: the same score as of the letters they stand for."""
    (tmp_path / "shape.csv").write_text("A,B\n0,1\n0,0\n")
    (tmp_path / "numbers.csv").write_text("A,B\n0.5,u\n1.5,v\n2.5,u\n3.5,u\n")
    (tmp_path / "letters.csv").write_text("A,B\nx,u\nx,v\ny,u\ny,u\n")
    cut = scored(run, "numbers.csv", "shape.csv", "--discretize", "quantile:2")
    assert cut == scored(run, "letters.csv", "shape.csv")


@pytest.mark.parametrize("rows", ["A,B\na0,b0\na0,b0\n", "A,B\na0,b0\n"])
def test_constant_columns_are_harmless(run, pair, rows):
    """A table where nothing varies, of two rows or of one, has log-likelihood 0."""
    Path("rows.csv").write_text(rows)
    assert scored(run, "rows.csv", "pair.json", "--score", "loglik")["loglik"] == pytest.approx(0, abs=1e-12)
    assert all(math.isfinite(value) for value in scored(run, "rows.csv", "pair.csv").values())


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("", "rows.csv: "),
        ("A,B\n", "rows.csv: "),
        ("A,B\na0,b0\na0\n", "rows.csv: "),
        ("A,B\na0,b0\n,b1\n", "rows.csv: column 'A', row 2: missing value"),
        ("A,B\na0,b0\na0,NA\n", "rows.csv: column 'B', row 2: missing value"),
        ("A,B\na0,0.25\na1,0.5\n", "rows.csv: column 'B' is continuous (it contains 0.25): discretise it"),
        ("A,A\na0,a0\n", "'A'"),
        ("A,B\na0,b0\na7,b0\n", "rows.csv: column 'A', row 2: 'a7' is not one of its"),
        ("A\na0\n", "rows.csv has no column for the network's 'B'; it has 'A'"),
        ("A,B,C\na0,b0,c0\n", "rows.csv has columns that are not in the network: 'C'; drop them first"),
        ("A,b\na0,b0\n", "rows.csv has no column for the network's 'B'; it has 'A', 'b'"),
        ("\x00\x01\x02\xff", "rows.csv"),
    ],
)
def test_bad_tables(refused, pair, rows, said):
    """An error in the table is reported in one line."""
    Path("rows.csv").write_text(rows)
    assert said in refused("score", "rows.csv", "pair.json", "--json")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no.csv", "pair.json"], "no.csv does not exist"),
        (["folder.csv", "pair.json"], "folder.csv is a folder"),
        (["rows.xlsx", "pair.json"], "rows.xlsx: the name of a table must end with"),
        (["pair.json", "rows.csv"], "pair.json: the name of a table must end with"),
        (["fake.parquet", "pair.json"], "fake.parquet: not a readable Parquet file"),
        (["fake.csv.gz", "pair.json"], "fake.csv.gz is not a whole gzip file"),
        (["rows.csv", "no.json"], "no.json does not exist"),
        (["rows.csv", "fake.json"], "fake.json, line 1: not JSON"),
        (["rows.csv", "rows.csv"], "rows.csv"),
        (["rows.csv", "asia"], "rows.csv has no column for the network's 'asia', "),
        (["rows.csv", "pairs"], "there is no network or file 'pairs'"),
        (["rows.csv", "pair.json", "--score", "bci"], "did you mean 'bic'?"),
        (["rows.csv", "pair.json", "--score", ""], "there is no score ''"),
        (["rows.csv", "pair.json", "--score", "bic", "--ess", 1], "--ess; it belongs to bdeu"),
        (["rows.csv", "pair.json", "--score", "bic", "--prior"], "--prior; it belongs to bdeu"),
        (["rows.csv", "pair.json", "--ess", 0], "ess must be above 0"),
        (["rows.csv", "pair.json", "--discretize", "five"], "discretize must be quantile:K, uniform:K or X=CUT,CUT"),
        (["rows.csv", "pair.json", "--ess", "nan"], "ess must be above 0"),
        (
            ["rows.csv", "pair.json", "--no-header"],
            "has no column for the network's 'A', 'B'; it has '0', '1'",
        ),
        (["rows.csv", "numbered.csv"], "if its first row is data, pass --no-header"),
    ],
)
def test_bad_input(refused, pair, tmp_path, arguments, said):
    """Wrong files, names and options are reported in one line."""
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "numbered.csv").write_text("0,1\n0,1\n0,0\n")
    for name in ("fake.parquet", "fake.csv.gz", "fake.json", "rows.xlsx"):
        (tmp_path / name).write_text("not that")
    assert said in refused("score", *arguments, "--json")


@pytest.mark.parametrize("rule", [[], ["--discretize", "quantile:3"]])
def test_numbers_are_divided_into_the_intervals_of_the_network(run, tmp_path, rule):
    """Numbers have the score of their intervals, whatever the rule for other columns is; a report accepts them, too."""
    dag = DAG.from_edges(["age", "ill"], [("age", "ill")])
    tables = [np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])]
    write_network(BayesianNetwork(dag, [("<=18.5", ">18.5"), ("no", "yes")], tables), tmp_path / "net.json")
    (tmp_path / "numbers.csv").write_text("age,ill\n3.5,no\n18.5,no\n19.25,yes\n80,yes\n7,yes\n")
    (tmp_path / "labels.csv").write_text("age,ill\n<=18.5,no\n<=18.5,no\n>18.5,yes\n>18.5,yes\n<=18.5,yes\n")
    scores = [
        json.loads(run("score", tmp_path / f"{name}.csv", tmp_path / "net.json", "--json", *options).out)
        for name, options in (("numbers", rule), ("labels", []))
    ]
    assert scores[0] == scores[1]
    outcome = run("report", tmp_path / "net.json", tmp_path / "numbers.csv", "-o", tmp_path / "r.html", *rule)
    assert outcome.code == 0
