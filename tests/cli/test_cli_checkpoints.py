"""Checkpoints of real processes that are killed, terminated, or run out of disk space."""

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
from bnsearch.checkpoints.container import Container
from bnsearch.parent_sets.jkl_writer import write_scores
from candidate_tables import random_candidates

PROGRAM = """
import resource, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this in the background
import bnsearch.checkpoints.costs as costs
from bnsearch.checkpoints.container import Container

costs.SECONDS_BETWEEN_WRITES, costs.MAX_SHARE, costs.MAX_PART_SHARE, costs.MAX_DISK_SHARE = 0.05, 1.0, 1.0, 1.0
max_bytes = int(sys.argv.pop(1))
write = Container.write

def announce(self, parts):
    if max_bytes and "islands" in parts:
        resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, resource.RLIM_INFINITY))  # as if the disk were full
    try:
        write(self, parts)
    except OSError:
        print("failed", file=sys.stderr, flush=True)
        raise
    print("written", parts["run"].facts["seconds"], file=sys.stderr, flush=True)

Container.write = announce
from bnsearch.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def start(*arguments: object, max_bytes: int = 0) -> subprocess.Popen[str]:
    """Start a command that writes its checkpoint often, and prints a line after each time."""
    source = str(Path(bnsearch.__file__).parents[1])
    command = [sys.executable, "-c", PROGRAM, str(max_bytes), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": source}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def big_csv(run) -> str:
    """Return a table of 60 variables, with which a search ends by its time only."""
    bnsearch.random_network(60, 3.0, 3, 1).sample(1000, 1).write("big.csv")
    return "big.csv"


def wait_for_writes(process: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a checkpoint of a run that has searched for some seconds is written."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("written ") and float(line.split()[1]) >= seconds:
            return
    raise AssertionError("the process has ended before")


def read_fact(name: str) -> float:
    """Return the score or the seconds of the run in the checkpoint."""
    return float(Container("run.bns").read()["run"].facts[name])


@pytest.mark.parametrize("seconds", [0.1, 0.5])
def test_a_killed_run_continues(run, big_csv, seconds):
    """After SIGKILL, the same command ends with a score that is at least the saved one."""
    arguments = ["learn", big_csv, "--seconds", 60, "--seed", 1, "--threads", 1, "--checkpoint", "run.bns", "--json"]
    process = start(*arguments)
    wait_for_writes(process, seconds)
    process.kill()
    process.communicate()
    saved = read_fact("score")
    arguments[3] = read_fact("seconds") + 0.5
    outcome = run(*arguments)
    assert outcome.code == 0
    facts = json.loads(outcome.out)
    assert facts["score"] >= saved
    assert any(note.startswith("continued from the checkpoint run.bns") for note in facts["notes"])


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)])
def test_a_signal_writes_checkpoint_and_network(run, big_csv, number, status):
    """Both have the network of the result, and the same command continues."""
    arguments = ["learn", big_csv, "--seconds", 60, "--seed", 1, "--checkpoint", "run.bns", "-o", "net.bif", "--json"]
    process = start(*arguments)
    wait_for_writes(process, 0.5)
    process.send_signal(number)
    sent = time.monotonic()
    output, errors = process.communicate(timeout=60)
    assert time.monotonic() - sent < 10
    assert "Traceback" not in errors
    assert process.returncode == status
    facts = json.loads(output)
    assert facts["score"] == read_fact("score")
    assert {tuple(edge) for edge in facts["edges"]} == set(bnsearch.read_network("net.bif").dag.edges)
    arguments[3] = facts["seconds"] + 0.5
    outcome = run(*arguments)
    assert json.loads(outcome.out)["score"] >= facts["score"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file sizes")
def test_a_full_disk_does_not_end_the_run(run, big_csv):
    """After two attempts, one note says that the checkpoint was not written; the checkpoint before it is whole."""
    arguments = ["learn", big_csv, "--seconds", 60, "--threads", 1, "--checkpoint", "run.bns", "--json"]
    process = start(*arguments, max_bytes=4000)
    assert process.stderr is not None
    attempts = (line for line in process.stderr if line == "failed\n")
    assert [next(attempts), next(attempts)] == ["failed\n"] * 2
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    facts = json.loads(output)
    assert facts["stop"] == "interrupted"
    assert sum("failed at least once" in note for note in facts["notes"]) == 1
    assert "Traceback" not in errors
    assert facts["score"] >= read_fact("score")
    assert not list(Path().glob(".*"))


def test_search_has_checkpoints(run, refused):
    """`bnsearch search` continues, refuses another table, and starts over."""
    write_scores(random_candidates(20, 50, 4, seed=4), "sets.jkl")
    write_scores(random_candidates(20, 50, 4, seed=5), "other.jkl")
    options = ["--method", "minobs", "--iterations", 3, "--seed", 1, "--checkpoint", "run.bns", "--json"]
    first = run("search", "sets.jkl", *options)
    assert run("search", "sets.jkl", *options).out.split("notes")[0] == first.out.split("notes")[0]
    assert "belongs to another run (another table)" in refused("search", "other.jkl", *options)
    assert run("search", "other.jkl", *options, "--restart").code == 0


def test_errors_are_one_line(run, refused, asia_csv):
    """Errors name the file, and what to do."""
    learn = ["learn", asia_csv, "--method", "hillclimb", "--iterations", 2]
    assert run(*learn, "--checkpoint", "run.bns", "-q").code == 0
    assert "score BIC(), not BDeu(" in refused(*learn, "--checkpoint", "run.bns", "--score", "bdeu")
    assert "is already one of the files" in refused(*learn, "--checkpoint", "run.bif", "-o", "run.bif")
    assert "is already one of the files" in refused("learn", asia_csv, "--checkpoint", "a.json", "-o", "a.json")
    assert "the folder" in refused(*learn, "--checkpoint", "none/run.bns")
    assert "is not a checkpoint of bnsearch" in refused(*learn, "--checkpoint", asia_csv.with_name("asia.csv"))
    assert "restart needs a checkpoint" in refused(*learn, "--restart")
    manifest = Path("run.bns") / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:100])
    assert "is damaged" in refused(*learn, "--checkpoint", "run.bns")


def test_the_certificate_of_an_ended_run(run, asia_csv):
    """The result is printed, and one line says that the checkpoint has no certificate."""
    learn = ["learn", asia_csv, "--seconds", 10, "--checkpoint", "run.bns", "--json"]
    assert run(*learn, "--certificate", "proof.json").code == 0
    outcome = run(*learn, "--certificate", "again.json")
    assert outcome.code == 2
    assert json.loads(outcome.out)["optimal"]
    assert "has no certificate" in outcome.err
