"""Averages over runs, with confidence intervals, and the best score iteration by iteration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.runs.averages import interval, mean_scores_by_iteration, scores_by_iteration
from bnsearch.runs.stop import Progress
from bnsearch.runs.trace import Trace


def trace_of(*points: tuple[int, float]) -> Trace:
    """Return a trace of improvements, each an iteration and a score."""
    return Trace([Progress(iterations=iterations, score=score) for iterations, score in points])


def test_interval_by_hand():
    """1, 2, 3, 4: mean 2.5, deviation sqrt(5 / 3), of the mean half of it; t = 3.182446 with 3 degrees of freedom."""
    mean, half = interval([1, 2, 3, 4])
    assert mean == 2.5
    assert half == pytest.approx(3.182446 * math.sqrt(5 / 3) / 2, rel=1e-6)
    assert interval([1, 2, 3, 4], 0.5)[1] == pytest.approx(0.764892 * math.sqrt(5 / 3) / 2, rel=1e-6)
    assert interval([7.0]) == (7.0, math.inf)
    assert interval([3.0, 3.0]) == (3.0, 0.0)


def test_an_interval_holds_the_mean_as_often_as_it_says():
    """Of 2,000 samples of 5 normal numbers 95 % hold zero, 1,900; four deviations are 39."""
    values = np.random.default_rng(1).standard_normal((5, 2000))
    mean, half = interval(values)
    assert abs((np.abs(mean) <= half).sum() - 1900) < 39


def test_scores_by_iteration_by_hand():
    """Best -9 at the start, -7 in generation 2, the end of the run in 4: -9, -9, -7, -7, -7, and as long as asked."""
    trace = trace_of((0, -9.0), (2, -7.0), (4, -7.0))
    assert scores_by_iteration(trace, 4).tolist() == [-9, -9, -7, -7, -7]
    assert scores_by_iteration(trace, 1).tolist() == [-9, -9]
    assert scores_by_iteration(trace, 6).tolist() == [-9, -9, -7, -7, -7, -7, -7]
    assert scores_by_iteration(trace_of((1, -5.0)), 2).tolist() == [-math.inf, -5, -5]


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(-99, 0)), max_size=8), st.integers(0, 9))
def test_scores_by_iteration_by_definition(points, last):
    """After i iterations: the best of all points with at most i."""
    points = sorted(points)
    expected = [max((s for k, s in points if k <= i), default=-math.inf) for i in range(last + 1)]
    assert scores_by_iteration(trace_of(*points), last).tolist() == expected


def test_mean_scores_by_iteration():
    """Two runs, -9 then -7, and -5 then -5: means -7 and -6; t = 12.7062 for one degree, deviations 2.828 and 1.414."""
    mean, half = mean_scores_by_iteration([trace_of((0, -9.0), (1, -7.0)), trace_of((0, -5.0))], 1)
    assert mean.tolist() == [-7, -6]
    assert half == pytest.approx([12.7062 * 2, 12.7062 * 1], rel=1e-4)


def test_what_cannot_be_averaged_is_refused():
    """No runs, a confidence of one, an iteration before the first."""
    with pytest.raises(InputError, match="at least one run"):
        interval([])
    with pytest.raises(InputError, match="confidence must be above 0 and below 1"):
        interval([1.0], 1.0)
    with pytest.raises(InputError, match="last must be at least 0"):
        scores_by_iteration(trace_of(), -1)
