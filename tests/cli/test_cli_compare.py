"""`bnsearch compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnsearch.graphs import DAG, compare
from bnsearch.networks.files import write_structure

# True a -> b -> c, d alone; learned b -> a (reversed), c -> d (added), b -> c missing (deleted).
TRUE = DAG.from_edges("abcd", [("a", "b"), ("b", "c")])
LEARNED = DAG.from_edges("dcba", [("b", "a"), ("c", "d")])


@pytest.fixture
def pair(tmp_path):
    """Write the two structures, in two formats."""
    write_structure(TRUE, tmp_path / "true.csv")
    write_structure(LEARNED, tmp_path / "learned.json")


def test_json_is_the_comparison(run, pair):
    """One object with every number of the library; one edge added, one deleted, one reversed: SHD 3."""
    outcome = run("compare", "true.csv", "learned.json", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    edges = {"added_edges": [["c", "d"]], "deleted_edges": [["b", "c"]], "reversed_edges": [["b", "a"]]}
    assert found == {"schema_version": 1, **compare(TRUE, LEARNED).as_dict(), **edges}
    assert (found["shd"], found["added"], found["deleted"], found["reversed"]) == (3, 1, 1, 1)


def test_table_for_people(run, pair):
    """The CPDAGs a-b-c and a-b, c-d differ in two pairs; of two adjacencies one is shared. All on stderr."""
    outcome = run("compare", "true.csv", "learned.json")
    assert (outcome.code, outcome.out) == (0, "")
    assert "SHD of the DAGs    3 (1 added, 1 deleted, 1 reversed)" in outcome.err
    assert "SHD of the CPDAGs  2" in outcome.err
    assert outcome.err.splitlines()[-3:] == ["added     c -> d", "deleted   b -> c", "reversed  b -> a"]
    skeleton = next(line for line in outcome.err.splitlines() if "skeleton" in line)
    assert skeleton.split()[1:] == ["2", "2", "1", "0.500", "0.500", "0.500"]


def test_many_differences(run, tmp_path):
    """At most 40 edges are listed."""
    chain = DAG.from_edges(map(str, range(60)), [(str(i), str(i + 1)) for i in range(59)])
    write_structure(chain, tmp_path / "chain.json")
    write_structure(DAG.empty(chain.names), tmp_path / "empty.json")
    lines = run("compare", tmp_path / "chain.json", tmp_path / "empty.json").err.splitlines()
    assert sum(line.startswith("deleted ") for line in lines) == 40
    assert lines[-1] == "40 of 59 edges that differ are shown: --json has all of them"


def test_networks_and_names(run):
    """A network is compared by its structure, from a file or by name."""
    run("convert", "asia", "asia.net")
    assert json.loads(run("compare", "asia", "asia.net", "--json").out)["shd"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["true.csv", "asia"], "the graphs have different variables: only the first has 'a', 'b', 'c', 'd'"),
        (["true.csv", "no.bif"], "no.bif does not exist"),
        (["asai", "true.csv"], "did you mean 'asia'?"),
        (["true.csv", "loop.csv"], "loop.csv: the graph has a directed cycle"),
        (["true.csv", "empty.json"], "empty.json"),
        (["true.csv", "learned.dot"], ".dot files cannot be read"),
    ],
)
def test_bad_input(refused, pair, arguments, said):
    """Other variables, missing files, cyclic graphs: one line."""
    Path("loop.csv").write_text("a,b\n0,1\n1,0\n")
    Path("empty.json").write_text("")
    assert said in refused("compare", *arguments)
