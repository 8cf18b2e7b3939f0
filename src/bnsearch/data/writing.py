"""Tables written to files."""

from __future__ import annotations

import gzip
import io
import os
from typing import TYPE_CHECKING

from bnsearch.data.coding import MISSING, whole_numbers
from bnsearch.data.reading import table_format
from bnsearch.errors import InputError
from bnsearch.files import atomic_write

if TYPE_CHECKING:
    import polars as pl


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a frame of Enum columns as CSV or Parquet, gzipped or not, by the extension."""
    kind, gzipped = table_format(path)
    if kind == ".dat":
        raise InputError(f"cannot write {path}: tables are written as .csv or .parquet, or these with .gz")
    if kind == ".csv":
        for series in frame:
            _check_labels(series)
    buffer = io.BytesIO()
    save = frame.write_csv if kind == ".csv" else frame.write_parquet
    save(buffer)
    # without a time in the gzip header the same table gives the same file
    data = gzip.compress(buffer.getvalue(), mtime=0) if gzipped else buffer.getvalue()
    with atomic_write(path) as temporary:
        temporary.write_bytes(data)


def _check_labels(series: pl.Series) -> None:
    """Refuse labels that would read back from CSV as something else."""
    # under another name, as polars takes some names for patterns
    labels = series.alias("labels").unique().cast(str).to_list()
    try:
        numbers = whole_numbers(series.name, labels)
        changed = [] if numbers is None else [x for x, n in zip(labels, numbers, strict=True) if x != str(n)]
    except InputError:
        changed = labels
    changed += [label for label in labels if label.strip() in MISSING]
    if changed:
        raise InputError(
            f"column {series.name!r} has the state {changed[0]!r}, which CSV would not give back as it is: "
            "write .parquet instead"
        )
