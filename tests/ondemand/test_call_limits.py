"""The limits on kernel calls follow the measured time of a local score."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from bnsearch.ondemand import call_limits
from bnsearch.ondemand.call_limits import CALL_SECONDS, MIN_SECONDS_EACH, SLOW_DECAY, STOP_SECONDS, CallLimits
from bnsearch.ondemand.kernels_row_cache import BATCH, EVALUATIONS, IS_REFUSED, STOP
from clocks import Clock


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that replaces the one of the limits."""
    own = Clock()
    monkeypatch.setattr(call_limits, "time", SimpleNamespace(perf_counter=own))
    return own


def call(limits: CallLimits, head: np.ndarray, clock: Clock, seconds_each: float) -> int:
    """Compute local scores until a limit of the call is reached, and return the number that the call was given."""
    with limits.limit_call(head) as evaluations:
        computed = min(evaluations, int(head[STOP] - head[EVALUATIONS]))
        head[EVALUATIONS] += computed
        head[IS_REFUSED] = computed < evaluations
        clock.now += computed * seconds_each
    return evaluations


def test_fast_scores_raise_all_limits_at_once(clock):
    """The time that is expected before a score was measured does not limit later calls."""
    limits, head = CallLimits(100, timed=True), np.zeros(BATCH + 1, dtype=np.int64)
    assert call(limits, head, clock, 1e-8) == pytest.approx(CALL_SECONDS / MIN_SECONDS_EACH, abs=1)
    assert call(limits, head, clock, 1e-8) == pytest.approx(CALL_SECONDS / 1e-8, rel=1e-3)
    assert head[BATCH] == pytest.approx(STOP_SECONDS / 1e-8, rel=1e-3)
    assert not head[IS_REFUSED]


def test_slow_scores_are_remembered(clock):
    """After a slow call, a step is stopped sooner; with fast calls the limit rises again, little by little."""
    limits, head = CallLimits(100, timed=True), np.zeros(BATCH + 1, dtype=np.int64)
    for seconds_each in (1e-8, 1e-6, 1e-8, 1e-8):
        call(limits, head, clock, seconds_each)
    assert head[BATCH] == pytest.approx(STOP_SECONDS / (SLOW_DECAY * 1e-6), rel=1e-3)
    for _ in range(60):
        call(limits, head, clock, 1e-8)
    assert head[BATCH] == pytest.approx(STOP_SECONDS / 1e-8, rel=1e-3)
