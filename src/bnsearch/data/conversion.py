"""Conversion of all supported kinds of tables."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from bnsearch.data.dataset import Dataset


def as_dataset(data: Any) -> Dataset:
    """Return a `Dataset` from a Dataset, a path, an array of codes or a data frame."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str | os.PathLike):
        return Dataset.read(data)
    if isinstance(data, np.ndarray | list | tuple):
        return Dataset.from_codes(data)
    return Dataset.from_frame(data)
