"""Means over runs with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch.errors import InputError, require
from bnsearch.runs.trace import Trace

CONFIDENCE = 0.95


def interval(values: ArrayLike, confidence: float = CONFIDENCE) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """
    Return the mean over the first axis, and half the width of its confidence interval.

    The interval follows Student's t distribution. It is infinite for a single run.

    Parameters
    ----------
    values : one number or one row of numbers for each run
    confidence : confidence level
    """
    from scipy.special import stdtrit

    require("confidence", confidence, above=0, below=1)
    runs = np.asarray(values, dtype=np.float64)
    if not runs.size:
        raise InputError("an average needs the values of at least one run")
    mean = runs.mean(axis=0)
    if len(runs) == 1:
        return mean, np.full_like(mean, np.inf)
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    return mean, stdtrit(len(runs) - 1, (1 + confidence) / 2) * error


def scores_by_iteration(trace: Trace, last: int) -> NDArray[np.float64]:
    """Return the best score after 0, 1, ..., `last` iterations; minus infinity before the first network."""
    require("last", last, at_least=0, whole=True)
    scores = np.full(last + 1, -np.inf)
    for point in trace:
        if point.iterations <= last:
            scores[point.iterations] = max(scores[point.iterations], point.score)
    return np.maximum.accumulate(scores)


def mean_scores_by_iteration(
    traces: Iterable[Trace], last: int, confidence: float = CONFIDENCE
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """
    Return the mean best score after 0, 1, ..., `last` iterations, and half the widths of the confidence intervals.

    For genetic algorithms an iteration is a generation: these are the curves of Dai et al. (2020), Figs. 6 and 7.
    """
    curves: Sequence[NDArray[np.float64]] = [scores_by_iteration(trace, last) for trace in traces]
    return interval(curves, confidence)
