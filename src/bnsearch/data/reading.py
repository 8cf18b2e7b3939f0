"""Reading of tables from files; the extension determines the format."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bnsearch._tools.files import is_gzipped, read_bytes
from bnsearch.data.coding import Column
from bnsearch.data.discretize import Cutter
from bnsearch.data.parquet import read_parquet
from bnsearch.data.text import read_text
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data.new_rows import NewRows

FORMATS = (".csv", ".dat", ".parquet")


def get_table_format(path: str | os.PathLike[str]) -> str:
    """Return the extension of a table's file, without .gz."""
    stem = Path(path).name.lower().removesuffix(".gz")
    for extension in FORMATS:
        if stem.endswith(extension):
            return extension
    raise InputError(f"{path}: the name of a table must end with {', '.join(FORMATS)}, optionally followed by .gz")


def read_table(
    path: str | os.PathLike[str],
    *,
    header: bool,
    arities_row: bool | None,
    cutter: Cutter | None,
    new_rows: NewRows | None = None,
) -> tuple[list[str], list[Column]]:
    """
    Return the names and the coded columns of a file; error messages start with the path.

    `new_rows` selects columns and permits missing values.
    """
    kind = get_table_format(path)
    if kind == ".parquet":
        source = Path(path) if not is_gzipped(path) else io.BytesIO(read_bytes(path))
    else:
        data = read_bytes(path)
    try:
        if kind == ".parquet":
            if arities_row:
                raise InputError("a Parquet file has no row of arities")
            return read_parquet(source, cutter, new_rows)
        return read_text(
            data, blanks=kind == ".dat", header=header, arities_row=arities_row, cutter=cutter, new_rows=new_rows
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
