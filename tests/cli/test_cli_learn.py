"""`bnsearch learn`: its output, its files and its errors."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bnsearch
from bnsearch import Dataset, Knowledge, Scorer, make_score
from bnsearch.learning.methods import METHODS
from bnsearch.networks.files import read_network, read_structure
from bnsearch.scores import SCORES


@pytest.fixture
def asia(run) -> Dataset:
    """Return 400 rows of a network of eight variables, which are also in asia.csv of the folder commands run in."""
    data = bnsearch.load_network("asia").sample(400, 1)
    data.write("asia.csv")
    return data


def test_json(run, asia):
    """The object has the documented keys and the score of its edges; the optimum of eight variables is proven."""
    facts = json.loads(run("learn", "asia.csv", "--seconds", 20, "--seed", 3, "--json").out)
    keys = "score edges method parameters seed seconds evaluations bound optimal stop version notes"
    assert set(keys.split()) <= set(facts)
    data = Dataset.read("asia.csv")
    dag = bnsearch.DAG.from_edges(data.names, [tuple(edge) for edge in facts["edges"]])
    assert facts["score"] == pytest.approx(Scorer(data, make_score("bic")).network(dag), abs=1e-9)
    assert (facts["optimal"], facts["stop"], facts["seed"], facts["method"]) == (True, "complete", 3, "auto")
    assert any("exact search" in note for note in facts["notes"])


def test_text_for_people(run, asia):
    """Score, proof and notes go to stderr; nothing goes to stdout."""
    outcome = run("learn", "asia.csv", "--seconds", 20)
    assert (outcome.code, outcome.out) == (0, "")
    for words in ("score", "proven: no network scores higher", "chose exact search", "candidate parent sets"):
        assert words in outcome.err


def test_proofs_over_the_sets_kept(run, asia, monkeypatch):
    """With a budget of 100 families, the proof of exact search and the bound of OBS hold for the sets kept."""
    monkeypatch.setattr("bnsearch.learning.candidates.EVALUATIONS", 100)
    outcome = run("learn", "asia.csv", "--method", "exact", "--seconds", "inf", "--seed", 3)
    assert re.search(r"upper bound +-[\d,.]+ \(gap 0% within its scope\)", outcome.err)
    assert re.search(r"scope of the bound +(networks over the parent sets kept|all networks with at most)", outcome.err)
    assert re.search(r"other networks +may score higher: the bound does not cover them", outcome.err)
    assert "optimal" not in outcome.err
    arguments = ["--method", "obs", "--iterations", 1, "--seconds", "inf", "--seed", 3]
    assert re.search(
        r"upper bound +-[\d,.]+ \(gap [\d.]+% within its scope\)", run("learn", "asia.csv", *arguments).err
    )
    facts = json.loads(run("learn", "asia.csv", "--json", *arguments).out)
    assert not facts["optimal"]
    assert facts["scope"] != "all networks"
    assert facts["gap"] == (facts["bound"] - facts["score"]) / -facts["bound"] > 0


def test_a_limited_optimum(run, asia):
    """With at most one parent, the proof is one of the networks with at most one parent, in words and in JSON."""
    arguments = ["learn", "asia.csv", "--seconds", 20, "--max-parents", 1]
    outcome = run(*arguments)
    assert "proven: no network scores higher" not in outcome.err
    assert re.search(r"optimal +proven: highest score of all networks with at most 1 parent", outcome.err)
    facts = json.loads(run(*arguments, "--json").out)
    assert (facts["optimal"], facts["scope"]) == (True, "all networks with at most 1 parent")


def test_quiet(run, asia):
    """With --quiet only the JSON object is printed."""
    assert run("learn", "asia.csv", "--seconds", 20, "--quiet") == (0, "", "")
    outcome = run("learn", "asia.csv", "--seconds", 20, "--quiet", "--json", "-o", "net.dot")
    assert outcome.err == ""
    assert json.loads(outcome.out)["optimal"]


@pytest.mark.parametrize("name", ["net.bif", "net.net", "net.json", "net.csv", "net.dot", "net.svg", "net.bif.gz"])
def test_files_by_extension(run, asia, name):
    """Every format is written, with probability tables if it holds them, and so is the trace."""
    outcome = run("learn", "asia.csv", "--seconds", 20, "-o", name, "--trace", "trace.csv", "--json")
    facts = json.loads(outcome.out)
    assert f"wrote {name}" in outcome.err
    edges = {tuple(edge) for edge in facts["edges"]}
    if name.endswith((".dot", ".svg")):
        assert all(variable in Path(name).read_text() for variable in asia.names)
    else:
        assert set(read_structure(name).edges) == edges
    if ".bif" in name or name == "net.json":
        assert read_network(name).log_likelihood(Dataset.read("asia.csv")) < 0
    assert float(Path("trace.csv").read_text().splitlines()[-1].split(",")[3]) == facts["score"]


def test_smoothed_tables(run, asia):
    """With --table-ess, no entry of the tables in the file and the report is zero."""
    arguments = ["learn", "asia.csv", "--seconds", 20, "-o", "net.bif", "--report", "net.html"]
    assert run(*arguments).code == 0
    assert any((table == 0).any() for table in read_network("net.bif").tables)
    assert run(*arguments, "--table-ess", 1).code == 0
    assert not any((table == 0).any() for table in read_network("net.bif").tables)
    contents = re.search(r'id="contents">(.*)</script>', Path("net.html").read_text())
    assert all(0 not in variable["table"] for variable in json.loads(contents[1])["variables"])


def test_intervals_are_said(run, tmp_path):
    """Of columns that are divided, the intervals are printed, at most ten; not with --json."""
    rows = [",".join([str(i / 2), *(["0.5" if i % 2 else "1.5"] * 11), "no" if i % 3 else "yes"]) for i in range(12)]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*(f"x{i}" for i in range(12)), "y"]), *rows]))
    arguments = ["learn", tmp_path / "t.csv", "--seconds", 1, "--discretize", "x0=1,2; uniform:2"]
    lines = run(*arguments).err.splitlines()
    assert lines[:2] == ["x0 is divided into <=1, 1..2, >2", "x1 is divided into <=1, >1"]
    assert lines[10].startswith("2 more columns are divided: ")
    assert "divided" not in run(*arguments, "--json").err


def test_what_is_missing_is_said(run, asia):
    """A method without a bound says so, and a run without output files says how to write them."""
    lines = run("learn", "asia.csv", "--method", "hillclimb", "--seconds", 1).err.splitlines()
    assert any(re.search("upper bound +none, only auto and exact have one", line) for line in lines)
    assert lines[-1].startswith("no file was written: -o network.bif writes the network")


def test_options_are_passed_on(run, asia):
    """Method, score, ess, maximum number of parents, parameters, iterations and knowledge reach the search."""
    Knowledge(required=[("asia", "xray")], leaves=["smoke"]).write("known.json")
    arguments = ["learn", "asia.csv", "--method", "hillclimb", "--set", "restarts=2", "--score", "bdeu", "--ess", 5]
    arguments += ["--max-parents", 1, "--knowledge", "known.json", "--iterations", 2, "--seed", 1, "--json"]
    facts = json.loads(run(*arguments).out)
    assert (facts["method"], facts["parameters"]["restarts"], facts["iterations"]) == ("hillclimb", 2, 2)
    assert ["asia", "xray"] in facts["edges"]
    assert not any(parent == "smoke" for parent, _ in facts["edges"])
    children = [child for _, child in facts["edges"]]
    assert len(children) == len(set(children))
    data = Dataset.read("asia.csv")
    dag = bnsearch.DAG.from_edges(data.names, [tuple(edge) for edge in facts["edges"]])
    assert facts["score"] == pytest.approx(Scorer(data, make_score("bdeu", ess=5)).network(dag), abs=1e-9)


def test_families_are_counted_where_asked_for(run, asia):
    """GES begins with each of eight variables alone and with one parent, 8 + 56 families; IINOBS does not count any."""
    arguments = ["learn", "asia.csv", "--iterations", 1, "--json", "--method"]
    assert json.loads(run(*arguments, "ges", "--set", "count_families=true").out)["families"] >= 64
    assert json.loads(run(*arguments, "iinobs").out)["families"] is None


def test_the_structure_prior(run, asia):
    """--prior adds log kappa for each free parameter: 2 ** parents of a binary variable; kappa = 1 / 11 at ess 10."""
    arguments = ["learn", "asia.csv", "--method", "ges", "--score", "bdeu", "--ess", 10, "--prior", "--json"]
    facts = json.loads(run(*arguments).out)
    data = Dataset.read("asia.csv")
    dag = bnsearch.DAG.from_edges(data.names, [tuple(edge) for edge in facts["edges"]])
    free = sum(2 ** len(parents) for parents in dag.parents)
    without = Scorer(data, make_score("bdeu", ess=10)).network(dag)
    assert facts["score"] == pytest.approx(without - free * math.log(11), abs=1e-8)
    assert free > 8


def test_parameters_that_are_written_otherwise(run, asia):
    """1e3 is a whole number, and commas make a list."""
    facts = json.loads(
        run("learn", "asia.csv", "--method", "tabu", "--set", "length=1e3", "--seconds", 1, "--json").out
    )
    assert facts["parameters"]["length"] == 1000
    ordering = ",".join(asia.names)
    facts = json.loads(run("learn", "asia.csv", "--method", "k2", "--set", f"ordering={ordering}", "--json").out)
    assert facts["parameters"]["ordering"] == list(asia.names)
    places = {name: i for i, name in enumerate(asia.names)}
    assert all(places[parent] < places[child] for parent, child in facts["edges"])


def test_odd_columns_are_told_of(run):
    """A constant column is reported, and is no error."""
    Path("table.csv").write_text("a,b\n" + "0,x\n1,x\n" * 5)
    assert "column 'b' has the same value in every row" in run("learn", "table.csv", "--seconds", 5).err


def test_target(run, asia):
    """Any network is better than minus a million."""
    assert json.loads(run("learn", "asia.csv", "--target", -1e6, "--json").out)["stop"] in ("target", "complete")


def test_discretize(run):
    """Continuous columns are refused, and the option that the error names works."""
    lines = [f"{i / 7},{(i * i % 50) / 3}" for i in range(50)]
    Path("numbers.csv").write_text("\n".join(["x,y", *lines, ""]))
    refused = run("learn", "numbers.csv", "--seconds", 5)
    assert refused.code == 2
    assert "--discretize quantile:5" in refused.err
    assert run("learn", "numbers.csv", "--seconds", 5, "--discretize", "quantile:3", "--json").code == 0
    assert "quantile:K" in run("learn", "numbers.csv", "--discretize", "quartile:3").err


WRONG = {
    "no file": (None, ["none.csv"], "does not exist"),
    "wrong extension": ("a,b\n0,1\n", ["table.txt"], "must end with .csv"),
    "missing value": ("a,b\n0,1\n1,\n", ["table.csv"], "missing"),
    "no rows": ("a,b\n", ["table.csv"], "no data rows"),
    "one column": ("a\n0\n1\n", ["table.csv"], "one column"),
    "duplicate names": ("a,a\n0,1\n1,0\n", ["table.csv"], "two columns are named"),
    "no such method": ("a,b\n0,1\n1,0\n", ["table.csv", "--method", "rinob"], "did you mean 'rinobs'"),
    "no such score": ("a,b\n0,1\n1,0\n", ["table.csv", "--score", "bix"], "did you mean 'bic'"),
    "no such parameter": (
        "a,b\n0,1\n1,0\n",
        ["table.csv", "--method", "minobs", "--set", "populatio=3"],
        "did you mean 'population'",
    ),
    "score and method": ("a,b\n0,1\n1,0\n", ["table.csv", "--method", "ges", "--score", "k2"], "equivalent networks"),
    "negative budget": ("a,b\n0,1\n1,0\n", ["table.csv", "--seconds", "-1"], "seconds must be above 0"),
    "budget in words": ("a,b\n0,1\n1,0\n", ["table.csv", "--seconds", "ten"], "valid number"),
    "negative in-degree": ("a,b\n0,1\n1,0\n", ["table.csv", "--max-parents", "-1"], "max_parents"),
    "no threads": ("a,b\n0,1\n1,0\n", ["table.csv", "--threads", "0"], "threads"),
    "negative seed": ("a,b\n0,1\n1,0\n", ["table.csv", "--seed", "-1"], "seed"),
    "no such knowledge": ("a,b\n0,1\n1,0\n", ["table.csv", "--knowledge", "none.json"], "does not exist"),
    "output's extension": ("a,b\n0,1\n1,0\n", ["table.csv", "-o", "net.xyz"], "extension"),
    "output's folder": ("a,b\n0,1\n1,0\n", ["table.csv", "-o", "nowhere/net.bif"], "does not exist"),
    "trace's folder": ("a,b\n0,1\n1,0\n", ["table.csv", "--trace", "nowhere/t.csv"], "does not exist"),
    "output is a folder": ("a,b\n0,1\n1,0\n", ["table.csv", "-o", "folder.bif"], "is a folder"),
    "ess without bdeu": ("a,b\n0,1\n1,0\n", ["table.csv", "--ess", "3"], "no parameter 'ess'"),
    "prior without bdeu": ("a,b\n0,1\n1,0\n", ["table.csv", "--prior"], "no parameter 'prior'"),
    "blanks for commas": ("a b\n0 1\n1 0\n", ["table.csv"], "commas separate the columns"),
    "output over the table": ("a,b\n0,1\n1,0\n", ["table.csv", "-o", "./table.csv"], "choose another name"),
    "trace over the table": ("a,b\n0,1\n1,0\n", ["table.csv", "--trace", "table.csv"], "choose another name"),
    "two outputs in one": ("a,b\n0,1\n1,0\n", ["table.csv", "-o", "o.csv", "--trace", "o.csv"], "choose another name"),
    "too many threads": ("a,b\n0,1\n1,0\n", ["table.csv", "--threads", "99999"], "at most 1024"),
    "in-degree beyond all": ("a,b\n0,1\n1,0\n", ["table.csv", "--max-parents", str(10**20)], "max_parents must be"),
    "a start by name": ("a,b\n0,1\n1,0\n", ["table.csv", "--method", "ges", "--set", "start=x"], "must be a PDAG"),
    "an ordering of one": ("a,b\n0,1\n1,0\n", ["table.csv", "--method", "k2", "--set", "ordering=5"], "a list of all"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_one_line(refused, name):
    """Invalid input gives one line and exit status 2, without a traceback."""
    text, arguments, message = WRONG[name]
    if text is not None:
        Path(arguments[0]).write_text(text)
    Path("folder.bif").mkdir()
    assert message in refused("learn", *arguments)
    if text is not None:
        assert Path(arguments[0]).read_text() == text


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"required_edges": [["asia", "tub"], ["tub", "asia"]]}, "directed cycle"),
        ({"required_edges": [["asia", "tub"]], "forbidden_edges": [["asia", "tub"]]}, "required, but it is forbidden"),
        ({"forbidden_edges": [["asia", "tubb"]]}, "did you mean 'tub'"),
    ],
)
def test_contradictory_knowledge_is_refused(refused, asia, document, message):
    """The error names the contradiction."""
    Path("known.json").write_text(json.dumps(document))
    assert message in refused("learn", "asia.csv", "--knowledge", "known.json")


def test_a_network_that_cannot_be_written_is_rescued(run, asia, monkeypatch):
    """If the disk is full, the structure is saved in another file, which the error names."""
    from bnsearch.runs.result import Result

    def full(self, path, data=None):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Result, "write", full)
    outcome = run("learn", "asia.csv", "--seconds", 20, "-o", "net.bif", "--json")
    assert outcome.code == 2
    assert "No space left on device" in outcome.err
    assert "saved in net.bif.rescued.json" in outcome.err
    edges = {tuple(edge) for edge in json.loads(outcome.out)["edges"]}
    assert set(read_structure("net.bif.rescued.json").edges) == edges


def test_a_network_is_printed_where_nothing_can_be_written(run, asia, monkeypatch):
    """If no file can be written, the edges are printed."""
    from bnsearch.networks import files

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "_write_text", full)
    outcome = run("learn", "asia.csv", "--seconds", 20, "-o", "net.bif", "--quiet")
    assert outcome.code == 2
    assert "printed" in outcome.err
    assert "Traceback" not in outcome.err
    assert len(json.loads(outcome.out)["edges"]) > 0


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_files_are_written_if_the_reader_has_exited(process, asia, tmp_path, options):
    """The network is written even if the reader of the output has exited (`| head`)."""
    target = tmp_path / "net.bif"
    arguments = ["asia.csv", "--method", "hillclimb", "--seconds", "5", "-o", str(target), *options]
    learning = process("learn", *arguments, stderr=subprocess.STDOUT)
    learning.stdout.close()
    learning.stdout = None
    learning.communicate()
    assert learning.returncode == 1
    assert read_network(target).dag.names == asia.names


def test_without_stderr(asia):
    """If stderr is closed (2>&-), stdout holds the JSON object only."""
    script = f"exec {sys.executable} -m bnsearch learn asia.csv --method exact --json -o net.dot 2>&-"
    source = str(Path(bnsearch.__file__).parents[1])
    done = subprocess.run(
        ["sh", "-c", script], env={**os.environ, "PYTHONPATH": source}, text=True, stdout=subprocess.PIPE, check=True
    )
    assert json.loads(done.stdout)["optimal"]


def test_help_on_seeds_promises_what_is_kept(run):
    """Under a time budget the result depends on the machine, so the help promises a reproducible one by iterations."""
    for command in ("learn", "search"):
        text = " ".join(run(command, "--help").out.split())
        assert "Seed of the random numbers; reproducible with --iterations, not with --seconds." in text


def test_a_network_to_begin_with(run, asia_csv):
    """`--start` reads a network by name or file, with which the search begins."""
    arguments = ["learn", asia_csv, "--method", "hillclimb", "--iterations", 1, "--seconds", "inf", "--json"]
    facts = json.loads(run(*arguments, "--start", "asia").out)
    true = json.loads(run("score", asia_csv, "asia", "--score", "bic", "--json").out)["scores"]["bic"]
    assert facts["score"] >= true
    assert "edges" in facts


def test_help_lists_methods_and_scores(run):
    """The help of `learn` has the names of the registries."""
    text = " ".join(run("learn", "--help").out.split())
    assert f"How to search: {', '.join(METHODS.built_in)}." in text
    assert f"What to maximise: {', '.join(SCORES.built_in)}." in text


def test_methods_are_listed_with_what_they_declare(run):
    """`bnsearch methods` shows the search space and the input of each method."""
    outcome = run("methods")
    assert outcome.code == 0
    assert "minobs; orderings, insertion moves; needs candidate table\n" in outcome.err
    facts = json.loads(run("methods", "--json").out)["methods"]
    assert list(facts) == list(METHODS)
    assert facts["ges"]["paper"] == "Chickering (2002)"


def test_certificate_and_its_table(run, asia, refused):
    """The certificate of the optimum is verified with the table that is written beside it."""
    arguments = ["--seconds", 20, "--seed", 3, "--certificate", "proof.json", "--parents", "sets.jkl"]
    outcome = run("learn", "asia.csv", *arguments, "--json")
    assert "wrote proof.json" in outcome.err
    verified = json.loads(run("verify", "sets.jkl", "proof.json", "--json").out)
    assert verified["bound"] == pytest.approx(json.loads(outcome.out)["score"])
    line = run("learn", "asia.csv", "--method", "hillclimb", "--seconds", 1, "--certificate", "none.json").err
    assert "none.json: hillclimb has no certificate of an upper bound: use auto or exact" in line
    assert "asia.csv is already one of the files" in refused("learn", "asia.csv", "--certificate", "asia.csv")


def test_networks_near_the_optimum(run, asia):
    """Their number and their classes are printed; JSON lists them, the best one first."""
    arguments = ["learn", "asia.csv", "--seconds", 20, "--seed", 3, "--within", 3]
    facts = json.loads(run(*arguments, "--json").out)
    near = facts["near_optimal"]
    assert near["complete"]
    assert near["count"] == len(near["networks"]) >= near["classes"] >= 1
    assert near["networks"][0]["score"] == pytest.approx(facts["score"])
    assert near["networks"][-1]["score"] >= facts["score"] - math.log(3) - 1e-9
    count = f"{near['count']:,} networks, {near['classes']:,} classes"
    assert re.search(rf"within a factor of 3 +{count}", run(*arguments).err)
