"""Conversion of all supported kinds of tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnsearch.data.dataset import Dataset
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data.discretize import Discretize
    from bnsearch.data.new_rows import NewRows


def as_dataset(data: Any, discretize: Discretize | None = None) -> Dataset:
    """
    Return a `Dataset` from a Dataset, a path, an array of codes or a data frame.

    `discretize` divides columns of numbers into intervals, as in `Dataset.from_frame`. A Dataset is already discrete,
    and codes are discrete by definition, so for these it raises an InputError.
    """
    if isinstance(data, str | os.PathLike):
        return Dataset.read(data, discretize=discretize)
    if not isinstance(data, Dataset | np.ndarray | list | tuple):
        return Dataset.from_frame(data, discretize=discretize)
    if discretize is not None:
        raise InputError(
            "discretize applies to files and data frames: pass pandas.DataFrame(array) or polars.DataFrame(array)"
        )
    return data if isinstance(data, Dataset) else Dataset.from_codes(data)


def as_rows_of(
    states: Mapping[str, Sequence[str]],
    data: Any,
    discretize: Discretize | None = None,
    *,
    header: bool = True,
    new_rows: NewRows | None = None,
) -> Dataset:
    """
    Return the `Dataset` of rows of variables with known states, from all kinds of tables of `as_dataset`.

    Columns of numbers whose known states are intervals are divided into these intervals. The states of the result are
    those that occur. `header` is that of `Dataset.read`; `new_rows` selects columns and permits missing values.
    """
    from bnsearch.data.frames import code_frame
    from bnsearch.data.intervals import make_known_cutter
    from bnsearch.data.reading import read_table

    if isinstance(data, Dataset | np.ndarray | list | tuple):
        table = as_dataset(data, discretize)
        if new_rows is None:
            return table
        complete = np.zeros(table.n_rows, dtype=bool)
        chosen = [name for name in table.names if new_rows.choose_rows(name, complete) is not None]
        new_rows.require_columns()
        return table.select(chosen)
    cutter = make_known_cutter(states, discretize)
    if isinstance(data, str | os.PathLike):
        columns = read_table(data, header=header, arities_row=None, cutter=cutter, new_rows=new_rows)
    else:
        columns = code_frame(data, cutter, new_rows)
    if new_rows is not None:
        new_rows.require_columns()
    return Dataset.from_columns(*columns)
