"""The row of arities that Benchpress writes between the names and the codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnsearch.data.coding import MAX_ARITY, Column
from bnsearch.errors import InputError

MIN_DATA_ROWS = 10


def parse_arities(names: Sequence[str], record: Sequence[str]) -> list[int]:
    """Return the arities that a row of text spells, one for each name."""
    if len(names) != len(record):
        raise InputError(f"{len(names)} names but {len(record)} arities in the row of arities")
    for name, text in zip(names, record, strict=True):
        if not _is_arity(text):
            raise InputError(
                f"column {name!r}: {text!r} in the row of arities is not a whole number from 1 to {MAX_ARITY:,}"
            )
    return [int(text) for text in record]


def has_arities_row(columns: Sequence[Column]) -> bool:
    """
    Say whether the first row of a table can only be a row of arities.

    In a plain table this would take a state in every column that occurs once, in the first row, and is larger
    than all others. A few rows, or a single column, can look so by chance.
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
    return text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= MAX_ARITY  # int() refuses very long texts
