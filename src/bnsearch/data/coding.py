"""Coding of one column: from its values to small integers and the labels they stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MAX_ARITY = 65_535
SAMPLE_ROWS = 1_000  # rows that usually show every state of a column
MAX_TABLE = 1 << 20  # widest range of integers that is coded by a lookup table and not by sorting

# spellings of a missing value in text; "None" is a state of well-known networks, so it is not among them
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"})

_NUMBER = re.compile(r"\s*[+-]?(\d{1,300}\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*([+-]?\d+)(\.0*)?\s*", re.ASCII)


class Column(NamedTuple):
    """A coded column: the code of each row, and the label of each code."""

    codes: NDArray[Any]
    states: tuple[str, ...]


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
    if high - low >= MAX_TABLE:
        distinct, codes = np.unique(values, return_inverse=True)
        _check_arity(name, len(distinct))
        return Column(codes, tuple(str(v) for v in distinct.tolist()))
    # in the values' own type the difference could overflow
    offsets = values if low == 0 else np.subtract(values, low, dtype=_wide(values)).astype(np.int64)
    # two values at most are both there: no need to count
    present = np.flatnonzero(np.bincount(offsets)) if high - low > 1 else np.arange(high - low + 1)
    _check_arity(name, len(present))
    states = tuple(str(low + offset) for offset in present.tolist())
    if len(present) == high - low + 1:
        return Column(offsets, states)
    table = np.zeros(high - low + 1, dtype=np.uint16)
    table[present] = np.arange(len(present))
    return Column(table[offsets], states)


def code_booleans(name: str, values: NDArray[Any]) -> Column:
    """Code truth values: the states are those of False and True that occur."""
    codes, states = code_integers(name, values.astype(np.uint8))
    return Column(codes, tuple(("False", "True")[int(state)] for state in states))


def code_floats(name: str, values: NDArray[Any]) -> Column:
    """Code whole numbers that are stored as floats; refuse NaN and anything with a fraction."""
    if np.isnan(values).any():
        raise missing_value(name, int(np.isnan(values).argmax()), "NaN")
    fractions = ~np.isfinite(values) | (values != np.floor(values))
    if fractions.any():
        raise continuous_column(name, str(values[fractions.argmax()]))
    if np.abs(values).max() >= 2**63:
        raise continuous_column(name, str(values[np.abs(values).argmax()]))
    return code_integers(name, values.astype(np.int64))


def code_declared(name: str, codes: NDArray[Any], levels: Sequence[object]) -> Column:
    """Keep codes that refer to declared levels, in the declared order, whether they occur or not."""
    _check_arity(name, len(levels))
    return Column(codes, tuple(str(level) for level in levels))


def code_text(name: str, series: pl.Series) -> Column:
    """Code text without missing values: the states are the distinct texts in alphabetical order."""
    labels, codes = index_text(name, series)
    return _reorder(codes, labels, sorted(labels))


def code_text_or_numbers(name: str, series: pl.Series) -> Column:
    """
    Code text from a file, which may spell numbers and missing values.

    Where every value spells a number, equal numbers are one state (1, 01 and 1.0 are all "1"), in numeric
    order, and a fraction anywhere makes the column continuous, which is refused. Otherwise as `code_text`.
    """
    labels, codes = index_text(name, series)
    for i, label in enumerate(labels):
        if label.strip() in MISSING:
            raise missing_value(name, int((codes == i).argmax()), repr(label))
    numbers = whole_numbers(name, labels)
    if numbers is None:
        return _reorder(codes, labels, sorted(labels))
    return _reorder(codes, numbers, sorted(set(numbers)))


def index_text(name: str, series: pl.Series) -> tuple[list[str], NDArray[Any]]:
    """Return the distinct texts of a series and, for each row, the position of its text among them."""
    import polars as pl

    # A cast to known labels is much faster than a search for the distinct ones, and the first rows know most
    labels = sorted(set(series[:SAMPLE_ROWS].to_list()))
    coded = series.cast(pl.Enum(labels), strict=False)
    if coded.null_count():
        rare = series.filter(coded.is_null()).unique()
        _check_arity(name, len(labels) + len(rare))
        labels += sorted(rare.to_list())
        coded = series.cast(pl.Enum(labels))
    return labels, coded.to_physical().to_numpy()


def whole_numbers(name: str, labels: Sequence[str]) -> list[int] | None:
    """Return the whole numbers that the labels spell, or None where one is no number; refuse fractions."""
    if not all(_NUMBER.fullmatch(label) for label in labels):
        return None
    numbers = []
    for label in labels:
        whole = _WHOLE.fullmatch(label)
        if whole is None and not float(label).is_integer():
            raise continuous_column(name, label)
        numbers.append(int(whole[1]) if whole else int(float(label)))
    return numbers


def recode(name: str, column: Column, declared: tuple[str, ...]) -> Column:
    """Move a column to declared states; a label that occurs and is not declared is refused."""
    position = {label: i for i, label in enumerate(declared)}
    table = np.array([position.get(label, -1) for label in column.states])
    codes = table[column.codes]
    if codes.min() < 0:
        row = int((codes < 0).argmax())
        label = column.states[column.codes[row]]
        known = ", ".join(map(repr, declared[:8])) + (", ..." if len(declared) > 8 else "")
        raise InputError(
            f"column {name!r}, row {row + 1}: {label!r} is not one of its declared states {known}"
        )
    return Column(codes, declared)


def missing_value(name: str, row: int, text: str) -> InputError:
    """Return the error for a missing value; `row` counts from 0."""
    return InputError(
        f"column {name!r}, row {row + 1}: missing value ({text}): fill it in, drop the row, "
        "or give missing values a state of their own under another name"
    )


def continuous_column(name: str, value: str) -> InputError:
    """Return the error for a column of real numbers, with one of them."""
    return InputError(
        f"column {name!r} is continuous (it holds {value}): discretise it first, or pass it as categorical"
    )


def code_outside(name: str, row: int, code: int, arity: int) -> InputError:
    """Return the error for a code that its column's arity does not allow; `row` counts from 0."""
    return InputError(
        f"column {name!r}, row {row + 1}: code {code} is outside 0..{arity - 1}: "
        "correct it, or declare a larger arity (more states)"
    )


def _reorder(codes: NDArray[Any], keys: Sequence[Any], ordered: Sequence[Any]) -> Column:
    """Move codes that index `keys` to the positions of the keys in `ordered`."""
    position = {key: i for i, key in enumerate(ordered)}
    table = np.array([position[key] for key in keys], dtype=np.uint16)
    if not np.array_equal(table, np.arange(len(table))):
        codes = table[codes]
    return Column(codes, tuple(str(key) for key in ordered))


def _check_arity(name: str, arity: int) -> None:
    if arity > MAX_ARITY:
        raise InputError(
            f"column {name!r} has {arity:,} distinct values or more; at most {MAX_ARITY:,} are allowed: "
            "drop it if it identifies rows, discretise it if it is a measurement"
        )


def _wide(values: NDArray[Any]) -> type[np.int64 | np.uint64]:
    return np.uint64 if values.dtype == np.uint64 else np.int64
