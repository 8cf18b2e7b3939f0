"""Writing of tables to files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bnsearch._tools.files import atomic_open, check_writable
from bnsearch.data.coding import MISSING, parse_whole_numbers
from bnsearch.data.quoting import SPELLINGS
from bnsearch.data.reading import get_table_format
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def check_table_target(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if no table can be written to the path; call this before long computations."""
    if get_table_format(path) == ".dat":
        raise InputError(f"cannot write {path}: write .csv or .parquet, optionally followed by .gz")
    check_writable(path)


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a data frame of Enum columns; the extension selects CSV or Parquet, and gzip."""
    from polars.exceptions import PolarsError

    check_table_target(path)
    is_csv = get_table_format(path) == ".csv"
    quoted = [_needs_quotes(series) for series in frame] if is_csv else []
    with atomic_open(path) as file:
        try:
            if is_csv:
                frame.write_csv(file, quote_style="always" if any(quoted) else "necessary")
            else:
                frame.write_parquet(file)
        except PolarsError as error:  # the Parquet writer wraps errors of the operating system
            raise OSError(str(error)) from None


def _needs_quotes(series: pl.Series) -> bool:
    """Return True if a label must be in quotes; raise an InputError if one would change when it is read from CSV."""
    # the alias is needed because polars treats some names as patterns
    labels = series.alias("labels").unique().cast(str).to_list()
    try:
        numbers = parse_whole_numbers(series.name, labels)
        changed = [] if numbers is None else [x for x, n in zip(labels, numbers, strict=True) if x != str(n)]
    except InputError:
        changed = labels
    changed += [label for label in labels if label.strip() in MISSING and label not in SPELLINGS]
    if changed:
        raise InputError(
            f"column {series.name!r} has the state {changed[0]!r}, which cannot be restored from CSV: "
            "write .parquet instead"
        )
    return any(label in SPELLINGS for label in labels)
