"""The choice between exact search and search over orderings, for a given candidate table."""

from __future__ import annotations

import math

from bnsearch.exact.components import find_largest_size
from bnsearch.exact.method import MAX_DYNAMIC, Exact
from bnsearch.learning.candidates import load_selection_kernels
from bnsearch.learning.proving import search_with_bound
from bnsearch.learning.warm_up import load_table_kernels
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds

MAX_EXACT_VARIABLES = 27  # variables that can form cycles with each other: exact search then takes 1 GiB
SECONDS_FOR_20 = 0.3  # upper estimate of exact search with 20 variables on one thread; it doubles with each variable
EXACT_SHARE = 0.5  # maximum share of the remaining time that exact search over a table may be expected to take
WARM_UP_STEPS = 50  # RINOBS steps for each variable before exact search, for a good incumbent if that runs out of time
WARM_UP_SHARE = 0.1  # maximum share of the remaining time for these steps
CERTAIN_SHARE = 0.05  # share of the remaining time below which exact search is certain to end in time


def search_table(problem: Problem, run: Run) -> None:
    """Search over the networks of a given candidate table."""
    with run.budget.clock_paused():
        if problem.data is not None and problem.table is None:
            load_selection_kernels(problem, run.threads)
        load_table_kernels(RINOBS())
    table = run.parent_sets(problem)
    fits, why = exact_fits(table, problem, run)
    run.remark(f"chose {'exact search' if fits else 'search over orderings (rinobs)'}: {why}")
    if fits:
        prove(problem, run)
    else:
        search_with_bound(problem, run)


def exact_fits(table: ParentSets, problem: Problem, run: Run) -> tuple[bool, str]:
    """Return whether exact search over a table fits into the remaining time, and the reason."""
    largest = find_largest_size(table)
    expected = expected_exact_seconds(largest, run.threads)
    group = f"{largest} of {problem.size} variables can form cycles with each other"
    if largest > MAX_EXACT_VARIABLES:
        return False, f"{group}, too many for exact search"
    if expected > EXACT_SHARE * run.seconds_left:
        return False, f"{group}, exact search would take about {expected:,.0f} s"
    return True, f"at most {group}"


def prove(problem: Problem, run: Run) -> None:
    """Search a table exactly, after a short search with RINOBS unless it is certain that the time suffices."""
    largest = find_largest_size(run.parent_sets(problem))
    is_certain = run.is_timed and expected_exact_seconds(largest, run.threads) <= CERTAIN_SHARE * run.seconds_left
    with run.budget.clock_paused():
        load_table_kernels(Exact(), rare=largest > MAX_DYNAMIC)
        if not is_certain:
            load_table_kernels(RINOBS())
    if not is_certain:
        steps = Iterations(run.progress.iterations + WARM_UP_STEPS * problem.size)
        with run.extra_stop(steps | Seconds(run.seconds + max(0.0, WARM_UP_SHARE * run.seconds_left))):
            RINOBS().search(problem, run)
    Exact().search(problem, run)


def expected_exact_seconds(variables: int, threads: int) -> float:
    """Return the estimated time of exact search for a group of variables; infinity if there are too many."""
    if variables > MAX_EXACT_VARIABLES:
        return math.inf
    return SECONDS_FOR_20 * 2.0 ** (variables - 20) * max(1.0, variables / 20) / threads
