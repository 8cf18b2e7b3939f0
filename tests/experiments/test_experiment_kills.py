"""An experiment that is killed loses at most its running cells, and its report does not show the interruptions."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bnsearch
from bnsearch.experiments import run_experiment, write_report
from experiment_plans import write_plan

KILLS = 2
PLAN = """
budgets = [{ iterations = 30 }]
measures = ["score", "shd", "evaluations"]
methods = ["hillclimb", "tabu"]
seeds = { first = 1, count = 5 }
sources = [{ network = "greenhouse", rows = [100, 150, 200], sample_seeds = [1, 2] }]
"""


def start(plan: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(bnsearch.__file__).parents[1])}
    command = [sys.executable, "-m", "bnsearch", "experiment", str(plan), "-o", str(out), "--quiet", *options]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)


def finish(plan: Path, out: Path, *options: str) -> None:
    """Run the command to its end."""
    process = start(plan, out, *options)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


def list_results(out: Path) -> dict[str, int]:
    """Return the times of the result files by name."""
    return {file.name: file.stat().st_mtime_ns for file in out.glob("results/[!.]*.json")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """Return the folder of an experiment that was not interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    run_experiment(write_plan(folder, PLAN), folder / "out")
    write_report(folder / "out")
    return folder / "out"


@pytest.mark.parametrize("options", [(), ("--workers", "2")])
def test_killed_experiment(tmp_path, whole, options):
    """Results that exist at a kill are never computed again, and the report is that of an uninterrupted run."""
    plan, out, rng = write_plan(tmp_path, PLAN), tmp_path / "killed", random.Random(len(options))
    kept: dict[str, int] = {}
    for number in range(KILLS):
        wanted = len(kept) + rng.randint(1, 15)
        process = start(plan, out, *options)
        deadline = time.monotonic() + 120
        while len(list_results(out)) < wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        time.sleep(0.2)
        found = list_results(out)
        assert kept.items() <= found.items(), number
        kept = found
    finish(plan, out, *options)
    assert kept.items() <= list_results(out).items()
    for name in ("report.md", "report.html"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()
