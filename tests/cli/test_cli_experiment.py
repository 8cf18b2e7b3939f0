"""`bnsearch experiment`: from a plan to a report, and everything that can be wrong with its arguments."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

PLAN = """
budgets = [{ iterations = 2 }]
methods = ["hillclimb", "tabu"]
seeds = [1, 2]
sources = [{ network = "asia", rows = [50, 60, 70] }]
"""


@pytest.fixture
def plan(run) -> str:
    """Return the file of a plan with twelve cells, in an empty folder."""
    Path("plan.toml").write_text(PLAN)
    return "plan.toml"


def test_plan_to_report(run, plan):
    """All cells run and the report is written; the same command runs nothing."""
    outcome = run("experiment", plan, "-o", "out")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.splitlines() == [
        "12 of 12 cells are finished, 12 of them in this run; 0 failed",
        "wrote out/report.html",
        "wrote out/report.md",
    ]
    assert "12 of 12 cells are finished, 0 of them in this run" in run("experiment", plan, "-o", "out").err


def test_json(run, plan):
    """With --json, the numbers of cells and the files of the report go to stdout."""
    outcome = run("experiment", plan, "-o", "out", "--json", "--quiet", "--jobs", 2)
    assert outcome.err == ""
    facts = json.loads(outcome.out)
    numbers = {"cells": 12, "failed": 0, "reused": 0}
    assert facts == {"schema_version": 1, **numbers, "report": ["out/report.html", "out/report.md"]}


def test_check_runs_nothing(run, plan):
    """--check counts the cells of a valid plan."""
    outcome = run("experiment", plan, "--check")
    assert (outcome.code, outcome.err) == (0, "the plan is valid: 12 cells\n")
    Path(plan).write_text(PLAN + "[small]\nseeds = [1]\n")
    assert run("experiment", plan, "--check", "--small").err == "the plan is valid: 6 cells\n"
    assert not Path("out").exists()


def test_report_only(run, plan):
    """The report is written again from the folder alone, also without the plan."""
    run("experiment", plan, "-o", "out")
    before = Path("out/report.html").read_text()
    Path("out/report.html").unlink()
    Path(plan).unlink()
    assert run("experiment", "--report-only", "-o", "out").code == 0
    assert Path("out/report.html").read_text() == before


def test_every_error_has_a_line(run, plan):
    """A plan with several errors: one line for each of them, a summary, and nothing is run."""
    Path(plan).write_text(PLAN.replace("tabu", "taboo").replace("seeds", "sed"))
    outcome = run("experiment", plan, "-o", "out")
    lines = outcome.err.splitlines()
    assert outcome.code == 2
    assert lines[0].startswith("1. entry 2 of methods: there is no method 'taboo' (did you mean 'tabu'?)")
    assert lines[1].startswith("2. there is no key 'sed' (did you mean 'seeds'?)")
    assert lines[2] == "bnsearch: error: plan.toml has 2 errors, listed above; nothing was run"
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan.toml"], "--output is missing"),
        (["-o", "out"], "the plan is missing"),
        (["none.toml", "-o", "out"], "none.toml does not exist"),
        (["--report-only", "-o", "nowhere"], "nowhere has no experiment"),
        (["plan.toml", "-o", "out", "--jobs", "0"], "jobs must be at least 1, not 0"),
        (["plan.toml", "-o", "out", "--workers", "2", "--dask", "local:2"], "--workers and --dask are both given"),
    ],
)
def test_wrong_arguments(refused, plan, arguments, said):
    """Wrong arguments are one line."""
    assert said in refused("experiment", *arguments)


def test_one_error_is_one_line(refused, plan):
    """A plan with one error needs no list."""
    Path(plan).write_text(PLAN.replace("tabu", "taboo"))
    assert "plan.toml has 1 error: entry 2 of methods: there is no method 'taboo'" in refused(
        "experiment", plan, "-o", "out"
    )


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals(process, tmp_path, number, status):
    """After a signal, finished cells stay and one line says how to continue."""
    long = PLAN.replace("iterations = 2", "iterations = 300").replace("[50, 60, 70]", "{ first = 50, count = 400 }")
    (tmp_path / "plan.toml").write_text(long.replace('"asia"', '"greenhouse"'))
    out = tmp_path / "out"
    running = process("experiment", str(tmp_path / "plan.toml"), "-o", str(out))
    deadline = time.monotonic() + 120
    while len(list(out.glob("results/*.json"))) < 2 and time.monotonic() < deadline and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == status, errors
    last = errors.splitlines()[-1]
    assert last.startswith("interrupted: " if number == signal.SIGINT else "terminated: ")
    assert last.endswith("of 1,600 cells are finished; the same command continues")
    assert all(json.loads(file.read_text())["result"] for file in out.glob("results/*.json"))
