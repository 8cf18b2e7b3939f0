"""Comparisons of two methods: over data sets (Wilcoxon) and over the runs on one data set (Mann-Whitney)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch.experiments.statistics.ranks import ALPHA, TOLERANCE, are_tied, correct_by_holm

MAX_EXACT = 50  # number of data sets up to which p-values of Wilcoxon's test are exact, as in scipy
Runs = Mapping[tuple[int | None, int], float]  # value by sample and seed


@dataclass(frozen=True)
class PairResult:
    """
    Two methods over data sets; positive numbers favour the first one.

    Attributes
    ----------
    first, second : positions of the methods
    wins, ties, losses : numbers of data sets
    p_value, adjusted : p-value of Wilcoxon's signed-rank test, and after Holm's correction over all pairs
    effect : matched-pairs rank-biserial correlation, from -1 to 1
    """

    first: int
    second: int
    wins: int
    ties: int
    losses: int
    p_value: float
    effect: float
    adjusted: float = 1.0

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that is possible with this number of data sets without ties."""
        return min(1.0, 2.0 * 0.5 ** (self.wins + self.losses))

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant after the correction."""
        return self.adjusted < ALPHA


@dataclass(frozen=True)
class RunsResult:
    """
    Two methods on one data set; positive numbers favour the first one.

    Attributes
    ----------
    data_set, first, second : positions of the data set and the methods
    test : "Mann-Whitney" over seeds, or "Wilcoxon" over samples
    p_value, adjusted : p-value, and after Holm's correction over all data sets and pairs
    effect : Cliff's delta, from -1 to 1
    smallest_p : the smallest p-value that is possible with this number of runs
    """

    data_set: int
    first: int
    second: int
    test: str
    p_value: float
    effect: float
    smallest_p: float
    adjusted: float = 1.0

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant after the correction."""
        return self.adjusted < ALPHA


def compare_pairs(
    values: ArrayLike, *, is_higher_better: bool, is_relative: bool = False, tolerance: float = TOLERANCE
) -> list[PairResult]:
    """
    Compare all pairs of methods over data sets by Wilcoxon's signed-rank test with Holm's correction.

    Parameters
    ----------
    values : one row for each data set, one column for each method, without missing values
    is_higher_better : whether higher values are better
    is_relative : whether differences are divided by the mean absolute value of both methods, so that large data sets do
        not count more
    tolerance : relative difference up to which values are tied
    """
    table = np.asarray(values, dtype=np.float64) * (1 if is_higher_better else -1)
    found = []
    for first, second in combinations(range(table.shape[1]), 2):
        differences = subtract(table[:, first], table[:, second], tolerance, is_relative=is_relative)
        p_value, effect = compute_signed_rank(differences)
        wins, losses = int(np.sum(differences > 0)), int(np.sum(differences < 0))
        ties = len(differences) - wins - losses
        found.append(PairResult(first, second, wins, ties, losses, p_value, effect))
    corrected = correct_by_holm([pair.p_value for pair in found])
    return [replace(pair, adjusted=p) for pair, p in zip(found, corrected, strict=True)]


def subtract(
    first: NDArray[np.float64], second: NDArray[np.float64], tolerance: float, *, is_relative: bool
) -> NDArray[np.float64]:
    """Return differences; those of tied values are zero."""
    scale = (np.abs(first) + np.abs(second)) / 2 if is_relative else np.ones(len(first))
    tied = np.array([are_tied(a, b, tolerance) for a, b in zip(first, second, strict=True)], dtype=bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(tied, 0.0, (first - second) / scale)


def compute_signed_rank(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Return the p-value of Wilcoxon's signed-rank test and the rank-biserial correlation; zeros are dropped."""
    from scipy.stats import rankdata, wilcoxon

    left = differences[differences != 0]
    if not len(left):
        return 1.0, 0.0
    ranks = rankdata(np.abs(left))
    effect = float(ranks[left > 0].sum() - ranks[left < 0].sum()) / float(ranks.sum())
    if len(left) > MAX_EXACT:
        return float(wilcoxon(left).pvalue), effect
    return compute_exact_p(ranks, float(ranks[left > 0].sum())), effect


def compute_exact_p(ranks: NDArray[np.float64], total: float) -> float:
    """
    Return the two-sided p-value of a sum of ranks if each rank is in it with probability 1/2.

    Mean ranks of tied values are multiples of 1/2, so twice the sum is a whole number. Its distribution is exact: the
    number of subsets with each sum, one rank after the other.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    numbers = np.zeros(int(doubled.sum()) + 1)
    numbers[0] = 1.0
    for rank in doubled.tolist():
        numbers[rank:] = numbers[rank:] + numbers[: len(numbers) - rank]
    place = round(2 * total)
    tail = min(numbers[: place + 1].sum(), numbers[place:].sum())
    return min(1.0, 2.0 * float(tail) / 2.0 ** len(ranks))


def compare_runs(
    runs: Sequence[Sequence[Runs]], *, is_higher_better: bool, tolerance: float = TOLERANCE
) -> list[RunsResult]:
    """
    Compare all pairs of methods on each data set.

    With several samples, the means over seeds on each sample are compared by Wilcoxon's test, because all methods run
    on the same samples. With one table, the runs of different seeds are compared by the Mann-Whitney test.

    Parameters
    ----------
    runs : for each data set and each method the values by sample and seed
    is_higher_better : whether higher values are better
    tolerance : relative difference up to which values are tied
    """
    sign = 1 if is_higher_better else -1
    found = []
    for place, methods in enumerate(runs):
        for first, second in combinations(range(len(methods)), 2):
            tested = _compare_two(methods[first], methods[second], sign, tolerance)
            if tested is not None:
                found.append(RunsResult(place, first, second, *tested))
    corrected = correct_by_holm([result.p_value for result in found])
    return [replace(result, adjusted=p) for result, p in zip(found, corrected, strict=True)]


def _compare_two(first: Runs, second: Runs, sign: int, tolerance: float) -> tuple[str, float, float, float] | None:
    """Return the test, the p-value, Cliff's delta and the smallest possible p-value; None with too few runs."""
    from scipy.stats import mannwhitneyu

    samples = sorted({sample for sample, _ in first} & {sample for sample, _ in second}, key=str)
    if len(samples) > 1:
        a, b = (np.array([_mean_of_sample(runs, sample) for sample in samples]) * sign for runs in (first, second))
        p_value, _ = compute_signed_rank(subtract(a, b, tolerance, is_relative=False))
        return "Wilcoxon", p_value, compute_cliffs_delta(a, b), 2.0 * 0.5 ** len(samples)
    a, b = (np.array(list(runs.values())) * sign for runs in (first, second))
    if min(len(a), len(b)) < 2:
        return None
    a, b = _merge_ties(a, b, tolerance)
    is_constant = bool(np.all(np.concatenate([a, b]) == a[0]))
    p_value = 1.0 if is_constant else float(mannwhitneyu(a, b, alternative="two-sided").pvalue)
    return "Mann-Whitney", p_value, compute_cliffs_delta(a, b), min(1.0, 2.0 / comb(len(a) + len(b), len(a)))


def _mean_of_sample(runs: Runs, sample: int | None) -> float:
    return float(np.mean([value for (its, _), value in runs.items() if its == sample]))


def _merge_ties(
    a: NDArray[np.float64], b: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two arrays in which tied values are equal."""
    both = np.concatenate([a, b])
    order = np.argsort(both, kind="stable")
    for before, after in pairwise(order.tolist()):
        if are_tied(both[before], both[after], tolerance):
            both[after] = both[before]
    return both[: len(a)], both[len(a) :]


def compute_cliffs_delta(first: ArrayLike, second: ArrayLike) -> float:
    """
    Return the probability that a value of the first exceeds one of the second, minus that of the opposite.

    References
    ----------
    Cliff (1993), "Dominance statistics: ordinal analyses to answer ordinal questions", Psychological Bulletin 114.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return float(np.mean(a[:, None] > b[None, :]) - np.mean(a[:, None] < b[None, :]))
