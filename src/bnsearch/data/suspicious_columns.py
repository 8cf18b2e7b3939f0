"""Properties of a table that are legal but usually unintended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bnsearch._tools.wording import listed
from bnsearch.data.coding import MISSING
from bnsearch.data.dataset import Dataset

MIN_ROWS = 10  # in smaller tables, all values of a column may differ by chance


def describe_suspicious_columns(data: Dataset) -> Iterator[str]:
    """Yield one line for each property of the table that is probably a mistake."""
    constant = [name for name, arity in zip(data.names, data.arities, strict=True) if arity == 1]
    if constant:
        yield f"{_describe_columns(constant)} the same value in every row: no edge can explain it"
    several = np.flatnonzero((data.arities >= data.n_rows) & (data.n_rows >= MIN_ROWS))
    distinct = [data.names[v] for v in several if len(np.unique(data.codes[v])) == data.n_rows]
    if distinct:
        yield f"{_describe_columns(distinct)} a different value in every row: drop identifiers"
    unknown = [name for name, states in zip(data.names, data.states, strict=True) if not MISSING.isdisjoint(states)]
    if unknown:
        yield f"{_describe_columns(unknown)} a state that is spelled like a missing value, such as NA or ?"
    numbered = all(name == str(v) for v, name in enumerate(data.names))
    if not numbered and all(name in states for name, states in zip(data.names, data.states, strict=True)):
        yield (
            "all column names are also values of their columns: "
            "if the first row is data, use header=False (--no-header)"
        )


def _describe_columns(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"column {listed(names)} has"
    return f"each of {len(names)} columns ({listed(names)}) has"
