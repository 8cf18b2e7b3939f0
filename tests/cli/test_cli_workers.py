"""The options --workers and --dask."""

from __future__ import annotations

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
        processes = list(workers._pool._processes.values())
    assert processes and not any(process.is_alive() for process in processes)


def test_one_kind_of_workers_at_a_time():
    """Both options together are an error."""
    with pytest.raises(InputError, match="--workers and --dask are both given: choose one of them"):
        start_workers(2, "local:2")
