"""Ranks with ties, and Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

ALPHA = 0.05  # significance level of all tests
TOLERANCE = 1e-9  # values with a relative difference of at most this are ties by default


def are_tied(first: float, second: float, tolerance: float = TOLERANCE) -> bool:
    """Return True if two values are equal up to a relative difference; infinity is tied with itself only."""
    if math.isinf(first) or math.isinf(second):
        return bool(first == second)
    return bool(abs(first - second) <= tolerance * max(1.0, abs(first), abs(second)))


def rank_rows(values: ArrayLike, *, is_higher_better: bool, tolerance: float = TOLERANCE) -> NDArray[np.float64]:
    """
    Return the ranks within each row, 1 for the best value; tied values get the mean of their ranks.

    Parameters
    ----------
    values : one row for each data set, one column for each method
    is_higher_better : whether the highest value gets rank 1
    tolerance : relative difference up to which neighbours in the order are tied
    """
    table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    return np.stack([_rank(-row if is_higher_better else row, tolerance) for row in table])


def _rank(row: NDArray[np.float64], tolerance: float) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    order = np.argsort(row, kind="stable")
    groups = np.zeros(len(row))
    for before, after in pairwise(order.tolist()):
        groups[after] = groups[before] + (not are_tied(row[before], row[after], tolerance))
    return np.asarray(rankdata(groups))


def correct_by_holm(p_values: Sequence[float]) -> list[float]:
    """
    Return the p-values adjusted for multiple tests by Holm's step-down procedure.

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return [float(value) for value in adjusted]
