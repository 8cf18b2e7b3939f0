"""The module for Benchpress: its schema, its script, and its rule in a small workflow."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import bnsearch
from bnsearch.learning.methods import METHODS
from bnsearch.scores.named import BUILT_IN_SCORES

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "integrations" / "benchpress"
MODULE = FOLDER / "bnsearch"
SCHEMA = json.loads((MODULE / "schema.json").read_text(encoding="utf-8"))
CONFIG = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
SETTINGS = {"method": "hillclimb", "score": "bdeu", "ess": "10", "max_parents": "None", "seconds": "None",
            "threads": "1", "timeout": "30", "edgeConstraints": "None", "seed": "3"}  # fmt: skip

# A workflow with the paths and functions that Benchpress defines for its modules.
SNAKEFILE = """
module_name = "bnsearch"
pattern = "bnsearch/alg_params=/" + "/".join(f"{key}={{{key}}}" for key in KEYS)

def alg_input_data():
    return "{output_dir}/data/{data}/seed={seed}.csv"

def alg_output(kind, name):
    return "{output_dir}/" + kind + "/{data}/algorithm=/" + pattern + "/seed={seed}/" + name

def alg_output_adjmat_path(module):
    return alg_output("adjmat_estimate", "adjmat.csv")

def alg_output_time_path(module):
    return alg_output("time", "time.txt")

def alg_output_ntests_path(module):
    return alg_output("ntests", "ntests.txt")

include: "RULE"
"""


def make_definitions():
    """Return the definitions of Benchpress that the schema refers to: numbers, lists of them, null."""

    def one_or_more(kind, *others):
        number = {"type": kind, "minimum": 0}
        return {"anyOf": [number, {"type": "array", "items": number}, *others]}

    null = {"type": "null"}
    return {
        "flexnonnegnumnull": one_or_more("number", null),
        "flexnonnegintnull": one_or_more("integer", null),
        "flexnonnegint": one_or_more("integer"),
    }


def list_errors(value):
    """Return the errors of a value by the schema of the module."""
    jsonschema = pytest.importorskip("jsonschema")
    text = json.dumps(SCHEMA).replace("../../../schemas/definitions.schema.json#/definitions/", "#/$defs/")
    schema = json.loads(text) | {"$defs": make_definitions()}
    jsonschema.Draft7Validator.check_schema(schema)
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(value)]


def write_data(path, rows=300):
    """Write a sample of asia as Benchpress does: names, numbers of states, codes. Return the table."""
    data = bnsearch.load_network("asia").sample(rows, 1)
    lines = [data.names, [len(states) for states in data.states], *data.codes.T.tolist()]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n", encoding="utf-8")
    return data


def run_script(folder, **changes):
    """Run the script of the module on a sample; return the lines of the adjacency matrix."""
    write_data(folder / "data.csv")
    output = {name: str(folder / f"{name}.txt") for name in ("adjmat", "time", "ntests")}
    call = SimpleNamespace(input={"data": str(folder / "data.csv")}, output=output, wildcards={**SETTINGS, **changes})
    runpy.run_path(str(MODULE / "script.py"), init_globals={"snakemake": call})
    return (folder / "adjmat.txt").read_text(encoding="utf-8").splitlines()


def test_schema_names_all_methods_and_scores():
    """The schema has the methods and scores of the library, and no others."""
    fields = SCHEMA["items"]["properties"]
    assert fields["method"]["enum"] == sorted(METHODS)
    assert fields["score"]["enum"] == sorted(BUILT_IN_SCORES)
    assert sorted(SCHEMA["items"]["required"]) == sorted(fields)


def test_examples_and_config_are_valid():
    """Examples of the schema and the settings of the config file are valid; other settings are not."""
    settings = CONFIG["resources"]["structure_learning_algorithms"]["bnsearch"]
    assert list_errors(SCHEMA["items"]["examples"]) == []
    assert list_errors(settings) == []
    assert list_errors([settings[0] | {"method": "none"}])
    assert list_errors([settings[0] | {"seconds": -1}])
    assert list_errors([settings[0] | {"more": 1}])
    used = CONFIG["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"]
    assert used == [setting["id"] for setting in settings]


def test_script_learns_and_writes(tmp_path):
    """The matrix is that of `learn` with the same settings; time and number of tests are written."""
    lines = run_script(tmp_path)
    data = write_data(tmp_path / "again.csv")
    expected = bnsearch.learn(
        data, method="hillclimb", score=bnsearch.make_score("bdeu", ess=10), seconds=30, seed=3, threads=1
    )
    matrix = np.array([[int(value) for value in line.split(",")] for line in lines[1:]])
    assert lines[0].split(",") == list(data.names)
    assert (matrix == expected.dag.adjacency).all()
    assert matrix.sum() > 0
    assert float((tmp_path / "time.txt").read_text()) > 0
    assert (tmp_path / "ntests.txt").read_text() == "None\n"


def test_constraints_are_respected(tmp_path, monkeypatch):
    """Required and forbidden edges, groups and tiers; unknown variables are ignored."""
    names = bnsearch.load_network("asia").names
    constraints = {
        "required_edges": [[names[0], names[1]], ["nobody", names[1]]],
        "forbidden_groups": [{"cause": [names[2]], "effect": list(names[3:])}],
        "tiers": [[names[0]], [names[1]], ["nobody"]],
        "tier_settings": {"forbid_within_tiers": False, "can_only_cause_next_tier": True},
    }
    (tmp_path / "resources" / "constraints").mkdir(parents=True)
    (tmp_path / "resources" / "constraints" / "known.json").write_text(json.dumps(constraints), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    rows = [line.split(",") for line in run_script(tmp_path, edgeConstraints="known.json")[1:]]
    assert rows[0][1] == "1"
    assert set(rows[2][3:]) == {"0"}


def test_data_that_are_not_categorical(tmp_path, monkeypatch):
    """Continuous data give an error in one line."""
    continuous = "a,b\n0.2,2.3\n3.2,1.5\n"
    monkeypatch.setitem(globals(), "write_data", lambda path: path.write_text(continuous, encoding="utf-8"))
    with pytest.raises(SystemExit, match=r"^bnsearch: .*arit"):
        run_script(tmp_path)


@pytest.mark.skipif(find_spec("snakemake") is None, reason="needs Snakemake")
def test_rule_in_a_workflow(tmp_path):
    """Snakemake finds the rule, reads the settings from the path of the output, and runs the script."""
    keys = [key for key in SETTINGS if key != "seed"]
    text = SNAKEFILE.replace("KEYS", repr(keys)).replace("RULE", str(MODULE / "rule.smk"))
    (tmp_path / "Snakefile").write_text(text, encoding="utf-8")
    (tmp_path / "results" / "data" / "asia").mkdir(parents=True)
    write_data(tmp_path / "results" / "data" / "asia" / "seed=3.csv")
    settings = "/".join(f"{key}={SETTINGS[key]}" for key in keys)
    target = f"results/adjmat_estimate/asia/algorithm=/bnsearch/alg_params=/{settings}/seed=3/adjmat.csv"
    environment = {**os.environ, "PYTHONPATH": str(Path(bnsearch.__file__).parents[1])}
    command = [sys.executable, "-m", "snakemake", "--cores", "1", target]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / target).read_text(encoding="utf-8").splitlines() == run_script(tmp_path)
