"""Friedman's test over data sets, with the post-hoc tests of Nemenyi and Holm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch._tools.extras import import_optional
from bnsearch.errors import InputError
from bnsearch.experiments.statistics.ranks import ALPHA, TOLERANCE, rank_rows

MIN_METHODS = 3  # two methods are compared by Wilcoxon's test
MIN_DATA_SETS = 2


@dataclass(frozen=True)
class FriedmanResult:
    """
    Friedman's test and its post-hoc tests.

    Attributes
    ----------
    methods : labels of the methods
    n_data_sets : number of data sets
    n_tied : number of data sets on which all methods are tied
    mean_ranks : mean rank of each method; 1 is the best
    statistic, p_value : Friedman's chi-square with the correction for ties, and its p-value
    critical_difference : Nemenyi's critical difference of mean ranks at the level 0.05
    nemenyi, holm : p-value of each pair of methods; None if scikit-posthocs is not installed
    note : why there are no post-hoc tests; empty if there are
    """

    methods: tuple[str, ...]
    n_data_sets: int
    n_tied: int
    mean_ranks: tuple[float, ...]
    statistic: float
    p_value: float
    critical_difference: float
    nemenyi: NDArray[np.float64] | None = field(default=None, repr=False)
    holm: NDArray[np.float64] | None = field(default=None, repr=False)
    note: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the hypothesis that all methods are equal is rejected."""
        return self.p_value < ALPHA

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The largest groups of methods whose mean ranks differ by less than the critical difference."""
        order = np.argsort(self.mean_ranks, kind="stable").tolist()
        found: list[tuple[int, ...]] = []
        for first, method in enumerate(order):
            limit = self.mean_ranks[method] + self.critical_difference
            group = tuple(other for other in order[first:] if self.mean_ranks[other] < limit)
            if len(group) > 1 and not (found and set(group) <= set(found[-1])):
                found.append(group)
        return found


def compare_methods(
    values: ArrayLike, methods: Sequence[str], *, is_higher_better: bool, tolerance: float = TOLERANCE
) -> FriedmanResult:
    """
    Compare three or more methods over data sets.

    Parameters
    ----------
    values : one row for each data set, one column for each method, without missing values
    methods : labels of the methods
    is_higher_better : whether higher values are better
    tolerance : relative difference up to which values are tied

    References
    ----------
    Demsar (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7.
    """
    from scipy.stats import friedmanchisquare

    table = np.asarray(values, dtype=np.float64)
    n, k = table.shape
    if k < MIN_METHODS or n < MIN_DATA_SETS:
        raise InputError(f"Friedman's test needs {MIN_METHODS} methods and {MIN_DATA_SETS} data sets, not {k} and {n}")
    ranks = rank_rows(table, is_higher_better=is_higher_better, tolerance=tolerance)
    tied = int(np.sum(np.ptp(ranks, axis=1) == 0))
    statistic, p_value = (0.0, 1.0) if tied == n else map(float, friedmanchisquare(*ranks.T))
    nemenyi, holm, note = _compute_post_hoc(ranks)
    return FriedmanResult(
        methods=tuple(methods),
        n_data_sets=n,
        n_tied=tied,
        mean_ranks=tuple(float(rank) for rank in ranks.mean(axis=0)),
        statistic=statistic,
        p_value=p_value,
        critical_difference=compute_critical_difference(k, n),
        nemenyi=nemenyi,
        holm=holm,
        note=note,
    )


def compute_critical_difference(n_methods: int, n_data_sets: int, alpha: float = ALPHA) -> float:
    """Return Nemenyi's critical difference of mean ranks."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, n_methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_data_sets))


def _compute_post_hoc(
    ranks: NDArray[np.float64],
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None, str]:
    """Return the p-values of Nemenyi's test and of z-tests with Holm's correction, and a note if they are missing."""
    try:
        posthocs = import_optional("scikit_posthocs", "experiments")
    except InputError as error:
        return None, None, f"The p-values of post-hoc tests are missing: {error}."
    nemenyi = posthocs.posthoc_nemenyi_friedman(ranks)
    holm = posthocs.posthoc_siegel_friedman(ranks, p_adjust="holm")
    return nemenyi.to_numpy(dtype=np.float64), holm.to_numpy(dtype=np.float64), ""
