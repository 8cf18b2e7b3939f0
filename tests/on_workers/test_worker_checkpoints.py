"""Checkpoints of runs with an executor: they continue with any number and kind of workers, or without any."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import bnsearch
from bnsearch.checkpoints.container import Container
from bnsearch.distributed import selection as worker_selection
from bnsearch.distributed import task_queue
from bnsearch.distributed.networks import describe_network
from bnsearch.distributed.rounds_state import ROUNDS, RoundsState, decode_rounds, encode_rounds
from bnsearch.learning import distributing
from bnsearch.runs import run
from worker_cases import learn_steps, make_table


@pytest.fixture
def path(tmp_path):
    """Return the path of a checkpoint."""
    return tmp_path / "run.bns"


def interrupt_after(iterations):
    """Return an observer that sends Ctrl-C when the islands have made a number of iterations."""
    left = [1]

    def observe(event):
        if left[0] and event.progress is not None and event.progress.iterations >= iterations:
            left[0] = 0
            signal.raise_signal(signal.SIGINT)

    return observe


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_that_continues_has_the_result_of_one_run(table, expected, path, workers, monkeypatch):
    """Under a budget of iterations, the rounds after the interrupted one are the same, with any number of workers."""
    monkeypatch.setattr(run, "SECONDS_BETWEEN_EVENTS", 0.0)  # a fast machine would end the first run before an event
    with ThreadPoolExecutor(2) as executor:
        first = learn_steps(table, executor, observers=[interrupt_after(1000)], checkpoint=path)
    assert first.stop == "interrupted"
    assert 1000 <= first.iterations < expected[2]
    saved = decode_rounds(Container(path).read()[ROUNDS])
    assert len(saved.networks) == 8
    with ThreadPoolExecutor(workers) as executor:
        second = learn_steps(table, executor, checkpoint=path)
    assert (second.score, second.iterations, second.stop) == (expected[0], expected[2], expected[4])


def test_a_run_continues_without_workers(table, path, monkeypatch):
    """The islands of this process begin with the networks of those on workers, and the other way round."""
    monkeypatch.setattr(run, "SECONDS_BETWEEN_EVENTS", 0.0)  # a fast machine would end the second run before an event
    options = {"iterations": 100_000, "checkpoint": path}
    with ThreadPoolExecutor(2) as executor:
        first = learn_steps(table, executor, observers=[interrupt_after(1000)], **options)
        second = learn_steps(table, None, observers=[interrupt_after(first.iterations + 1)], **options)
        third = learn_steps(table, executor, **options)
    assert (first.stop, second.stop, third.stop) == ("interrupted", "interrupted", "iterations")
    assert first.score <= second.score <= third.score


def test_the_selection_is_not_repeated(path, monkeypatch):
    """The default method continues with the candidate table, the islands and the bound."""
    monkeypatch.setattr(distributing, "EVALUATIONS", 100_000)
    monkeypatch.setattr(worker_selection, "MIN_SETS", 1000)
    data, arguments = make_table(28), {"method": "auto", "iterations": 16_000, "checkpoint": path}
    with ThreadPoolExecutor(2) as executor:
        first = learn_steps(data, executor, observers=[interrupt_after(1)], **arguments)
        assert first.stop == "interrupted"
        monkeypatch.setattr(distributing, "select_on_workers", None)
        second = learn_steps(data, executor, **arguments)
    assert second.stop == "iterations"
    assert second.score >= first.score
    assert second.bound is None or second.bound >= second.score


def test_a_time_budget_continues(table, path):
    """The first islands of the second run begin with the last networks of the first one."""
    with ThreadPoolExecutor(2) as executor:
        first = bnsearch.learn(table, method="ginobs", seconds=1, seed=1, executor=executor, checkpoint=path)
        second = bnsearch.learn(table, method="ginobs", seconds=2, seed=1, executor=executor, checkpoint=path)
    assert (first.stop, second.stop) == ("seconds", "seconds")
    assert second.score >= first.score
    assert second.iterations > first.iterations
    assert 1 <= len(decode_rounds(Container(path).read()[ROUNDS]).networks) <= 2


def test_lost_workers_do_not_end_a_saved_run(table, path, expected, monkeypatch):
    """A run whose workers were always lost continues with the same call."""

    class Lossy(ThreadPoolExecutor):
        def submit(self, function, call):
            """Lose every call."""
            future = Future()
            future.set_exception(RuntimeError("killed"))
            return future

    monkeypatch.setattr(task_queue, "POLL_SECONDS", 0.0)
    assert learn_steps(table, Lossy(1), checkpoint=path).stop == "workers"
    with ThreadPoolExecutor(1) as executor:
        assert learn_steps(table, executor, checkpoint=path).score == expected[0]


def test_rounds_are_the_same_after_saving():
    """Networks with different numbers of parents; there is no part before the first round."""
    networks = tuple(
        describe_network(parents, np.arange(3.0)) for parents in ([[1, 2], [], [1]], [[], [], []], [[], [0], [0, 1]])
    )
    found = decode_rounds(encode_rounds(RoundsState(networks, 96.5, 4, 32)))
    assert [network.parents for network in found.networks] == [network.parents for network in networks]
    assert (found.length, found.n_rounds, found.n_tasks) == (96.5, 4, 32)
    assert encode_rounds(RoundsState()) is None


DRIVER = """
import sys
import bnsearch.checkpoints.costs as costs
costs.SECONDS_BETWEEN_WRITES, costs.MAX_SHARE, costs.MAX_PART_SHARE = 0.2, 1.0, 1.0
from bnsearch.cli.main import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


def list_children(process):
    """Return the numbers of the processes that a process has started."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
    return [int(number) for number in text.split()]


def is_running(process):
    """Return True if a process exists and has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_for(condition, seconds=120.0):
    """Wait until a condition holds; fail after some seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def has_rounds(path):
    """Return True if a checkpoint has a network and the rounds of islands."""
    try:
        parts = Container(path).read()
    except (OSError, ValueError):  # an InputError is a ValueError; the files may be replaced meanwhile
        return False
    return ROUNDS in parts and np.isfinite(float(parts["run"].facts["score"]))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not list processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_driver_that_is_ended_keeps_its_network(tmp_path, path, number):
    """`learn --workers 2 --checkpoint` gets a signal; its workers end, too, and the same run continues."""
    program = tmp_path / "driver.py"
    program.write_text(DRIVER, encoding="utf-8")
    make_table(28).write(tmp_path / "table.csv")
    command = [sys.executable, str(program), "learn", str(tmp_path / "table.csv"), "--seed", "1", "--workers", "2"]
    command += ["--method", "ginobs", "--checkpoint", str(path), "--quiet", "--seconds", "600"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: has_rounds(path))
        children = list_children(process.pid)
        process.send_signal(number)
        process.wait(60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 128 + signal.SIGTERM)
    wait_for(lambda: not any(is_running(child) for child in children), 20.0)
    facts = Container(path).read()["run"].facts
    options = {"method": "ginobs", "seed": 1, "checkpoint": path, "seconds": float(facts["seconds"]) + 1.0}
    with ThreadPoolExecutor(2) as executor:
        continued = bnsearch.learn(tmp_path / "table.csv", executor=executor, **options)
    assert continued.score >= float(facts["score"])
    assert any(note.startswith("continued from the checkpoint") for note in continued.notes)
