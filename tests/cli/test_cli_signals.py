"""Signals to a real process: the best network so far is written, and the exit status names the signal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bnsearch
from bnsearch.networks.files import read_network, read_structure
from bnsearch.parent_sets.jkl_writer import write_scores
from bnsearch.runs.result import Result
from candidate_tables import random_candidates

STATUS = {signal.SIGINT: 0, signal.SIGTERM: 143}
STOP = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
both_signals = pytest.mark.parametrize("number", list(STATUS), ids=lambda number: number.name)

PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this in the background
from contextlib import contextmanager
import bnsearch.cli.progress

wanted = sys.argv.pop(1)

def observe(event):
    if wanted == event.task or (wanted == "selecting" and event.progress is None):
        print("now", file=sys.stderr, flush=True)

@contextmanager
def show_progress(quiet=False):
    yield [observe]

bnsearch.cli.progress.show_progress = show_progress
from bnsearch.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def signalled(task: str, number: signal.Signals, *arguments: str) -> tuple[int, str, float]:
    """Run a command, send it a signal at its first event of a task; return its status, output and ending time."""
    source = str(Path(bnsearch.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, task, *arguments],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "now\n"
    process.send_signal(number)
    sent = time.monotonic()
    output, errors = process.communicate(timeout=120)
    assert "Traceback" not in errors
    return process.returncode, output, time.monotonic() - sent


@pytest.fixture
def big_csv(run) -> str:
    """Return a table of 30 variables, with which a search ends by its time only."""
    bnsearch.random_network(30, 2.0, 3, 1).sample(500, 1).write("big.csv")
    return "big.csv"


@pytest.mark.parametrize(
    ("method", "task", "number"),
    [
        ("auto", "searching", signal.SIGINT),
        ("auto", "selecting", signal.SIGTERM),
        ("rinobs", "searching", signal.SIGTERM),
        ("rinobs", "selecting", signal.SIGINT),
    ],
)
def test_learn_writes_its_network(big_csv, method, task, number):
    """
    During the search and during candidate selection, `learn` ends within seconds with its network in the file.

    Each pair of method, task and signal occurs once; `test_every_ending.py` has all combinations within one process.
    """
    arguments = ["learn", big_csv, "--method", method, "--seconds", "60", "-o", "net.bif", "--json"]
    status, output, seconds = signalled(task, number, *arguments)
    facts = json.loads(output)
    assert (status, facts["stop"]) == (STATUS[number], STOP[number])
    assert seconds < 10
    assert {tuple(edge) for edge in facts["edges"]} == set(read_network("net.bif").dag.edges)


@both_signals
def test_writing_is_completed(run, asia_csv, monkeypatch, number):
    """A signal while the network is written does not prevent the file."""
    write = Result.write

    def interrupted_write(self: Result, path: Path, data: object = None) -> None:
        signal.raise_signal(number)
        write(self, path, data)

    monkeypatch.setattr(Result, "write", interrupted_write)
    outcome = run("learn", asia_csv, "--method", "hillclimb", "--iterations", 1, "-o", "net.bif")
    assert outcome.code == STATUS[number]
    assert len(read_network("net.bif").dag.names) == 8
    assert outcome.err.endswith("wrote net.bif\n")


@both_signals
def test_search_writes_its_network(run, number):
    """A search over candidate sets with a time budget of ten minutes ends with a whole result."""
    write_scores(random_candidates(20, 50, 4, seed=4), "sets.jkl")
    arguments = ["search", "sets.jkl", "--method", "minobs", "--seconds", "600", "--json", "-o", "best.csv"]
    status, output, _ = signalled("searching", number, *arguments)
    facts = json.loads(output)
    assert (status, facts["stop"]) == (STATUS[number], STOP[number])
    assert {tuple(edge) for edge in facts["edges"]} == set(read_structure("best.csv").edges)
