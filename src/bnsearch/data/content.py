"""An order of the variables that breaks ties by the content of the columns, not by their position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.dataset import Dataset


def variables_by_content(data: Dataset) -> NDArray[np.int64]:
    """
    Return the variables in an order that does not depend on the order of the columns.

    Variables with fewer states come first, then the codes of the columns are compared row by row. Only equal columns
    are ordered by their position, and their order makes no difference.
    """
    big_endian = data.codes.dtype.newbyteorder(">")  # bytes then compare as numbers do
    keys = [(int(r), codes.astype(big_endian).tobytes()) for r, codes in zip(data.arities, data.codes, strict=True)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
