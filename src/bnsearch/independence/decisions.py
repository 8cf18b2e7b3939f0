"""Decisions on independence: the G-test, and a threshold on the mutual information."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import require

Floats = NDArray[np.float64]
TINY = 1e-280  # p-value below which its logarithm is computed directly, because the p-value would underflow
FRACTION_TERMS = (
    60  # terms of the continued fraction; enough for tiny p-values, where the statistic is far above its mean
)


class Decision(Protocol):
    """A rule that decides whether two variables are dependent."""

    @property
    def rows_per_degree(self) -> float:
        """The minimum number of rows for each degree of freedom of a test."""
        ...

    def strength(self, dependence: Floats, degrees: NDArray[np.int64], rows: int) -> Floats:
        """
        Return the strength of each dependence: above zero if the variables are dependent, NaN without evidence.

        Parameters
        ----------
        dependence : rows times the (conditional) mutual information in nats; NaN, which stays, where it is not known
        degrees : degrees of freedom
        rows : number of rows of the table
        """
        ...


@dataclass(frozen=True, kw_only=True)
class GTest:
    """
    The likelihood-ratio test: twice the rows times the mutual information, against the chi-square distribution.

    Parameters
    ----------
    alpha : p-value below which two variables are dependent
    rows_per_degree : minimum number of rows for each degree of freedom of a test

    The strength is log(alpha) - log(p). It is exact even if p is too small for a float, so strong dependences can be
    compared.

    A test without degrees of freedom is no evidence: one of the two variables has a single state under each condition
    that occurs, so no dependence could be observed. Such a test neither joins nor separates variables. Otherwise a copy
    or a function of a variable would separate it from all its other neighbours, and be separated from them by it.
    """

    alpha: float = 0.05
    rows_per_degree: float = 5.0

    def __post_init__(self) -> None:
        require("alpha", self.alpha, above=0, below=1)
        require("rows_per_degree", self.rows_per_degree, at_least=1)

    def strength(self, dependence: Floats, degrees: NDArray[np.int64], rows: int) -> Floats:
        """Return log(alpha) - log(p)."""
        return math.log(self.alpha) - log_p_values(2.0 * dependence, degrees)


@dataclass(frozen=True, kw_only=True)
class InformationTest:
    """
    A threshold on the mutual information, in nats, minus its mean for independent variables.

    Parameters
    ----------
    threshold : mutual information above which two variables are dependent
    rows_per_degree : minimum number of rows for each degree of freedom of a test

    The mutual information of independent variables has the mean degrees / (2 rows), to first order (Miller 1955). The
    strength is the mutual information minus this mean and minus the threshold. Without degrees of freedom the mutual
    information is zero, so the variables are independent.
    """

    threshold: float = 0.01
    rows_per_degree: float = 5.0

    def __post_init__(self) -> None:
        require("threshold", self.threshold, above=0)
        require("rows_per_degree", self.rows_per_degree, at_least=1)

    def strength(self, dependence: Floats, degrees: NDArray[np.int64], rows: int) -> Floats:
        """Return the corrected mutual information minus the threshold."""
        strength: Floats = (dependence - degrees / 2) / rows - self.threshold
        return strength


def log_p_values(statistics: Floats, degrees: NDArray[np.int64]) -> Floats:
    """Return the logarithm of the upper tail of the chi-square distribution; NaN without degrees of freedom."""
    from scipy.special import chdtrc, gammaln

    p = np.where(degrees > 0, chdtrc(np.maximum(degrees, 1), statistics), np.nan)
    with np.errstate(divide="ignore"):
        log_p: Floats = np.log(p)
    far = p < TINY
    if far.any():
        a, x = degrees[far] / 2, statistics[far] / 2
        log_p[far] = a * np.log(x) - x - gammaln(a) - np.log(tail_fraction(a, x))
    return log_p


def tail_fraction(a: Floats, x: Floats) -> Floats:
    """Return x^a e^-x / Gamma(a, x) for x far above a: the even part of Abramowitz & Stegun's fraction 6.5.31."""
    value = x + 2 * FRACTION_TERMS + 1 - a
    for k in range(FRACTION_TERMS, 0, -1):
        value = x + 2 * k - 1 - a + k * (a - k) / value
    return value
