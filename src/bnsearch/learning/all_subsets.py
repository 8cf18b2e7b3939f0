"""Whether all subsets of the variables can be scored and searched exactly, and how long this takes."""

from __future__ import annotations

import math

from bnsearch.exact.method import MAX_DYNAMIC, Exact
from bnsearch.learning.table_search import expected_exact_seconds
from bnsearch.learning.warm_up import load_table_kernels
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.selection.subsets import Subsets

MAX_FAMILIES = 20_000_000  # without a time limit, all subsets are scored if they have at most this many families
TOO_LONG, TOO_MUCH_MEMORY = "would take too long", "would take too much memory"


def estimate_subset_search(problem: Problem, run: Run) -> tuple[float, str]:
    """
    Return the estimated time of scoring and searching all subsets, and why this might not be possible.

    The time is infinity if there are too many subsets. The reason completes the sentence "exact search over all subsets
    ..." for the user.
    """
    n = problem.size
    if (8 << n) > run.budget.memory // 2:
        return math.inf, TOO_MUCH_MEMORY
    searching = expected_exact_seconds(n, run.threads)
    if math.isinf(searching):
        return math.inf, TOO_LONG
    if not run.is_timed:
        return 0.0 if n << (n - 1) <= MAX_FAMILIES else math.inf, TOO_LONG
    builder = Subsets(memory=run.budget.memory // 2)
    with run.budget.clock_paused():
        load_table_kernels(Exact(), rare=n > MAX_DYNAMIC)
        builder.load_kernels(problem.needed_data, run.threads, problem.constraints)
    scoring = builder.expected_seconds(
        problem.needed_data, problem.needed_score, threads=run.threads, constraints=problem.constraints
    )
    return scoring + searching, TOO_LONG
