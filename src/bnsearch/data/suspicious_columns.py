"""What is legal in a table but seldom meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bnsearch._tools.wording import listed
from bnsearch.data.dataset import Dataset

FEW_ROWS = 10  # of so few, all may well differ


def describe_suspicious_columns(data: Dataset) -> Iterator[str]:
    """Yield what somebody who learns from a table should know of it, a line each."""
    constant = [name for name, arity in zip(data.names, data.arities, strict=True) if arity == 1]
    if constant:
        yield f"{_columns(constant)} the same value in every row: no edge can say anything about it"
    several = np.flatnonzero((data.arities >= data.n_rows) & (data.n_rows >= FEW_ROWS))
    distinct = [data.names[v] for v in several if len(np.unique(data.codes[v])) == data.n_rows]
    if distinct:
        yield f"{_columns(distinct)} a different value in every row: leave out what is an identifier"
    numbered = all(name == str(v) for v, name in enumerate(data.names))
    if not numbered and all(name in states for name, states in zip(data.names, data.states, strict=True)):
        yield "every column's name is also a value of it: if the first row is data, use header=False (--no-header)"


def _columns(names: Sequence[str]) -> str:
    return f"column {listed(names)} has" if len(names) == 1 else f"each of {len(names)} columns ({listed(names)}) has"
