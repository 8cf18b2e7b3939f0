"""Tables in any form that the library takes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from bnsearch.data.dataset import Dataset


def as_dataset(data: Any) -> Dataset:
    """Return a table as a `Dataset`."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str | os.PathLike):
        return Dataset.read(data)
    if isinstance(data, np.ndarray | list | tuple):
        return Dataset.from_codes(data)
    return Dataset.from_frame(data)
