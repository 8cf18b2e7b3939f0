"""`bnsearch query`."""

from __future__ import annotations

import json

import pytest

from bnsearch.data import Dataset
from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork, load_network
from bnsearch.networks.files import write_network, write_structure

ASIA = load_network("asia")


def test_marginals_as_text(run):
    """All variables that are not observed are listed with their states; the first line has the evidence."""
    outcome = run("query", "asia", "--given", "smoke=yes")
    assert outcome.code == 0
    assert outcome.out == ""
    assert outcome.err.startswith("given smoke=yes, whose log-probability is -0.693147\n")
    lines = [line.split() for line in outcome.err.splitlines()]
    assert ["lung", "yes", "0.100000"] in lines
    assert ["no", "0.900000"] in lines
    assert not any(line[:1] == ["smoke"] for line in lines)


def test_marginals_as_json(run):
    """The numbers are those of the library; without sampling there are no errors."""
    outcome = run("query", "asia", "--given", "xray=yes", "--given", "dysp=no", "--target", "lung", "--json")
    found = json.loads(outcome.out)
    expected = ASIA.marginals({"xray": "yes", "dysp": "no"}, "lung")
    assert found == {
        "schema_version": 1,
        "evidence": {"xray": "yes", "dysp": "no"},
        "log_evidence": expected.log_evidence,
        "notes": [],
        "marginals": {"lung": {"yes": expected["lung"]["yes"], "no": expected["lung"]["no"]}},
    }


def test_joint_distributions(run):
    """One row for each joint state."""
    arguments = ("query", "asia", "--given", "dysp=yes", "--target", "lung", "--target", "bronc", "--joint")
    found = json.loads(run(*arguments, "--json").out)["joint"]
    expected = ASIA.query(["lung", "bronc"], {"dysp": "yes"})
    assert len(found) == 4
    for cell in found:
        assert cell["probability"] == expected[cell["states"]["lung"], cell["states"]["bronc"]]
    assert "lung   bronc   probability" in run(*arguments).err


def test_most_probable_states(run):
    """The states, and their probability given the evidence."""
    arguments = ("query", "asia", "--given", "xray=yes", "--target", "lung", "--target", "tub", "--most-probable")
    found = json.loads(run(*arguments, "--json").out)
    expected = ASIA.most_probable({"xray": "yes"}, ["lung", "tub"])
    assert (found["states"], found["probability"]) == (expected.states, expected.probability)
    assert "probability of these states 0.483629" in run(*arguments).err


def test_interventions(run):
    """Setting bronc says nothing about smoke; observing it does."""
    done = json.loads(run("query", "asia", "--do", "bronc=yes", "--target", "smoke", "--json").out)
    seen = json.loads(run("query", "asia", "--given", "bronc=yes", "--target", "smoke", "--json").out)
    assert done["marginals"]["smoke"]["yes"] == pytest.approx(0.5)
    assert seen["marginals"]["smoke"]["yes"] == pytest.approx(2 / 3)
    run("sample", "asia", "--rows", 50, "--do", "smoke=no", "-o", "rows.csv")
    assert set(Dataset.read("rows.csv").to_polars()["smoke"]) == {"no"}


def test_sampling(run):
    """Errors are listed, and few effective samples are noted."""
    arguments = ("query", "asia", "--target", "tub", "--method", "sampling", "--samples", 500, "--seed", 2)
    outcome = run(*arguments)
    assert "error" in outcome.err
    assert "note: the weighted samples are worth only 500 samples: draw more of them\n" in outcome.err
    found = json.loads(run(*arguments, "--json").out)
    assert set(found["errors"]["tub"]) == {"yes", "no"}
    joint = json.loads(run(*arguments, "--joint", "--json").out)
    assert joint["joint"][0]["error"] > 0


def test_names_with_equals_signs(run):
    """The name is the first part that is a variable; small probabilities keep their digits."""
    network = BayesianNetwork(DAG.empty(["a=b", "c"]), [["x", "y=z"], ["0", "1"]], [[0.5, 0.5], [1e-6, 1 - 1e-6]])
    write_network(network, "net.json")
    found = json.loads(run("query", "net.json", "--given", "a=b=y=z", "--json").out)
    assert found["evidence"] == {"a=b": "y=z"}
    assert "1.00e-06" in run("query", "net.json").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["asia", "--given", "smoke"], "--given takes a variable and its state, such as x=yes, not 'smoke'"),
        (["asia", "--given", "smoke=ye"], "the variable 'smoke' has no state 'ye' (did you mean 'yes'?); its states"),
        (["asia", "--given", "smok=yes"], "there is no variable 'smok' (did you mean 'smoke'?)"),
        (["asia", "--given", "smoke=yes", "--given", "smoke=no"], "--given gives the variable 'smoke' twice"),
        (["asia", "--given", "smoke=yes", "--target", "smoke"], "'smoke' cannot be both a target and evidence"),
        (["asia", "--given", "lung=yes", "--given", "either=no"], "has probability zero in this network"),
        (["asia", "--do", "smoke=yes", "--given", "smoke=no"], "--do and --given both have the variable 'smoke'"),
        (["asia", "--do", "smoke=never"], "do: the variable 'smoke' has no state 'never'"),
        (["asia", "--target", "lungs"], "targets: there is no variable 'lungs' (did you mean 'lung'?)"),
        (["asia", "--joint"], "--joint needs the variables: give each of them with --target"),
        (["asia", "--joint", "--most-probable"], "--joint and --most-probable cannot be combined"),
        (["asia", "--method", "exakt"], "method must be one of auto, exact, sampling, not 'exakt'"),
        (["asia", "--samples", "0", "--method", "sampling"], "samples must be at least 1, not 0"),
        (["asia", "--memory", "2"], "memory must be at least 64MB, such as '2GB', not '2'"),
        (
            ["net.csv", "--given", "a=1"],
            "net.csv holds a structure without tables: only a network with tables can be q",
        ),
    ],
)
def test_wrong_input(refused, arguments, message):
    """One line says what is wrong."""
    write_structure(DAG.empty("ab"), "net.csv")
    assert message in refused("query", *arguments)
