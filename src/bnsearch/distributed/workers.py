"""The workers of a run: an executor of the user, local processes, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from bnsearch._tools.extras import import_optional
from bnsearch.errors import InputError, require

DEFAULT_ISLANDS = 8  # islands under a budget of iterations, whatever the number of workers
MAX_WORKERS = 100_000  # larger numbers are probably typing errors
CONNECT_SECONDS = 10.0  # time to wait for a Dask scheduler
LOCAL_CLUSTER = "local:"


class Workers:
    """
    Workers that `learn` uses through an executor.

    Parameters
    ----------
    executor : Executor
        A `concurrent.futures.Executor`, such as `ProcessPoolExecutor`, `mpi4py.futures.MPIPoolExecutor` or the
        `get_executor()` of a Dask client. It stays open.
    number : int, optional
        Number of tasks that the executor runs at a time. None asks the executor.
    islands : int, default 8
        Number of islands under a budget of iterations. The result depends on it, but not on the number of workers.
        Under a time budget, there is one island for each worker.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> with ThreadPoolExecutor(2) as executor:
    ...     workers = bnsearch.Workers(executor, islands=4)
    ...     result = bnsearch.learn(data, method="ginobs", seconds=None, stop=bnsearch.Iterations(50), executor=workers)
    >>> round(result.score, 3)
    -454.28
    """

    def __init__(self, executor: Executor, *, number: int | None = None, islands: int = DEFAULT_ISLANDS) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise InputError(
                f"executor must be a concurrent.futures.Executor, such as ProcessPoolExecutor(4), not {executor!r}"
            )
        require("islands", islands, at_least=1, whole=True)
        self.number = count_workers(executor) if number is None else number
        require("number", self.number, at_least=1, at_most=MAX_WORKERS, whole=True)
        self.islands = islands
        self._executor = executor
        self._reserve: ThreadPoolExecutor | None = None  # replaces an executor that does not accept tasks any more

    def submit(self, function: Callable[[Any], Any], argument: Any) -> Future[Any]:
        """Submit a call to the executor."""
        return (self._reserve or self._executor).submit(function, argument)

    def replace_executor(self) -> str:
        """Replace an executor that does not accept tasks any more; return a note for the user."""
        if self._reserve is None:
            self._reserve = ThreadPoolExecutor(1)
            self.number = 1
        return "the executor has lost a worker and accepts no tasks any more: its work was continued in this process"

    def end_replacement(self) -> None:
        """End the thread that replaces an executor; this is called at the end of each run."""
        if self._reserve is not None:
            self._reserve.shutdown(wait=False, cancel_futures=True)
            self._reserve = None

    def close(self) -> None:
        """End what was started for the workers; the executor of the user stays open."""
        self.end_replacement()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ProcessWorkers(Workers):
    """
    Local processes, which are started for the workers and end with them.

    Parameters
    ----------
    number : int
        Number of processes.
    islands : int, default 8
        As in `Workers`.
    """

    def __init__(self, number: int, *, islands: int = DEFAULT_ISLANDS) -> None:
        require("workers", number, at_least=1, at_most=1024, whole=True)
        self._pool = self._start(number)
        super().__init__(self._pool, number=number, islands=islands)

    @staticmethod
    def _start(number: int) -> ProcessPoolExecutor:
        # A forked process would inherit locks of the threads of this one.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(number, mp_context=context, initializer=prepare_process)

    def replace_executor(self) -> str:
        """Start new processes after one has ended unexpectedly; return a note for the user."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._executor = self._pool = self._start(self.number)
        return "a worker process has ended unexpectedly: its work was repeated"

    def close(self) -> None:
        """End the processes, also while they work."""
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


class DaskWorkers(Workers):
    """
    The workers of a Dask cluster.

    Parameters
    ----------
    address : str
        Address of a scheduler, such as "tcp://host:8786", or "local:N" for N processes on this machine.
    islands : int, default 8
        As in `Workers`.
    """

    def __init__(self, address: str, *, islands: int = DEFAULT_ISLANDS) -> None:
        distributed = import_optional("distributed", "dask")
        self._cluster = None
        target: Any = address
        if address.startswith(LOCAL_CLUSTER):
            count = parse_count(address)
            self._cluster = target = distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address=None
            )
        try:
            self._client = distributed.Client(target, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:  # OSError includes a timeout
            self._close_cluster()
            raise InputError(f"there is no Dask scheduler at {address!r} ({error}): check the address") from None
        number = sum(self._client.nthreads().values())
        if not number:
            self.close()
            raise InputError(f"the Dask scheduler at {address!r} has no workers: start some with `dask worker ADDRESS`")
        super().__init__(self._client.get_executor(), number=number, islands=islands)

    def close(self) -> None:
        """Close the connection, and end a local cluster."""
        self._client.close()
        self._close_cluster()

    def _close_cluster(self) -> None:
        if self._cluster is not None:
            self._cluster.close()


def parse_count(address: str) -> int:
    """Return the number N of the address "local:N"."""
    text = address.removeprefix(LOCAL_CLUSTER)
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"a local Dask cluster is given as local:N with N workers, such as local:4, not {address!r}")
    return int(text)


def count_workers(executor: Executor) -> int:
    """Return the number of tasks that an executor runs at a time."""
    for name in ("_max_workers", "num_workers"):  # the standard library and loky; mpi4py
        number = getattr(executor, name, None)
        if isinstance(number, int) and number > 0:
            return number
    client = getattr(executor, "_client", None)  # Dask
    if client is not None:
        return max(1, int(sum(client.nthreads().values())))
    raise InputError(
        f"the executor {type(executor).__name__} does not tell its number of workers: pass "
        "Workers(executor, number=N) instead"
    )


def as_workers(executor: Executor | Workers) -> Workers:
    """Return the workers of an executor."""
    return executor if isinstance(executor, Workers) else Workers(executor)


def prepare_process() -> None:
    """
    Let Ctrl-C reach only the process that has started this one; that process then ends this one.

    If that process is killed, this one ends, too.
    """
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=end_with_parent, daemon=True, name="bnsearch parent").start()


def end_with_parent() -> None:
    """Wait until the process that has started this one ends, then end this process at once."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
