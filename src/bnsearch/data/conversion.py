"""Conversion of all supported kinds of tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from bnsearch.data.dataset import Dataset
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data.discretize import Discretize


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
