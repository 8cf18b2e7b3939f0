"""An order of the variables that breaks ties by the content of the columns, not by their position."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.dataset import Dataset

FIRST_ROWS = 4096  # number of first rows that are compared before all rows


def variables_by_content(data: Dataset) -> NDArray[np.int64]:
    """
    Return the variables in an order that does not depend on the order of the columns.

    Variables with fewer states come first, then the codes of the columns are compared row by row. Only equal columns
    are ordered by their position, and their order makes no difference.
    """
    order = sorted(range(data.n_variables), key=lambda v: _make_key(data, v, FIRST_ROWS))
    if data.n_rows > FIRST_ROWS:
        groups = groupby(order, key=lambda v: _make_key(data, v, FIRST_ROWS))
        # Usually the first rows differ, and the whole columns need not be copied.
        order = [v for _, group in groups for v in _sort_by_all_rows(data, list(group))]
    return np.array(order, dtype=np.int64)


def _sort_by_all_rows(data: Dataset, variables: list[int]) -> list[int]:
    """Return variables sorted by their arity and all of their codes."""
    if len(variables) == 1:
        return variables
    return sorted(variables, key=lambda v: _make_key(data, v, data.n_rows))


def _make_key(data: Dataset, variable: int, n_rows: int) -> tuple[int, bytes]:
    """Return the arity of a variable and its first codes, as bytes that compare as the codes do."""
    big_endian = data.codes.dtype.newbyteorder(">")
    return int(data.arities[variable]), data.codes[variable, :n_rows].astype(big_endian).tobytes()
