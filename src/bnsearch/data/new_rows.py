"""New rows of a network, for predictions: values may be missing, and there may be other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.wording import listed
from bnsearch.errors import InputError


class NewRows:
    """
    Selects the columns of a table that are needed, and notes where their values are missing.

    A missing value is coded as another value of its column. So columns are coded like those without missing values, and
    the codes of these rows must not be used.

    Parameters
    ----------
    wanted : names of the columns that are needed, if the table has them
    purpose : what they are needed for, for messages, such as "'lung' can be predicted"
    """

    def __init__(self, wanted: Sequence[str], purpose: str) -> None:
        self.wanted, self.purpose = wanted, purpose
        self.names: list[str] = []
        """Names of all columns of the table."""
        self.missing: dict[str, NDArray[np.bool_]] = {}
        """For each column that is needed and has a value, the rows without one."""

    def choose_rows(self, name: str, missing: NDArray[Any]) -> NDArray[np.int64] | None:
        """Return the row whose value is coded for each row; None if the column is not needed or has no values."""
        self.names.append(name)
        if name not in self.wanted or missing.all():
            return None
        self.missing[name] = np.array(missing, dtype=bool)
        return np.where(missing, int(np.argmin(missing)), np.arange(len(missing)))

    def require_columns(self) -> None:
        """Raise an InputError if no column is needed and has values."""
        if not self.missing:
            raise InputError(
                f"the table has no values from which {self.purpose}: its columns are {listed(self.names)}, and the "
                f"network has {listed(self.wanted)}"
            )

    def list_patterns(self, names: list[str]) -> list[tuple[NDArray[np.int64], list[str]]]:
        """Return groups of rows in which the same columns of `names` have values, with these columns."""
        masks = np.array([self.missing[name] for name in names])
        patterns, group = np.unique(masks, axis=1, return_inverse=True)
        return [
            (np.flatnonzero(group.ravel() == i), [name for name, mask in zip(names, pattern, strict=True) if not mask])
            for i, pattern in enumerate(patterns.T)
        ]
