"""When a measured dependence counts: the G-test, and a threshold on the mutual information."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import require

Floats = NDArray[np.float64]
TINY = 1e-280  # below, a probability is found in its logarithm
FRACTION_TERMS = 60  # enough where the probability is tiny: the statistic is then far beyond its mean


class Decision(Protocol):
    """A rule that tells dependence from independence, given enough rows for the degrees of freedom."""

    @property
    def rows_per_degree(self) -> float:
        """The least rows for each degree of freedom."""
        ...

    def strength(self, dependence: Floats, degrees: NDArray[np.int64], rows: int) -> Floats:
        """
        Return how strong each dependence is: above zero where it counts, NaN where there is no evidence.

        Parameters
        ----------
        dependence : rows times the (conditional) mutual information in nats; NaN, which stays, where it is not known
        degrees : degrees of freedom
        rows : of the table
        """
        ...


@dataclass(frozen=True, kw_only=True)
class GTest:
    """
    The likelihood-ratio test: twice the rows times the mutual information, against the chi-square distribution.

    Parameters
    ----------
    alpha : two variables are dependent where the p-value is below this
    rows_per_degree : a pair is not tested with fewer rows than this for each degree of freedom

    The strength is log(alpha) - log(p), exact also where p is too small for a float, so that strong dependences still
    compare.

    A test without degrees of freedom is no evidence: one of the two variables has a single state under each condition
    that occurs, so nothing could have shown a dependence. It neither joins nor separates variables. Otherwise a copy or
    a function of a variable would separate it from all its other neighbours, and be separated from them by it.
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
    A threshold on the mutual information, in nats, less what independent variables show on average.

    Parameters
    ----------
    threshold : two variables are dependent where their mutual information exceeds this
    rows_per_degree : a pair is not tested with fewer rows than this for each degree of freedom

    The mutual information of independent variables has the mean degrees / (2 rows), to first order (Miller 1955), which
    is subtracted. The strength is what is left, less the threshold. Without degrees of freedom the mutual information
    is zero, so the variables are independent.
    """

    threshold: float = 0.01
    rows_per_degree: float = 5.0

    def __post_init__(self) -> None:
        require("threshold", self.threshold, above=0)
        require("rows_per_degree", self.rows_per_degree, at_least=1)

    def strength(self, dependence: Floats, degrees: NDArray[np.int64], rows: int) -> Floats:
        """Return the corrected mutual information less the threshold."""
        strength: Floats = (dependence - degrees / 2) / rows - self.threshold
        return strength


def log_p_values(statistics: Floats, degrees: NDArray[np.int64]) -> Floats:
    """Return the logarithm of the chi-square distribution's upper tail; NaN where there are no degrees of freedom."""
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
