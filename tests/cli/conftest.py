"""Fixtures that call the command line, and input files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import bnsearch
from bnsearch.cli.main import main
from bnsearch.networks import load_network


class Outcome(NamedTuple):
    """Exit status and output of a call."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that calls the command line in an empty folder, through `main` as the script does."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("BNSEARCH_TRACEBACK", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Return a function that calls the command line with invalid input and returns the error line."""

    def call(*arguments: object) -> str:
        outcome = run(*arguments)
        assert outcome.code == 2, outcome
        assert outcome.out == ""
        assert outcome.err.startswith("bnsearch: error: ")
        assert outcome.err.count("\n") == 1
        assert outcome.err.endswith("\n")
        assert "Traceback" not in outcome.err
        return outcome.err

    return call


@pytest.fixture
def process() -> Callable[..., subprocess.Popen[str]]:
    """Return a function that starts the command line in a process of its own."""
    source = str(Path(bnsearch.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}

    def start(*arguments: str, **streams: object) -> subprocess.Popen[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        command = [sys.executable, "-m", "bnsearch", *arguments]
        return subprocess.Popen(command, env=environment, text=True, **streams)

    return start


@pytest.fixture
def asia_csv(tmp_path: Path) -> Path:
    """Return a table of 300 rows drawn from asia."""
    path = tmp_path / "asia.csv"
    load_network("asia").sample(300, seed=7).write(path)
    return path
