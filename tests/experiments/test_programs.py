"""Other programs as methods of a plan."""

from __future__ import annotations

import json
import sys

import pytest

from bnsearch.experiments import PlanError, read_plan
from bnsearch.experiments.cell_run import perform_cell
from bnsearch.experiments.cells import list_cells
from bnsearch.experiments.folder import make_index
from bnsearch.graphs import DAG
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.scores import make_score
from experiment_plans import make_plan, write_plan

PLAN = """
budgets = [{{ seconds = 5 }}]
measures = ["score", "shd"]
sources = [{{ network = "asia", rows = 300 }}]
methods = [{{ program = {words}, label = "other", limit = {limit} }}]
"""
HEAD = "import sys, json, time\nname, path, score, seed = sys.argv[1:]\n"


def make_cell(folder, body, *, words=None, limit=20):
    """Return the only cell of a plan whose program is a Python script."""
    (folder / "other.py").write_text(HEAD + body, encoding="utf-8")
    words = words or [sys.executable, "other.py", "mine", "{codes}", "{score}", "{seed}"]
    (cell,) = list_cells(make_plan(folder, PLAN.format(words=json.dumps(words), limit=limit)))
    return cell


def test_network_of_a_program_is_scored(tmp_path):
    """The program reads the table and prints edges by column; the library scores them."""
    body = """
import numpy
codes = numpy.load(path)
assert codes.shape == (300, 8) and (name, score, seed) == ("mine", "bic", "1")
print("text before the last line")
print(json.dumps({"directed": [[0, 1], [2, 3]], "seconds": 0.25, "version": "mine 1.0"}))
"""
    cell = make_cell(tmp_path, body)
    record = perform_cell(cell)
    assert "error" not in record
    asia, data = load_network("asia"), cell.source.load(1).data
    dag = DAG.from_edges(asia.names, [(asia.names[0], asia.names[1]), (asia.names[2], asia.names[3])])
    problem = Problem(data=data, score=make_score("bic"))
    assert record["result"]["score"] == pytest.approx(problem.score_of(dag), rel=1e-12)
    assert record["result"]["seconds"] == 0.25
    assert record["notes"] == ["mine 1.0"]
    assert [tuple(edge) for edge in record["edges"]] == list(dag.edges)
    assert record["trace"] == [[0.25, 0, 0, record["result"]["score"]]]


def test_class_of_a_program_is_extended(tmp_path):
    """Undirected edges are directed: a - b - c has a DAG without a collider."""
    cell = make_cell(tmp_path, 'print(json.dumps({"undirected": [[0, 1], [1, 2]]}))')
    record = perform_cell(cell)
    names = load_network("asia").names
    children = [child for _, child in record["edges"]]
    assert {frozenset(edge) for edge in record["edges"]} == {frozenset(names[:2]), frozenset(names[1:3])}
    assert len(set(children)) == 2


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("raise SystemExit('no licence')", "other failed: no licence"),
        ("print('done')", "is not a JSON object"),
        ('print(json.dumps({"directed": [[0, 1], [1, 0]]}))', "are not a network"),
        ('print(json.dumps({"directed": [[0, 99]]}))', "are not a network"),
    ],
)
def test_failures_are_one_line(tmp_path, body, error):
    """Programs that fail or print something else are recorded with an error."""
    assert error in perform_cell(make_cell(tmp_path, body))["error"]


def test_late_programs_are_ended(tmp_path, monkeypatch):
    """A program that ends itself by a timer, and one that is killed, did not end within their limit."""
    body = "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.1)\ntime.sleep(60)"
    assert perform_cell(make_cell(tmp_path, body))["error"] == "other did not end within 20 s"
    monkeypatch.setattr("bnsearch.experiments.programs.MAX_STARTUP", 0.0)
    monkeypatch.setattr("bnsearch.experiments.programs.PATIENCE", 1.0)
    assert perform_cell(make_cell(tmp_path, "time.sleep(60)", limit=0.2))["error"] == "other did not end within 0.2 s"


def test_missing_program(tmp_path):
    """A command that cannot be started is recorded."""
    cell = make_cell(tmp_path, "", words=["./nothing", "{codes}"])
    assert perform_cell(cell)["error"] == "cannot start ./nothing: No such file or directory"


def test_python_of_the_peers(tmp_path, monkeypatch):
    """A command that begins with "python" runs in the interpreter of BNSEARCH_PEERS, or in the current one."""
    entry = make_cell(tmp_path, "", words=["python", "{codes}"]).method
    values = dict.fromkeys(("codes", "score", "seconds", "seed", "threads"), "x")
    monkeypatch.delenv("BNSEARCH_PEERS", raising=False)
    assert entry.fill_in(values) == [sys.executable, "x"]
    monkeypatch.setenv("BNSEARCH_PEERS", "/opt/python")
    assert entry.fill_in(values) == ["/opt/python", "x"]


def test_key_does_not_depend_on_the_folder(tmp_path):
    """The command and the limit are part of the key, the folder of the plan is not."""
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    first, second = (make_cell(folder, "") for folder in folders)
    assert first.key == second.key
    assert make_cell(folders[0], "", limit=21).key != first.key
    shown = make_index(read_plan(folders[0] / "plan.toml"), [first])["methods"][0]["parameters"]["program"]
    assert shown.endswith("other.py mine {codes} {score} {seed}")


@pytest.mark.parametrize(
    ("method", "error"),
    [
        ('{ program = ["a", "{codes}"] }', "label is missing"),
        ('{ program = "a", label = "x" }', "program must be a list of texts"),
        ('{ program = ["a"], label = "x" }', "program has no {codes}"),
        ('{ program = ["a", "{codes}", "{other}"], label = "x" }', "unknown place"),
    ],
)
def test_errors_of_programs_in_plans(tmp_path, method, error):
    """Errors of a program's entry are found when the plan is read."""
    text = f'methods = [{method}]\nbudgets = [{{ seconds = 1 }}]\nsources = [{{ network = "asia", rows = 9 }}]\n'
    with pytest.raises(PlanError, match=error.replace("{", r"\{").replace("}", r"\}")):
        read_plan(write_plan(tmp_path, text))


def test_programs_need_data(tmp_path):
    """A score file has no table for a program."""
    (tmp_path / "two.jkl").write_text("2\n0 1\n-1 0\n1 1\n-1 0\n", encoding="utf-8")
    text = 'methods = [{ program = ["a", "{codes}"], label = "x" }]\nbudgets = [{ seconds = 1 }]\n'
    with pytest.raises(PlanError, match="needs data"):
        read_plan(write_plan(tmp_path, text + 'sources = [{ score_file = "two.jkl" }]\n'))
