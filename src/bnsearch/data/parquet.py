"""Reading of Parquet files, a block of columns at a time."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bnsearch.data.coding import Column, check_names
from bnsearch.data.discretize import Cutter
from bnsearch.data.frames import check_size, code_frame, code_polars_frame
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data.new_rows import NewRows

MAX_CELLS = 1 << 24  # number of cells that are decoded at a time: 256 MiB of text

T = TypeVar("T")


def read_parquet(
    source: Path | io.BytesIO, cutter: Cutter | None, new_rows: NewRows | None = None
) -> tuple[list[str], list[Column]]:
    """
    Return the names and the coded columns of a Parquet file; `new_rows` selects columns and permits missing values.

    Columns are decoded and coded in blocks. Decoded text takes sixteen times as much memory as its codes, so decoding
    the whole file would need many times the memory of the table.
    """
    import polars as pl

    if new_rows is not None:  # at most as many columns as a network has variables
        return code_frame(_call_polars(lambda: pl.read_parquet(_rewind(source))), cutter, new_rows)
    names, rows = _call_polars(lambda: _read_size(source))
    check_size(rows, len(names))
    check_names(names)
    if cutter is not None:
        cutter.check_columns(names)
    width = max(1, MAX_CELLS // rows)
    columns: list[Column] = []
    for first in range(0, len(names), width):
        # By index: polars treats some names, such as "^a$", as patterns.
        block = range(first, min(first + width, len(names)))
        frame = _call_polars(partial(pl.read_parquet, _rewind(source), columns=list(block)))
        columns += code_polars_frame(names[first : first + width], frame, cutter)
    return names, columns


def _read_size(source: Path | io.BytesIO) -> tuple[list[str], int]:
    """Return the names of the columns and the number of rows."""
    import polars as pl

    names = list(pl.read_parquet_schema(_rewind(source)))
    return names, int(pl.scan_parquet(_rewind(source)).select(pl.len()).collect().item())


def _rewind(source: Path | io.BytesIO) -> Path | io.BytesIO:
    """Return the source, read from its beginning."""
    if isinstance(source, io.BytesIO):
        source.seek(0)
    return source


def _call_polars(function: Callable[[], T]) -> T:
    """Return the result of a function; an error of polars becomes an InputError."""
    from polars.exceptions import PanicException, PolarsError

    try:
        return function()
    except (PolarsError, PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"not a readable Parquet file: {reason}") from None
