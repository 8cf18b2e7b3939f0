"""The set values of all pairs of variables, computed in threads before the first step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.runs.run import Run
from bnsearch.scores.scorer import Scorer

MIN_VARIABLES = 64  # with fewer variables, threads take longer than they save, and the first step values the pairs
PIECES_PER_THREAD = 4  # pieces of work: with several, threads end at about the same time
SMALL_CACHE = 1 << 16  # bytes of a worker's cache, small because each pair is looked up once


def value_pairs(scorer: Scorer, run: Run) -> None:
    """
    Value every pair of variables in the threads of the run, and put the values into the cache of the scorer.

    The values are written in the order of the pairs, so that the cache is the same for any number of threads.
    """
    n = scorer.data.n_variables
    n_pairs = n * (n - 1) // 2
    if n < MIN_VARIABLES or scorer.cache.n_values >= n_pairs:
        return

    def work(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if run.halted():
            return pairs[:0], np.empty(0)
        fork = scorer.fork(cache_bytes=SMALL_CACHE)
        return pairs, fork.values_at(np.arange(0, pairs.size + 1, 2), pairs.ravel())

    scorer.cache.make_room(n_pairs)
    all_pairs = np.stack(np.tril_indices(n, -1)[::-1], axis=1)
    for pairs, values in run.map(work, np.array_split(all_pairs, PIECES_PER_THREAD * run.threads)):
        scorer.remember_at(np.arange(0, pairs.size + 1, 2), pairs.ravel(), values)
        run.count(computed=len(values))
