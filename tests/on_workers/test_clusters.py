"""Workers of Dask, MPI, Ray and loky; those of Dask and MPI are started by their commands on the loopback address."""

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

from bnsearch.distributed.ray_executor import RayExecutor
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
# Open MPI refuses to start as root, and to start more processes than there are cores, unless options allow it.
MPI_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def find_mpiexec():
    """Return the command that starts MPI programs; skip the test if there is none."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    beside = Path(sys.executable).with_name("mpiexec")  # an MPI that was installed with pip
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.skip("no MPI is installed: there is no mpiexec")
    return found


def test_mpi_gives_the_same_result(expected, tmp_path):
    """Two MPI workers and a driver, started by mpiexec."""
    command = [find_mpiexec(), "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    program = tmp_path / "program.py"
    program.write_text(MPI_PROGRAM, encoding="utf-8")
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, **MPI_SETTINGS, "PYTHONPATH": path}
    done = subprocess.run([*command, str(program)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == expected[0]
    assert expected[2] == ITERATIONS


@pytest.fixture(scope="module")
def ray_cluster():
    """Start Ray with two CPUs on this machine."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {"env_vars": {"PYTHONPATH": path}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield ray
    ray.shutdown()


def test_ray_gives_the_same_result(ray_cluster, table, expected):
    """Two processes of Ray; then one of them is killed during a run."""
    with RayExecutor() as executor:
        assert outcome_of(learn_steps(table, executor)) == expected
        process = executor.submit(os.getpid).result()

        def kill(event):
            if is_alive(process) and event.progress is not None and event.progress.iterations > 0:
                os.kill(process, signal.SIGKILL)

        assert outcome_of(learn_steps(table, executor, observers=[kill])) == expected
    assert not is_alive(process)
    with pytest.raises(RuntimeError, match="closed"):
        executor.submit(int)


def is_alive(process):
    """Return True if a process exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_ray_tasks(ray_cluster):
    """Values, errors and cancelled tasks are those of the futures of any executor."""
    executor = RayExecutor(1)
    assert list(executor.map(pow, [2, 3], [5, 2])) == [32, 9]
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result()
    futures = [executor.submit(time.sleep, 0.5) for _ in range(8)]
    assert futures[-1].cancel()
    assert futures[-1].cancelled()
    with pytest.raises(InputError, match="number must be at least 1"):
        RayExecutor(0)


def test_loky_gives_the_same_result(table, expected):
    """Two processes of loky."""
    loky = pytest.importorskip("loky", reason="loky is not installed")
    executor = loky.ProcessPoolExecutor(2)
    try:
        assert outcome_of(learn_steps(table, executor)) == expected
    finally:
        executor.shutdown(kill_workers=True)
