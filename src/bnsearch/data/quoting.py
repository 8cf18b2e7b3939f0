"""
States of CSV files that are spelled like a missing value.

NA without quotes is a missing value; "NA" in quotes is a state. Data frames of R are written in this way. The parser of
polars drops the quotes, so quoted fields of this kind are marked before the file is parsed.
"""

from __future__ import annotations

import re

from bnsearch.data.coding import MISSING, QUOTED

SPELLINGS = sorted(MISSING - {""})  # an empty field is missing, quoted or not

# In valid CSV, this pattern does not occur inside of a quoted field: there, quotes are doubled.
_FIELD = re.compile(
    rb'(?<![^,\r\n])"(' + b"|".join(re.escape(text.encode()) for text in SPELLINGS) + rb')"(?![^,\r\n])'
)


def mark_quoted_states(data: bytes) -> bytes:
    """Return the text of a CSV file in which quoted fields that are spelled like a missing value have a mark."""
    return _FIELD.sub(b'"' + QUOTED.encode() + rb'\1"', data) if b'"' in data else data
