"""Anytime curves: the best score over time or work, with bootstrap intervals of the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
RESAMPLES = 1_000
MAX_PLACES = 60  # number of points of a curve
SEED = 1  # the intervals of a report do not change when it is written again


@dataclass(frozen=True)
class Curve:
    """
    The mean of several runs over time or work.

    Attributes
    ----------
    places : times, iterations or evaluations
    means, low, high : mean of the runs at each place, and its bootstrap interval
    runs : number of runs
    """

    places: NDArray[np.float64]
    means: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    runs: int


def bootstrap_mean(
    values: ArrayLike, *, confidence: float = CONFIDENCE, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """
    Return the percentile bootstrap interval of the mean over the first axis.

    Parameters
    ----------
    values : one row for each run
    confidence : confidence level
    resamples : number of bootstrap samples of the runs
    seed : seed of the samples

    References
    ----------
    Efron & Tibshirani (1993), An introduction to the bootstrap, chapter 13.
    """
    runs = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(runs), (resamples, len(runs)))
    weights = np.stack([np.bincount(row, minlength=len(runs)) for row in drawn]) / len(runs)
    tail = (1 - confidence) / 2
    low, high = np.quantile(weights @ runs, [tail, 1 - tail], axis=0)
    return low, high


def choose_places(traces: Sequence[Sequence[tuple[float, float]]], last: float, smallest: float) -> NDArray[np.float64]:
    """
    Return places from the first at which all runs have a network to the last; their logarithms are equidistant.

    Parameters
    ----------
    traces : points (place, score) of each run
    last : last place
    smallest : lower limit of the first place: 1 for iterations, a millisecond for times
    """
    first = max(trace[0][0] for trace in traces)
    begin = max(first, last / 1e4, smallest)
    if begin >= last:
        return np.array([last])
    return np.unique(np.concatenate([np.geomspace(begin, last, MAX_PLACES), [last]]))


def read_scores_at(trace: Sequence[tuple[float, float]], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best score of a trace of (place, score) at some places; minus infinity before its first point."""
    where = np.array([place for place, _ in trace])
    best = np.concatenate([[-np.inf], np.maximum.accumulate([score for _, score in trace])])
    return np.asarray(best[np.searchsorted(where, places, side="right")])


def make_curve(traces: Sequence[Sequence[tuple[float, float]]], places: NDArray[np.float64]) -> Curve:
    """Return the mean curve of runs; places before the first network of any run are left out."""
    scores = np.stack([read_scores_at(trace, places) for trace in traces])
    known = np.isfinite(scores).all(axis=0)
    scores, places = scores[:, known], places[known]
    low, high = bootstrap_mean(scores)
    return Curve(places, scores.mean(axis=0), low, high, len(scores))
