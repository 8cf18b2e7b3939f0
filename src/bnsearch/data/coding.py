"""Coding of one column: from its values to small integers and the labels they stand for."""

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
UNKNOWN = MAX_ARITY  # no code is as large
LABEL_SAMPLE_ROWS = 1_000  # rows that usually show every state of a column
MAX_LOOKUP_RANGE = 1 << 20  # widest range of integers that is coded by a lookup table and not by sorting

# spellings of a missing value in text; "None" is a state of well-known networks, so it is not among them
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"})

_NUMBER = re.compile(r"\s*[+-]?(\d{1,300}(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*([+-]?\d+)(\.0*)?\s*", re.ASCII)


class Column(NamedTuple):
    """A coded column: the code of each row, and the label of each code."""

    codes: NDArray[Any]
    states: tuple[str, ...]


class TextIndex(NamedTuple):
    """Distinct labels of a column of text, and for each row (uint16) the position of its label or UNKNOWN."""

    labels: list[str]
    codes: NDArray[np.uint16]


def choose_code_type(arity: int) -> type[np.uint8 | np.uint16]:
    """Return the narrowest type for the codes of so many states."""
    return np.uint8 if arity <= 256 else np.uint16


def check_names(names: Sequence[str]) -> None:
    """Refuse a table without columns, a column without a name, and a name that occurs twice."""
    if not names:
        raise InputError("the table has no columns")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name:
            raise InputError(f"column {i + 1} has no name: name it, or drop it")
        if name in seen:
            raise InputError(f"two columns are named {name!r}: rename one")
        seen.add(name)


def code_integers(name: str, values: NDArray[Any]) -> Column:
    """Code integers: the states are the distinct values in numeric order, labelled by their digits."""
    low, high = int(values.min()), int(values.max())
    if high - low >= MAX_LOOKUP_RANGE:
        distinct, codes = np.unique(values, return_inverse=True)
        _check_arity(name, len(distinct))
        return _make_column(codes, distinct.tolist())
    # in the values' own type the difference could overflow
    offsets = values if low == 0 else np.subtract(values, low, dtype=_choose_offset_type(values))
    present = np.arange(high - low + 1)
    if high - low > 1:  # of two values both are there
        present = np.flatnonzero(np.bincount(offsets.astype(np.int64, copy=False)))
    _check_arity(name, len(present))
    states = [low + offset for offset in present.tolist()]
    if len(present) == high - low + 1:
        return _make_column(offsets, states)
    table = np.zeros(high - low + 1, dtype=np.uint16)
    table[present] = np.arange(len(present))
    return _make_column(table[offsets], states)


def code_booleans(name: str, values: NDArray[Any]) -> Column:
    """Code truth values: the states are those of False and True that occur."""
    codes, states = code_integers(name, values.astype(np.uint8))
    return Column(codes, tuple(("False", "True")[int(state)] for state in states))


def code_floats(name: str, values: NDArray[Any]) -> Column:
    """Code whole numbers that are stored as floats; refuse NaN and anything with a fraction."""
    values = values.astype(np.float64, copy=False)
    if np.isnan(values).any():
        raise missing_value_error(name, int(np.isnan(values).argmax()), "NaN")
    continuous = ~is_whole(values)
    if continuous.any():
        raise continuous_column_error(name, str(values[continuous.argmax()]))
    return code_integers(name, values.astype(np.int64))


def is_whole(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which floats are whole numbers that 64 bits hold."""
    whole: NDArray[np.bool_] = (values == np.floor(values)) & (np.abs(values) < 2**63)
    return whole


def code_declared(name: str, codes: NDArray[Any], levels: Sequence[object]) -> Column:
    """Keep codes that refer to declared levels, in the declared order, whether they occur or not."""
    _check_arity(name, len(levels))
    return _make_column(codes, levels)


def code_text(name: str, series: pl.Series) -> Column:
    """Code text without missing values: the states are the distinct texts in alphabetical order."""
    labels, codes = _index_text(name, series, *index_first_labels(series.to_frame()))
    return _reorder_codes(codes, labels, sorted(labels))


def code_text_or_numbers(name: str, series: pl.Series, first: TextIndex) -> Column:
    """
    Code text from a file, which may spell numbers and missing values; `first` is from `index_first_labels`.

    Where every value spells a number, equal numbers are one state (1, 01 and 1.0 are all "1"), in numeric
    order, and a fraction anywhere makes the column continuous, which is refused. Otherwise as `code_text`.
    """
    labels, codes = _index_text(name, series, first)
    for i, label in enumerate(labels):
        if label.strip() in MISSING:
            raise missing_value_error(name, int((codes == i).argmax()), repr(label))
    numbers = parse_whole_numbers(name, labels)
    if numbers is None:
        return _reorder_codes(codes, labels, sorted(labels))
    return _reorder_codes(codes, numbers, sorted(set(numbers)))


def index_first_labels(frame: pl.DataFrame) -> list[TextIndex]:
    """
    Index columns of text by the labels in their first rows; a row with any other label gets UNKNOWN.

    To look for known labels is much faster than to search for the distinct ones, and polars does it for many
    columns in parallel. The columns' names must be plain: polars takes some names for patterns.
    """
    import polars as pl

    labels = [sorted(set(series[:LABEL_SAMPLE_ROWS].to_list())) for series in frame]
    indexed = frame.select(
        pl.col(name).cast(pl.Enum(known), strict=False).to_physical().cast(pl.UInt16).fill_null(UNKNOWN)
        for name, known in zip(frame.columns, labels, strict=True)
    )
    return [TextIndex(known, s.to_numpy()) for known, s in zip(labels, indexed, strict=True)]


def _index_text(name: str, series: pl.Series, first: TextIndex) -> TextIndex:
    """Complete an index with the labels that the first rows do not show."""
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
    """Return the whole numbers that the labels spell, or None where one is no number; refuse fractions."""
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
    """Move a column to declared states; a label that occurs and is not declared is refused."""
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
        f"column {name!r}, row {row + 1}: missing value ({text}): fill it in, drop the row, "
        "or give missing values a state of their own under another name"
    )


def continuous_column_error(name: str, value: str) -> InputError:
    """Return the error for a column of real numbers, with one of them."""
    return InputError(
        f"column {name!r} is continuous (it holds {value}): discretise it, for example with "
        'discretize="quantile:5" (--discretize quantile:5), or pass it as categorical'
    )


def code_range_error(name: str, row: int, code: int, arity: int) -> InputError:
    """Return the error for a code that its column's arity does not allow; `row` counts from 0."""
    return InputError(
        f"column {name!r}, row {row + 1}: code {code} is outside 0..{arity - 1}: "
        "correct it, or declare a larger arity (more states)"
    )


def _reorder_codes(codes: NDArray[Any], keys: Sequence[Any], ordered: Sequence[Any]) -> Column:
    """Move codes that index `keys` to the positions of the keys in `ordered`."""
    position = {key: i for i, key in enumerate(ordered)}
    table = np.array([position[key] for key in keys], dtype=np.uint16)
    if not np.array_equal(table, np.arange(len(table))):
        codes = table[codes]
    return _make_column(codes, ordered)


def _make_column(codes: NDArray[Any], states: Sequence[object]) -> Column:
    """Return a column with labels made of the states, and codes no wider than they need be."""
    return Column(codes.astype(choose_code_type(len(states)), copy=False), tuple(str(state) for state in states))


def _check_arity(name: str, arity: int) -> None:
    if arity > MAX_ARITY:
        raise InputError(
            f"column {name!r} has {arity:,} distinct values or more; at most {MAX_ARITY:,} are allowed: "
            "drop it if it identifies rows, discretise it if it is a measurement, for example with "
            'discretize="quantile:5" (--discretize quantile:5)'
        )


def _choose_offset_type(values: NDArray[Any]) -> type[np.int64 | np.uint64]:
    return np.uint64 if values.dtype == np.uint64 else np.int64
