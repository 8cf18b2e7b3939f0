"""The options --workers and --dask."""

from __future__ import annotations

from multiprocessing.connection import wait

import pytest

from bnsearch.cli.run_options import start_workers
from bnsearch.distributed.workers import ProcessWorkers
from bnsearch.errors import InputError


def test_no_option_starts_no_workers():
    """Without an option, the search runs in this process."""
    with start_workers(None, None) as workers:
        assert workers is None


def test_processes_end_with_the_command():
    """Processes are started when they are needed, and have ended after the block."""
    with start_workers(1, None) as workers:
        assert isinstance(workers, ProcessWorkers)
        assert workers.submit(abs, -3).result() == 3
        (process,) = workers._pool._processes.values()
    # The pool's own thread may collect the exit status at the same time, so `is_alive` is not certain yet.
    assert wait([process.sentinel], timeout=0) == [process.sentinel]


def test_one_kind_of_workers_at_a_time():
    """Both options together are an error."""
    with pytest.raises(InputError, match="--workers and --dask are both given: choose one of them"):
        start_workers(2, "local:2")
