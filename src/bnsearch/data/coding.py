"""Coding of one column: its values become small integers with labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.wording import listed, shown
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MAX_ARITY = 65_535
UNKNOWN = MAX_ARITY  # larger than any code
LABEL_SAMPLE_ROWS = 1_000  # number of first rows, which usually contain every state of a column
MAX_LOOKUP_RANGE = 1 << 20  # range of integers up to which a lookup table is used instead of sorting

# Spellings of a missing value in text. "None" is not included because it is a state of well-known networks.
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"})
QUOTED = "\ue000"  # mark of a label that was in quotes in its file, and is therefore a state (see `quoting.py`)

_NUMBER = re.compile(r"\s*[+-]?(\d{1,300}(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*([+-]?\d+)(\.0*)?\s*", re.ASCII)


class Column(NamedTuple):
    """A coded column: the code of each row, and the label of each code."""

    codes: NDArray[Any]
    states: tuple[str, ...]


class TextIndex(NamedTuple):
    """The distinct labels of a column of text, and the index of each row's label (uint16) or UNKNOWN."""

    labels: list[str]
    codes: NDArray[np.uint16]


def choose_code_type(arity: int) -> type[np.uint8 | np.uint16]:
    """Return the smallest integer type for the codes of `arity` states."""
    return np.uint8 if arity <= 256 else np.uint16


def check_names(names: Sequence[str]) -> None:
    """Raise an InputError if there are no columns, a name is empty, or two names are equal."""
    if not names:
        raise InputError("the table has no columns")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name:
            raise InputError(f"column {i + 1} has no name: name it or drop it")
        if name in seen:
            raise InputError(f"two columns are named {name!r}: rename one")
        seen.add(name)


def code_integers(name: str, values: NDArray[Any]) -> Column:
    """Return the coded column; the states are the distinct integers in numeric order."""
    low, high = int(values.min()), int(values.max())
    if high - low >= MAX_LOOKUP_RANGE:
        distinct, codes = np.unique(values, return_inverse=True)
        _check_arity(name, len(distinct))
        return _make_column(codes, distinct.tolist())
    # the difference could overflow in the type of the values
    offsets = values if low == 0 else np.subtract(values, low, dtype=_choose_offset_type(values))
    present = np.arange(high - low + 1)
    if high - low > 1:  # otherwise all values of the range occur
        present = np.flatnonzero(np.bincount(offsets.astype(np.int64, copy=False)))
    _check_arity(name, len(present))
    states = [low + offset for offset in present.tolist()]
    if len(present) == high - low + 1:
        return _make_column(offsets, states)
    table = np.zeros(high - low + 1, dtype=np.uint16)
    table[present] = np.arange(len(present))
    return _make_column(table[offsets], states)


def code_booleans(name: str, values: NDArray[Any]) -> Column:
    """Return the coded column; the states are "False" and "True", if they occur."""
    codes, states = code_integers(name, values.astype(np.uint8))
    return Column(codes, tuple(("False", "True")[int(state)] for state in states))


def code_floats(name: str, values: NDArray[Any]) -> Column:
    """Return the coded column of whole numbers stored as floats; NaN and fractions raise an InputError."""
    values = values.astype(np.float64, copy=False)
    if np.isnan(values).any():
        raise missing_value_error(name, int(np.isnan(values).argmax()), "NaN")
    continuous = ~is_whole(values)
    if continuous.any():
        raise continuous_column_error(name, str(values[continuous.argmax()]))
    return code_integers(name, values.astype(np.int64))


def is_whole(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return True for each float that is a whole number within 64 bits."""
    whole: NDArray[np.bool_] = (values == np.floor(values)) & (np.abs(values) < 2**63)
    return whole


def code_declared(name: str, codes: NDArray[Any], levels: Sequence[object]) -> Column:
    """Return a column with declared levels, in the declared order, including levels that do not occur."""
    _check_arity(name, len(levels))
    return _make_column(codes, levels)


def code_text(name: str, series: pl.Series, first: TextIndex) -> Column:
    """
    Return the coded column of text without missing values; the states are in alphabetical order.

    `first` is the result of `index_first_labels`.
    """
    labels, codes = _index_text(name, series, first)
    return _reorder_codes(codes, labels, sorted(labels))


def code_text_or_numbers(name: str, series: pl.Series, first: TextIndex) -> Column:
    """
    Return the coded column of text from a file, which may contain numbers and missing values.

    If all values are numbers, equal numbers are one state (1, 01 and 1.0 are all "1"), and the states are in
    numeric order. A fraction makes the column continuous, which raises an InputError. Other columns are coded as
    by `code_text`. `first` is the result of `index_first_labels`.
    """
    labels, codes = _index_text(name, series, first)
    for i, label in enumerate(labels):
        if label.strip() in MISSING:
            raise missing_value_error(name, int((codes == i).argmax()), repr(label))
    labels = [remove_mark(label) for label in labels]
    numbers = parse_whole_numbers(name, labels)
    if numbers is None:
        return _reorder_codes(codes, labels, sorted(labels))
    return _reorder_codes(codes, numbers, sorted(set(numbers)))


def remove_mark(text: str) -> str:
    """Return a text without the mark of quoted states."""
    return text[1:] if text.startswith(QUOTED) and text[1:] in MISSING else text


def index_first_labels(frame: pl.DataFrame) -> list[TextIndex]:
    """
    Return an index of each text column by the labels of its first rows; other labels get UNKNOWN.

    Looking up known labels is much faster than finding the distinct ones, and polars does it for many columns in
    parallel. The column names must not look like patterns of polars, such as "^a$".
    """
    import polars as pl

    labels = [sorted(set(series[:LABEL_SAMPLE_ROWS].to_list())) for series in frame]
    indexed = frame.select(
        pl.col(name).cast(pl.Enum(known), strict=False).to_physical().cast(pl.UInt16).fill_null(UNKNOWN)
        for name, known in zip(frame.columns, labels, strict=True)
    )
    return [TextIndex(known, s.to_numpy()) for known, s in zip(labels, indexed, strict=True)]


def _index_text(name: str, series: pl.Series, first: TextIndex) -> TextIndex:
    """Return the index with the labels that do not occur in the first rows."""
    import polars as pl

    unknown = np.flatnonzero(first.codes == UNKNOWN)
    if not len(unknown):
        return first
    rest = series[unknown]
    rare = sorted(set(rest.to_list()))
    _check_arity(name, len(first.labels) + len(rare))
    codes = first.codes.copy()
    codes[unknown] = rest.cast(pl.Enum(rare)).to_physical().cast(pl.UInt16).to_numpy() + len(first.labels)
    return TextIndex(first.labels + rare, codes)


def parse_whole_numbers(name: str, labels: Sequence[str]) -> list[int] | None:
    """Return the labels as whole numbers, or None if one is not a number; a fraction raises an InputError."""
    if not all(_NUMBER.fullmatch(label) for label in labels):
        return None
    numbers = []
    for label in labels:
        whole = _WHOLE.fullmatch(label)
        if whole is None and not float(label).is_integer():
            raise continuous_column_error(name, label)
        numbers.append(int(whole[1]) if whole else int(float(label)))
    return numbers


def recode_column(name: str, column: Column, declared: tuple[str, ...]) -> Column:
    """Return a column coded by declared states; a label that is not declared raises an InputError."""
    _check_arity(name, len(declared))
    position = {label: i for i, label in enumerate(declared)}
    for code in np.flatnonzero(np.bincount(column.codes)).tolist():
        label = column.states[code]
        if label not in position:
            row = int((column.codes == code).argmax())
            raise InputError(
                f"column {name!r}, row {row + 1}: {shown(label)} is not one of its states {listed(declared)}"
            )
    table = np.array([position.get(label, 0) for label in column.states], dtype=np.uint16)
    return _make_column(table[column.codes], declared)


def missing_value_error(name: str, row: int, text: str) -> InputError:
    """Return the error for a missing value; `row` counts from 0."""
    return InputError(
        f"column {name!r}, row {row + 1}: missing value ({text}): replace it, drop the row, "
        "or replace all missing values by a new state"
    )


def continuous_column_error(name: str, value: str) -> InputError:
    """Return the error for a continuous column that contains `value`."""
    return InputError(
        f"column {name!r} is continuous (it contains {value}): discretise it, for example with "
        'discretize="quantile:5" (--discretize quantile:5), or pass a data frame in which it is categorical'
    )


def code_range_error(name: str, row: int, code: int, arity: int) -> InputError:
    """Return the error for a code outside the range of its column; `row` counts from 0."""
    return InputError(
        f"column {name!r}, row {row + 1}: code {code} is outside 0..{arity - 1}: correct it, or declare more states"
    )


def _reorder_codes(codes: NDArray[Any], keys: Sequence[Any], ordered: Sequence[Any]) -> Column:
    """Return a column whose codes refer to `ordered` instead of `keys`."""
    position = {key: i for i, key in enumerate(ordered)}
    table = np.array([position[key] for key in keys], dtype=np.uint16)
    if not np.array_equal(table, np.arange(len(table))):
        codes = table[codes]
    return _make_column(codes, ordered)


def _make_column(codes: NDArray[Any], states: Sequence[object]) -> Column:
    """Return a column with the states as labels and codes of the smallest type."""
    return Column(codes.astype(choose_code_type(len(states)), copy=False), tuple(str(state) for state in states))


def _check_arity(name: str, arity: int) -> None:
    if arity > MAX_ARITY:
        raise InputError(
            f"column {name!r} has {arity:,} or more distinct values; at most {MAX_ARITY:,} are allowed: "
            "drop it if it identifies rows, or discretise it if it is a measurement, for example with "
            'discretize="quantile:5" (--discretize quantile:5)'
        )


def _choose_offset_type(values: NDArray[Any]) -> type[np.int64 | np.uint64]:
    return np.uint64 if values.dtype == np.uint64 else np.int64
