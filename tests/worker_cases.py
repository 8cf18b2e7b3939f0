"""A table and a run that all kinds of workers must reproduce."""

from __future__ import annotations

import numpy as np

import bnsearch

ITERATIONS = 15_000


def make_table(n, rows=150, seed=0):
    """Return a table of binary variables, each a noisy copy of one of four others."""
    rng = np.random.default_rng(seed)
    causes = rng.integers(0, 2, (rows, 4))
    columns = [causes[:, rng.integers(4)] ^ (rng.random(rows) < 0.2) for _ in range(n)]
    return bnsearch.Dataset.from_codes(np.array(columns).T.astype(int))


def learn_steps(data, executor, *, iterations=ITERATIONS, method="ginobs", **options):
    """Learn a network under a budget of iterations."""
    stop = bnsearch.Iterations(iterations)
    return bnsearch.learn(
        data, method=method, seconds=None, stop=stop, seed=5, executor=executor, memory="200MB", **options
    )


def outcome_of(result):
    """Return the part of a result that must not depend on the workers."""
    steps = [(point.score, point.iterations) for point in result.trace.points]
    return result.score, result.dag, result.iterations, result.evaluations, result.stop, steps
