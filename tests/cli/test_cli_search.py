"""`bnsearch search` and `bnsearch methods`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnsearch.data import Dataset
from bnsearch.networks import fit
from bnsearch.networks.files import read_network, read_structure
from bnsearch.parent_sets.jkl_writer import write_scores
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import random_candidates
from reference_exact import best_score

METHODS = ["auto", "rinobs", "minobs", "iinobs", "inobs", "asobs", "obs", "exact"]


@pytest.fixture
def table(run) -> ParentSets:
    """Return a table of nine variables, which is also in sets.jkl of the folder that commands run in."""
    made = random_candidates(9, 10, 3, seed=4)
    write_scores(made, "sets.jkl")
    return made


@pytest.mark.parametrize("method", METHODS)
def test_json_of_every_method(run, table, method):
    """The object has the documented keys; the same seed gives the same network."""
    arguments = ("search", "sets.jkl", "--method", method, "--iterations", 20, "--seed", 5, "--json")
    facts = json.loads(run(*arguments).out)
    expected = {
        "score",
        "edges",
        "method",
        "parameters",
        "seed",
        "seconds",
        "evaluations",
        "bound",
        "optimal",
        "stop",
        "version",
    }
    assert expected <= set(facts)
    assert (facts["method"], facts["seed"]) == (method, 5)
    assert facts["score"] <= best_score(table) + 1e-9
    assert json.loads(run(*arguments).out)["edges"] == facts["edges"]


def test_exact_is_proven(run, table):
    """Exact search needs no limit, and says that the result is optimal."""
    outcome = run("search", "sets.jkl", "--method", "exact", "--json")
    facts = json.loads(outcome.out)
    assert facts["optimal"]
    assert facts["score"] == facts["bound"] == pytest.approx(best_score(table), abs=1e-9)
    assert "proven" in run("search", "sets.jkl", "--method", "exact").err


def test_files_are_written(run, table):
    """The structure and the trace; the trace's last score is the one reported."""
    outcome = run("search", "sets.jkl", "--iterations", 300, "-o", "best.csv", "--trace", "trace.csv", "--json")
    facts = json.loads(outcome.out)
    assert {tuple(edge) for edge in facts["edges"]} == set(read_structure("best.csv").edges)
    lines = Path("trace.csv").read_text().splitlines()
    assert lines[0] == "seconds,iterations,evaluations,score"
    assert float(lines[-1].split(",")[3]) == facts["score"]


def test_knowledge_is_respected(run, table):
    """A forbidden edge does not occur; contradictory knowledge is refused."""
    edge = json.loads(run("search", "sets.jkl", "--method", "exact", "--json").out)["edges"][0]
    Path("known.json").write_text(json.dumps({"forbidden_edges": [edge]}))
    facts = json.loads(run("search", "sets.jkl", "--method", "exact", "--knowledge", "known.json", "--json").out)
    assert edge not in facts["edges"]
    Path("known.json").write_text(json.dumps({"forbidden_edges": [edge], "required_edges": [edge]}))
    assert run("search", "sets.jkl", "--knowledge", "known.json").code == 2


def test_a_target_stops_the_search(run, table):
    """Every network has a score above minus a million."""
    facts = json.loads(run("search", "sets.jkl", "--target", -1e6, "--json").out)
    assert facts["stop"] == "target"


def test_parameters_and_starts_are_passed_on(run, table):
    """--set takes numbers and words, --start a start."""
    arguments = ("--method", "minobs", "--set", "population=5", "--set", "crossover=cx", "--set", "survivors=2")
    facts = json.loads(run("search", "sets.jkl", *arguments, "--start", "fas", "--iterations", 2, "--json").out)
    assert {"population": 5, "crossover": "cx", "start": "fas"}.items() <= facts["parameters"].items()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.jkl"], "does not exist"),
        (["sets.jkl", "--method", "minob"], "did you mean 'minobs'"),
        (["sets.jkl", "--set", "islands"], "name=value"),
        (["sets.jkl", "--set", "island=2"], "did you mean 'islands'"),
        (["sets.jkl", "--set", "islands=two"], "islands must be a whole number"),
        (["sets.jkl", "--set", "start=dfs,fas"], "there is no start"),
        (["sets.jkl", "--method", "minobs", "--set", "crossover=ob,rk"], "crossover must be one of"),
        (["sets.jkl", "-o", "sets.jkl"], "already one of the files"),
        (["sets.jkl", "--set", "islands=true"], "islands must be a whole number"),
        (["sets.jkl", "--set", "name=obs"], "has no parameter 'name'"),
        (["sets.jkl", "--set", "rate=0", "--set", "rate=1"], "rate is given twice"),
        (["sets.jkl", "--start", "fas", "--set", "start=dfs"], "start is given twice"),
        (["sets.jkl", "--method", "iinobs", "--set", "tolerance=inf"], "tolerance must be at least 0 and below inf"),
        (["sets.jkl", "--method", "minobs", "--set", "change=inf"], "change must be at least 0 and below inf"),
        (["sets.jkl", "--target", "nan"], "target must be"),
        (["sets.jkl", "--seconds", "-1"], "seconds must be at least 0"),
        (["sets.jkl", "--iterations", "0"], "iterations must be at least 1"),
        (["sets.jkl", "--start", "nowhere"], "there is no start 'nowhere'"),
        (["sets.jkl", "--method", "exact", "--start", "fas"], "has no parameter 'start'"),
        (["sets.jkl", "--method", "hillclimb"], "a candidate table is not enough"),
        (["sets.jkl", "-o", "best.bif"], "needs tables"),
        (["sets.jkl", "-o", "no/such/best.csv"], "no/such"),
        (["sets.jkl", "--trace", "no/such/trace.csv"], "no/such"),
        (["sets.jkl", "--threads", "0"], "threads must be at least 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(refused, table, arguments, said):
    """Invalid input gives one line."""
    assert said in refused("search", *arguments)


def test_methods_are_listed(run):
    """The list has the parameters and the reference of each method."""
    facts = json.loads(run("methods", "--json").out)["methods"]
    first, *others = METHODS
    assert list(facts)[: len(METHODS) + 1] == [first, "ginobs", *others]  # which needs data, not sets
    assert {
        "ges",
        "iges",
        "ilges",
        "vnges",
        "gresp",
        "hillclimb",
        "tabu",
        "k2",
        "miiga",
        "mmhc",
        "bnpc",
        "ik2vmb",
    } <= set(facts)
    assert facts["iinobs"]["parameters"]["soft_restart"]["default"] == 22
    assert "Lee & van Beek" in facts["minobs"]["reference"]
    assert all(about["meaning"] for entry in facts.values() for about in entry["parameters"].values())
    assert "minobs" in run("methods").err


def test_few_variables_are_solved_at_once(run, asia_csv):
    """The default method proves the optimum over eight variables, and does not use up the time budget."""
    assert run("parents", asia_csv, "-o", "asia.jkl").code == 0
    facts = json.loads(run("search", "asia.jkl", "--json").out)
    assert (facts["method"], facts["optimal"], facts["stop"]) == ("auto", True, "complete")
    assert facts["seconds"] < 30


def test_data_give_probability_tables(run, refused, asia_csv):
    """With the table, the network is written with probabilities; another table is refused."""
    run("parents", asia_csv, "-o", "asia.jkl")
    assert run("search", "asia.jkl", "--data", asia_csv, "-o", "best.bif").code == 0
    network = read_network("best.bif")
    assert network.equals(fit(network.dag, Dataset.read(asia_csv)))
    Path("other.csv").write_text("a,b\n0,1\n1,0\n")
    assert "the table has no column 'asia'" in refused("search", "asia.jkl", "--data", "other.csv", "-o", "b.bif")
    assert "asia.csv is already one of the files" in refused("search", "asia.jkl", "--data", asia_csv, "-o", asia_csv)
