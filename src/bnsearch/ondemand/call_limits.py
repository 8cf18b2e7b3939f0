"""Limits on the kernel calls of a chain: the number of local scores of a call, from the measured time of one score."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

MIN_EVALUATIONS = 1000  # number of local scores before growth may be cut short, with few rows
MIN_COUNTED_ROWS = 200_000_000  # the same as a number of counted rows, with many rows
CALL_SECONDS = 0.005  # target duration of a call
CUT_SECONDS = 0.05  # duration after which the growth of a parent set is cut short, under a time budget
STOP_SECONDS = 0.05  # duration after which a call returns in the middle of a step, under a time budget
MIN_SECONDS_EACH = CALL_SECONDS / MIN_EVALUATIONS  # expected time of a local score before one was measured
SECONDS_PER_ROW = 1e-9  # the same for each row
SLOW_DECAY = 0.9  # factor on the time of the slowest score after each call
MIN_BATCH = 8  # fewer scores are not computed at once: each batch has to group the rows by family again


class CallLimits:
    """
    The limits on the next kernel call of a chain, in numbers of local scores.

    Parameters
    ----------
    n_rows : number of rows of the data
    timed : True if growth that takes long may be cut short; the result then depends on the machine

    Attributes
    ----------
    seconds_of_call : duration of the longest of the last calls
    """

    def __init__(self, n_rows: int, *, timed: bool) -> None:
        self._timed = timed
        self._min_evaluations = max(1, min(MIN_EVALUATIONS, MIN_COUNTED_ROWS // n_rows))
        self._seconds_each = self._slow_each = max(MIN_SECONDS_EACH, SECONDS_PER_ROW * n_rows)
        self.seconds_of_call = 0.0
        self._is_measured = False  # True if the time of a local score was measured

    @contextmanager
    def limit_call(self, head: NDArray[np.int64]) -> Iterator[int]:
        """
        Set the limits in `head` of the cache, yield the number of local scores of the call, and measure its time.

        A step that the last call has not completed keeps its limit on growth.
        """
        from bnsearch.ondemand.kernels_row_cache import BATCH, EVALUATIONS, IS_REFUSED, LIMIT, STOP

        before = int(head[EVALUATIONS])
        if self._timed:
            if not head[IS_REFUSED]:
                head[LIMIT] = before + max(self._min_evaluations, int(CUT_SECONDS / self._seconds_each))
            head[BATCH] = max(MIN_BATCH, int(STOP_SECONDS / self._slow_each))
            head[STOP] = before + head[BATCH]
        else:
            head[LIMIT] = np.iinfo(np.int64).max
        head[IS_REFUSED] = 0
        evaluations, started = max(1, int(CALL_SECONDS / self._seconds_each)), time.perf_counter()
        yield evaluations
        elapsed, computed = time.perf_counter() - started, int(head[EVALUATIONS]) - before
        self.seconds_of_call = max(elapsed, 0.5 * self.seconds_of_call)
        expected = min(evaluations, int(head[BATCH])) if self._timed else evaluations
        if computed >= max(1, expected // 2):  # fewer would be dominated by the rest of the call
            self._seconds_each = elapsed / computed
            # Scores of large families take longer: the limit follows the slowest of the last calls.
            slowest = SLOW_DECAY * self._slow_each if self._is_measured else 0.0
            self._slow_each, self._is_measured = max(self._seconds_each, slowest), True
