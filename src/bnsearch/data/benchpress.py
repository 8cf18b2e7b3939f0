"""The row of arities in the files of Benchpress, between the names and the codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnsearch.data.coding import MAX_ARITY, Column
from bnsearch.errors import InputError

MIN_DATA_ROWS = 10  # with fewer rows, ordinary data can look like a row of arities by chance


def parse_arities(names: Sequence[str], record: Sequence[str]) -> list[int]:
    """Return the arities in a row of text, one for each name."""
    if len(names) != len(record):
        raise InputError(f"the row of arities has {len(record)} fields, the header {len(names)}")
    for name, text in zip(names, record, strict=True):
        if not _is_arity(text):
            raise InputError(
                f"column {name!r}: {text!r} in the row of arities is not a whole number from 1 to {MAX_ARITY:,}"
            )
    return [int(text) for text in record]


def has_arities_row(columns: Sequence[Column]) -> bool:
    """
    Return True if the first row of a table is almost certainly a row of arities.

    In every column, the value of the first row must be larger than all others. In a table with few rows or a
    single column this can happen by chance, so such tables return False.
    """
    if len(columns) < 2 or len(columns[0].codes) <= MIN_DATA_ROWS:
        return False
    return all(
        all(state.isdecimal() for state in states)
        and _is_arity(states[-1])
        and codes[0] == len(states) - 1
        and np.count_nonzero(codes == codes[0]) == 1
        for codes, states in columns
    )


def _is_arity(text: str) -> bool:
    return (
        text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= MAX_ARITY
    )  # int() raises an error for very long texts
