"""Text tables: fields separated by commas or blanks, with or without a header and a row of arities."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING

from bnsearch.data.benchpress import has_arities_row, parse_arities
from bnsearch.data.coding import (
    MISSING,
    Column,
    check_names,
    code_integers,
    code_text_or_numbers,
    index_first_labels,
    missing_value_error,
    recode_column,
    remove_mark,
)
from bnsearch.data.discretize import Cutter, cut_column, parse_number_column
from bnsearch.data.quoting import mark_quoted_states
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from bnsearch.data.new_rows import NewRows

TYPE_SAMPLE_ROWS = 100  # number of first rows from which the types of the columns are guessed


def read_text(
    data: bytes,
    *,
    blanks: bool,
    header: bool,
    arities_row: bool | None,
    cutter: Cutter | None = None,
    new_rows: NewRows | None = None,
) -> tuple[list[str], list[Column]]:
    """
    Return the names and the coded columns of a text file.

    The fields are separated by blanks if `blanks` is True, otherwise by commas. `new_rows` selects columns and permits
    missing values. The other parameters are those of `Dataset.read`.
    """
    data = _normalise_text(data, blanks)
    if not blanks:
        data = mark_quoted_states(data)
    separator = " " if blanks else ","
    if cutter is not None and arities_row is None:
        arities_row = False
    has_arities = blanks if arities_row is None else arities_row
    names, arities, sample, n_head_lines = _read_head(_iterate_records(data, separator), header, has_arities)
    frame = _parse_fields(data, separator, n_head_lines, _guess_types(sample, len(names)))
    if frame is None or any(frame.null_count().row(0)):
        _check_records(data, separator, names, header + has_arities)
        if frame is None:
            raise InputError("the text is not a valid table: check quotes and encoding")
        if new_rows is None:
            raise _make_empty_field_error(names, frame)
    declared = {} if arities is None else dict(zip(names, arities, strict=True))
    if new_rows is not None:
        names, frame = _fill_fields(names, frame, new_rows)
    columns = _code_columns(names, frame, cutter)
    if arities_row is None and not blanks and header and has_arities_row(columns):
        declared = {name: int(column.states[-1]) for name, column in zip(names, columns, strict=True)}
        columns = [Column(column.codes[1:], column.states) for column in columns]
        if new_rows is not None:
            new_rows.skip_first_row()
    if declared:
        columns = [
            recode_column(name, column, tuple(map(str, range(declared[name]))))
            for name, column in zip(names, columns, strict=True)
        ]
    return names, columns


def _normalise_text(data: bytes, blanks: bool) -> bytes:
    """Return the text without byte-order mark and blank lines at its ends, with uniform line ends and blanks."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    if blanks or data[:1] in b"\r\n" or data[-4:].count(b"\n") > 1:  # otherwise no copy is needed
        data = data.strip() if blanks else data.strip(b"\r\n")
    if blanks and any(run in data for run in (b"  ", b"\t", b"\r", b" \n", b"\n ")):
        data = b"\n".join(b" ".join(line.split()) for line in data.split(b"\n"))
    if not data:
        raise InputError("the file is empty")
    return data


def _read_head(
    records: Iterator[tuple[int, list[str]]], header: bool, has_arities: bool
) -> tuple[list[str], list[int] | None, list[list[str]], int]:
    """Return the names, the arities, the fields of the first data rows, and the number of lines before them."""
    n_head_lines, names = next(records)
    if header:
        names = [remove_mark(name) for name in names]
        _check_header(names)
    else:
        records = chain([(n_head_lines, names)], records)
        names = [str(i) for i in range(len(names))]
        n_head_lines = 0
    arities = None
    if has_arities:
        n_head_lines, fields = next(records, (n_head_lines, []))
        arities = parse_arities(names, fields)
    sample = [fields for _, fields in islice(records, TYPE_SAMPLE_ROWS)]
    if not sample:
        raise InputError("the table has no data rows")
    for mark in ";\t|":
        if len(names) == 1 and all(mark in ",".join(fields) for fields in (names, *sample)):
            raise InputError(f"the fields are separated by {mark!r}: separate them by commas")
    return names, arities, sample, n_head_lines


def _iterate_records(data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the last line and the fields of each record; slow, so used only for headers and errors."""
    reader = csv.reader(_decode_lines(data), delimiter=separator, strict=True)
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise InputError(f"line {reader.line_num}: {error}: check its quotes") from None
        if fields is None:
            return
        yield reader.line_num, fields


def _decode_lines(data: bytes) -> Iterator[str]:
    start = number = 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start) + 1 or len(data)
        try:
            yield data[start:end].decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"line {number} is not UTF-8 text: save the file as UTF-8") from None
        start = end


def _check_header(names: Sequence[str]) -> None:
    try:
        check_names(names)
    except InputError as error:
        raise InputError(f"{error}; if the first row is data, read with header=False (--no-header)") from None


def _guess_types(sample: Sequence[Sequence[str]], width: int) -> list[type[pl.UInt8 | pl.String]]:
    """Return the probable type of each column: UInt8 if the sample has only numbers below 100, otherwise String."""
    import polars as pl

    if any(len(fields) != width for fields in sample):
        return [pl.String] * width
    return [
        pl.UInt8 if all(field.isdecimal() and len(field) <= 2 for field in column) else pl.String
        for column in zip(*sample, strict=True)
    ]


def _parse_fields(
    data: bytes, separator: str, n_head_lines: int, types: Sequence[type[pl.UInt8 | pl.String]]
) -> pl.DataFrame | None:
    """
    Return the fields as a polars DataFrame, or None if polars cannot read them.

    Small integers are read twice as fast as text. If the guessed types are wrong, the text is read again as strings.
    """
    import polars as pl
    from polars.exceptions import PolarsError

    for attempt in (types, [pl.String] * len(types)):
        schema = {str(i): kind for i, kind in enumerate(attempt)}
        with suppress(PolarsError):
            return pl.read_csv(data, has_header=False, separator=separator, skip_lines=n_head_lines, schema=schema)
    return None


def _code_columns(names: Sequence[str], frame: pl.DataFrame, cutter: Cutter | None) -> list[Column]:
    import polars as pl

    if cutter is not None:
        return _cut_columns(names, frame, cutter)
    indices = iter(index_first_labels(frame.select(pl.col(pl.String))))
    return [
        code_integers(name, series.to_numpy())
        if series.dtype == pl.UInt8
        else code_text_or_numbers(name, series, next(indices))
        for name, series in zip(names, frame, strict=True)
    ]


def _cut_columns(names: Sequence[str], frame: pl.DataFrame, cutter: Cutter) -> list[Column]:
    """Return the coded columns; columns of numbers are divided into intervals by the cutter."""
    cutter.check_columns(names)
    columns = []
    for name, series in zip(names, frame, strict=True):
        cut = cut_column(name, parse_number_column(name, series), cutter)
        columns += [cut] if cut is not None else _code_columns([name], series.to_frame(), None)
    return columns


def _fill_fields(names: Sequence[str], frame: pl.DataFrame, new_rows: NewRows) -> tuple[list[str], pl.DataFrame]:
    """Return the names and fields of the columns that are needed, without missing values."""
    import polars as pl

    chosen = []
    for name, series in zip(names, frame, strict=True):
        missing = series.is_null()
        if series.dtype == pl.String:
            missing |= series.str.strip_chars().is_in(sorted(MISSING)).fill_null(True)
        rows = new_rows.choose_rows(name, missing.to_numpy())
        if rows is not None:
            chosen.append((name, series.gather(rows)))
    return [name for name, _ in chosen], pl.DataFrame([series for _, series in chosen])


def _check_records(data: bytes, separator: str, names: Sequence[str], n_head_rows: int) -> None:
    """Raise an InputError if a line is blank or has too few or too many fields."""
    for row, (line, fields) in enumerate(_iterate_records(data, separator), start=1 - n_head_rows):
        if not fields:
            raise InputError(f"row {row} (line {line}) is blank: remove it")
        if len(fields) != len(names):
            columns = f"{len(names)} column{'' if len(names) == 1 else 's'}"
            raise InputError(f"row {row} (line {line}) has {len(fields)} fields; the table has {columns}")


def _make_empty_field_error(names: Sequence[str], frame: pl.DataFrame) -> InputError:
    """Return the error for a table that has empty fields."""
    series = next(series for series in frame if series.null_count())
    row = int(series.is_null().arg_true()[0])
    return missing_value_error(names[frame.columns.index(series.name)], row, "empty")
