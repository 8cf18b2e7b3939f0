"""Workers of Dask and MPI, started by their commands on the loopback address."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bnsearch.distributed.workers import DaskWorkers
from bnsearch.errors import InputError
from worker_cases import ITERATIONS, learn_steps, outcome_of

START_SECONDS = 60.0


@contextmanager
def running(*arguments):
    """Run a Python module as a command until the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Start a Dask scheduler and two worker processes; return the address and the processes of the workers."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    common = "--scheduler-file", str(file)
    with ExitStack() as stack:
        stack.enter_context(
            running("dask", "scheduler", *common, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        )
        worker = "dask", "worker", *common, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"
        workers = [stack.enter_context(running(*worker)) for _ in range(2)]
        deadline = time.monotonic() + START_SECONDS
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(file), set_as_default=False) as client:
            client.wait_for_workers(2, timeout=START_SECONDS)
            address = client.scheduler.address
        yield address, workers


def test_dask_gives_the_same_result(cluster, table, expected):
    """The executor of a client, and the option --dask, on two workers; then one worker is killed during a run."""
    import distributed

    address, processes = cluster
    with distributed.Client(address, set_as_default=False) as client:
        assert outcome_of(learn_steps(table, client.get_executor())) == expected

    def kill(event):
        if processes[0].poll() is None and event.progress is not None and event.progress.iterations > 0:
            os.kill(processes[0].pid, signal.SIGKILL)

    with DaskWorkers(address) as workers:
        assert workers.number == 2
        assert outcome_of(learn_steps(table, workers, observers=[kill])) == expected
    assert processes[0].wait(10) == -signal.SIGKILL


def test_dask_addresses_are_checked(monkeypatch):
    """A wrong address gives one line."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr("bnsearch.distributed.workers.CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match=r"there is no Dask scheduler at 'tcp://127.0.0.1:9'"):
        DaskWorkers("tcp://127.0.0.1:9")
    with pytest.raises(InputError, match="such as local:4, not 'local:many'"):
        DaskWorkers("local:many")


MPI_PROGRAM = """
from mpi4py.futures import MPIPoolExecutor
from worker_cases import learn_steps, make_table
if __name__ == "__main__":
    with MPIPoolExecutor(2) as executor:
        print(repr(learn_steps(make_table(10), executor).score))
"""


def test_mpi_gives_the_same_result(expected, tmp_path):
    """Two MPI workers and a driver, started by mpiexec."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    if shutil.which("mpiexec") is None:
        pytest.skip("no MPI is installed: there is no mpiexec")
    program = tmp_path / "program.py"
    program.write_text(MPI_PROGRAM, encoding="utf-8")
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(program)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert float(done.stdout) == expected[0]
    assert expected[2] == ITERATIONS
