"""The scripts in `examples` run, in an empty folder, and print what they promise."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from bnsearch.networks import load_network
from bnsearch.networks.files import read_network

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def run_example(tmp_path, monkeypatch, capsys):
    """Return a function that runs an example in an empty folder, within this process, and returns its output."""
    monkeypatch.chdir(tmp_path)

    def run(name: str, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_every_example_is_tested():
    """Each script has a test of its name."""
    tests = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {path.stem for path in EXAMPLES.glob("*.py")} <= tests


def test_clinical_table(run_example, tmp_path):
    """The learned edges respect the order in time, and the network is written."""
    output = run_example("clinical_table.py")
    assert "age -> pressure" in output
    assert "stroke -> died" in output
    assert read_network(tmp_path / "clinical.bif").names == ("age", "smoker", "pressure", "stroke", "died")
    assert (tmp_path / "clinical.svg").exists()


def test_sklearn_pipeline(run_example):
    """The cross-validation prefers parents to none."""
    pytest.importorskip("sklearn")
    output = run_example("sklearn_pipeline.py")
    assert "parents at most: 0" not in output
    assert "log-likelihood of a new row: -" in output


def test_compare_methods(run_example):
    """There is a row for the true network and for each method."""
    lines = run_example("compare_methods.py").splitlines()
    assert [line.split()[0] for line in lines] == ["method", "(true)", "ges", "hillclimb", "minobs", "auto"]


def test_lesson(run_example, tmp_path):
    """More rows give more edges, and each network is optimal."""
    output = run_example("lesson.py")
    assert output.count("optimal: True") == 3
    assert (tmp_path / "asia.svg").exists()


def test_own_score_and_method(run_example):
    """The function and the class are used alone and together."""
    lines = run_example("own_score_and_method.py").splitlines()
    assert len(lines) == 3
    assert ["random-orderings" in line for line in lines] == [False, True, True]


def test_many_tables(run_example, tmp_path):
    """Two jobs share four tables; a bad table is named, and a finished one is not learned again."""
    for i in range(3):
        load_network("asia").sample(100, i).write(tmp_path / f"t{i}.csv")
    (tmp_path / "t3.csv").write_text("a,b\n0,\n")
    tables = [f"t{i}.csv" for i in range(4)]
    assert run_example("many_tables.py", *tables, "--part", "1", "--of", "2") == ""
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["t0.json", "t2.json"]
    (tmp_path / "t0.json").write_text("kept")
    assert "t3.csv: column 'b', row 1: missing value" in run_example("many_tables.py", *tables)
    assert (tmp_path / "t0.json").read_text() == "kept"
    assert json.loads((tmp_path / "t1.json").read_text())["stop"] == "iterations"
