"""The set values of all pairs of variables, computed in threads before the first step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.runs.run import Run
from bnsearch.scores.scorer import Scorer

MIN_VARIABLES = 64  # with fewer variables, threads take longer than they save
SMALL_CACHE = 1 << 16  # bytes of a worker's cache, small because each pair is looked up once


def value_pairs(scorer: Scorer, run: Run) -> None:
    """Value every pair of variables in the threads of the run, and put the values into the cache of the scorer."""
    n = scorer.data.n_variables
    worked_before = scorer.computed >= n * (n - 1) // 2
    if run.threads == 1 or n < MIN_VARIABLES or worked_before:
        return

    def work(first: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        pairs = np.array([(low, high) for high in range(first, n, pieces) for low in range(high)], dtype=np.int64)
        members = pairs.reshape(-1)
        if run.halted():
            return members[:0], np.empty(0)
        fork = scorer.fork(cache_bytes=SMALL_CACHE)
        return members, fork.values_at(np.arange(0, len(members) + 1, 2), members)

    pieces = 4 * run.threads
    for members, values in run.map(work, range(pieces)):
        scorer.remember_at(np.arange(0, len(members) + 1, 2), members, values)
        run.count(computed=len(values))
