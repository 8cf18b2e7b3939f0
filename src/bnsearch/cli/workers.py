"""Workers that a command starts or connects to."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.distributed.workers import Workers


def start_workers(number: int | None, dask: str | None) -> AbstractContextManager[Workers | None]:
    """Return the workers of the options --workers and --dask, as a context that ends them; None if none is given."""
    if number is not None and dask is not None:
        raise InputError("--workers and --dask are both given: choose one of them")
    if number is None and dask is None:
        return nullcontext()
    from bnsearch.distributed.workers import DaskWorkers, ProcessWorkers

    return ProcessWorkers(number) if number is not None else DaskWorkers(str(dask))
