"""Tables written to files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bnsearch._tools.files import atomic_open, check_writable
from bnsearch.data.coding import MISSING, parse_whole_numbers
from bnsearch.data.reading import get_table_format
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def check_table_target(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no table can be written to; to be asked before the work that makes the table."""
    if get_table_format(path) == ".dat":
        raise InputError(f"cannot write {path}: tables are written as .csv or .parquet, or these with .gz")
    check_writable(path)


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a frame of Enum columns as CSV or Parquet, gzipped or not, by the extension."""
    from polars.exceptions import PolarsError

    check_table_target(path)
    is_csv = get_table_format(path) == ".csv"
    if is_csv:
        for series in frame:
            _check_labels(series)
    with atomic_open(path) as file:
        try:
            (frame.write_csv if is_csv else frame.write_parquet)(file)
        except PolarsError as error:  # Parquet's writer wraps what the system says
            raise OSError(str(error)) from None


def _check_labels(series: pl.Series) -> None:
    """Refuse labels that would read back from CSV as something else."""
    # under another name, as polars takes some names for patterns
    labels = series.alias("labels").unique().cast(str).to_list()
    try:
        numbers = parse_whole_numbers(series.name, labels)
        changed = [] if numbers is None else [x for x, n in zip(labels, numbers, strict=True) if x != str(n)]
    except InputError:
        changed = labels
    changed += [label for label in labels if label.strip() in MISSING]
    if changed:
        raise InputError(
            f"column {series.name!r} has the state {changed[0]!r}, which CSV would not give back as it is: "
            "write .parquet instead"
        )
