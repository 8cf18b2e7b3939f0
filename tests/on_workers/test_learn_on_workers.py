"""`learn` with an executor: the same result for all kinds and numbers of workers, also if workers are lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import bnsearch
from bnsearch.distributed import selection as worker_selection
from bnsearch.distributed import task_queue
from bnsearch.distributed.workers import ProcessWorkers, Workers
from bnsearch.errors import InputError
from bnsearch.learning import distributing
from worker_cases import learn_steps, make_table, outcome_of


def start_pool(number):
    """Return a pool of new processes."""
    return ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn"))


@pytest.fixture(scope="module")
def two_processes():
    """Return a pool of two processes, which several tests use: each process loads its kernels once."""
    with start_pool(2) as pool:
        yield pool


class Killer:
    """
    An observer that kills one worker process when the search has found a network, and waits until the pool knows it.

    Parameters
    ----------
    get_pool : function that returns the pool of worker processes
    """

    def __init__(self, get_pool):
        self.get_pool = get_pool
        self.killed = None

    def __call__(self, event):
        """Kill a process as soon as the pool has started one."""
        pool = self.get_pool()
        if self.killed is None and event.progress is not None and pool is not None and pool._processes:
            self.killed = next(iter(pool._processes))
            os.kill(self.killed, signal.SIGKILL)
            deadline = time.monotonic() + 30.0
            while not pool._broken and time.monotonic() < deadline:
                time.sleep(0.01)


def test_threads_give_the_same_result(table, expected):
    """Three threads, and more islands than workers."""
    with ThreadPoolExecutor(3) as executor:
        assert outcome_of(learn_steps(table, executor)) == expected


def test_processes_give_the_same_result(table, expected, two_processes):
    """One process, then two; a pool of the user stays open."""
    with start_pool(1) as pool:
        assert outcome_of(learn_steps(table, pool)) == expected
    assert outcome_of(learn_steps(table, two_processes)) == expected
    assert two_processes.submit(int, "7").result() == 7


def test_a_killed_worker_changes_nothing(table, expected):
    """Processes that the library has started are replaced, and the lost rounds are repeated."""
    with ProcessWorkers(2) as workers:
        killer = Killer(lambda: workers._pool)
        result = learn_steps(table, workers, observers=[killer])
        assert killer.killed is not None
    assert outcome_of(result) == expected
    assert "its work was repeated" in result.notes[-1]


def test_a_killed_worker_of_the_user_changes_nothing(table, expected):
    """A pool that has lost a process accepts no more tasks: this process continues."""
    with start_pool(2) as pool:
        result = learn_steps(table, pool, observers=[Killer(lambda: pool)])
    assert outcome_of(result) == expected
    assert "continued in this process" in result.notes[-1]


def test_the_default_method_uses_workers(monkeypatch, two_processes):
    """Selection and islands run on two processes as on a thread; the bound is above the score."""
    monkeypatch.setattr(distributing, "EVALUATIONS", 100_000)
    monkeypatch.setattr(worker_selection, "MIN_SETS", 1000)
    data = make_table(28)
    with ThreadPoolExecutor(1) as executor:
        first = learn_steps(data, executor, method="auto", iterations=4000)
    second = learn_steps(data, two_processes, method="auto", iterations=4000)
    assert outcome_of(first) == outcome_of(second)
    assert first.bound is None or first.bound >= first.score
    assert any("islands on 2 workers" in note for note in second.notes)


def test_candidate_tables_are_selected_on_workers(monkeypatch, table):
    """A method that searches over a candidate table has the same result as without workers."""
    monkeypatch.setattr(worker_selection, "MIN_SETS", 10)
    arguments = {"method": "rinobs", "seconds": None, "stop": bnsearch.Iterations(500), "seed": 1}
    with ThreadPoolExecutor(2) as executor:
        found = bnsearch.learn(table, executor=executor, **arguments)
    assert found.score == bnsearch.learn(table, **arguments).score


@pytest.mark.parametrize(("method", "size"), [("ginobs", 10), ("auto", 28), ("rinobs", 10)])
def test_knowledge_reaches_the_workers(method, size, monkeypatch):
    """No network has a forbidden edge or lacks a required one, whatever runs on the workers."""
    monkeypatch.setattr(distributing, "EVALUATIONS", 20_000)
    monkeypatch.setattr(worker_selection, "MIN_SETS", 100)
    known = bnsearch.Knowledge(required=(("0", "1"),), forbidden=(("2", "3"), ("3", "2")), max_parents=2)
    arguments = {"knowledge": known, "seconds": None, "stop": bnsearch.Iterations(800), "seed": 1}
    with ThreadPoolExecutor(2) as executor:
        result = bnsearch.learn(make_table(size), method=method, executor=executor, **arguments)
    edges = result.dag.edges
    assert ("0", "1") in edges and ("2", "3") not in edges and ("3", "2") not in edges
    assert max(len(parents) for parents in result.dag.parents) <= 2


def test_a_time_budget_is_respected(table):
    """The islands search until shortly before the deadline, and their networks are in the result."""
    with ThreadPoolExecutor(2) as executor:
        result = bnsearch.learn(table, method="ginobs", seconds=2, seed=1, executor=executor)
    assert result.stop == "seconds"
    assert result.seconds < 3
    assert result.iterations > 0


def test_runs_with_the_same_seed_share_no_islands():
    """Workers keep islands between the rounds of one run; the next run has another table, with more variables."""
    with ThreadPoolExecutor(1) as executor:
        for size in (8, 12):
            result = bnsearch.learn(make_table(size), method="ginobs", seconds=1, seed=1, executor=executor)
            assert len(result.dag.parents) == size


def test_an_interrupt_returns_the_best_network(table):
    """A stop request ends the run at once with its incumbent."""

    def stop(event):
        if event.progress is not None and event.progress.iterations > 0:
            os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor(1) as executor:
        started = time.monotonic()
        result = bnsearch.learn(table, method="ginobs", seconds=60, seed=1, executor=executor, observers=[stop])
    assert result.stop == "interrupted"
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    ("method", "reason"), [("auto", "few enough for this process"), ("tabu", "the method tabu runs in one process")]
)
def test_a_note_says_that_an_executor_was_not_used(table, method, reason):
    """Small problems and other methods run in this process."""
    with ThreadPoolExecutor(1) as executor:
        result = bnsearch.learn(table, method=method, seconds=2, executor=executor)
    assert any(reason in note for note in result.notes)


def test_workers_that_are_always_lost_end_the_run(table, monkeypatch):
    """The network of the required edges is returned, and a note says what happened."""

    class Lossy(ThreadPoolExecutor):
        def submit(self, function, call):
            """Lose every call."""
            future = Future()
            future.set_exception(RuntimeError("killed"))
            return future

    monkeypatch.setattr(task_queue, "POLL_SECONDS", 0.0)
    result = learn_steps(table, Lossy(1))
    assert result.stop == "workers"
    assert result.dag.edges == []
    assert "lost 6 times on its worker (RuntimeError: killed): the result is the best network" in result.notes[-1]


def test_runs_without_an_executor_import_nothing_new():
    """The default method loads no module of this package, no checkpoints, no process pools and no clusters."""
    code = """
import sys, bnsearch
data = bnsearch.load_network("greenhouse").sample(50, 1)
bnsearch.learn(data, seconds=None, stop=bnsearch.Iterations(50), seed=1)
packages = "bnsearch.distributed", "bnsearch.checkpoints", "distributed", "dask", "mpi4py", "ray", "loky"
pools = "multiprocessing.pool", "concurrent.futures.process"
print([name for name in sys.modules if name in pools or any((name + ".").startswith(p + ".") for p in packages)])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_executors_are_checked(table):
    """The errors say what is wrong, and what to do."""

    class Unknown:
        def submit(self):
            """Do nothing."""

    with pytest.raises(InputError, match=r"executor must be a concurrent.futures.Executor"):
        bnsearch.learn(table, executor=4)
    with pytest.raises(InputError, match=r"Unknown does not tell its number of workers: pass Workers\(executor, num"):
        bnsearch.learn(table, executor=Unknown())
    with pytest.raises(InputError, match="islands must be at least 1"):
        Workers(ThreadPoolExecutor(1), islands=0)
    with pytest.raises(InputError, match="workers must be at least 1"):
        ProcessWorkers(0)
