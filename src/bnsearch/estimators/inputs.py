"""Conversion of scikit-learn's parameters and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import thread_count
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def draw_seed(random_state: int | np.integer[Any] | np.random.RandomState | None) -> int | None:
    """Return the seed of scikit-learn's parameter `random_state`."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return None if random_state is None else int(random_state)


def count_threads(n_jobs: int | None) -> int | None:
    """Return the number of threads of scikit-learn's parameter `n_jobs`; None means all cores."""
    if n_jobs is None or n_jobs > 0:
        return n_jobs
    if n_jobs == 0:
        raise InputError("n_jobs must not be 0: None and -1 mean all cores")
    return max(1, thread_count(None) + 1 + n_jobs)


def frame_of(array: NDArray[Any]) -> pl.DataFrame:
    """Return a frame with the columns x0, x1, ... of an array; objects become numbers, booleans or text."""
    import polars as pl

    return pl.DataFrame([_series(f"x{i}", column) for i, column in enumerate(array.T)])


def _series(name: str, column: NDArray[Any]) -> pl.Series:
    import polars as pl
    from polars.exceptions import PolarsError

    if column.dtype.kind not in "OUS":
        return pl.Series(name, np.ascontiguousarray(column))
    try:
        return pl.Series(name, column.tolist(), strict=True)
    except (TypeError, PolarsError):
        raise InputError(
            f"column {name!r} holds values of several types: convert all of them to numbers or to text"
        ) from None
