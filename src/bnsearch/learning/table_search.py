"""Search over the networks of a candidate table: exact search if it fits, otherwise RINOBS with an upper bound."""

from __future__ import annotations

import math
from functools import partial

from bnsearch.budgets.budget import Budget
from bnsearch.exact.certificate import make_certificate
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.components import find_largest_size
from bnsearch.exact.incumbents import search_incumbent
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.method import MAX_DYNAMIC, Exact
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.warm_up import load_bound_kernels, load_cut_kernels
from bnsearch.learning.bounding import MEMORY_SHARE, UNTIMED_ROUNDS
from bnsearch.learning.candidates import load_selection_kernels
from bnsearch.learning.warm_up import load_table_kernels
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds, relative_gap

MAX_EXACT_VARIABLES = 27  # largest strongly connected component that exact search solves; it then takes 1 GiB
SECONDS_FOR_20 = 0.3  # upper estimate of exact search with 20 variables on one thread; it doubles with each variable
EXACT_SHARE = 0.5  # maximum share of the remaining time that exact search over a table may be expected to take
INCUMBENT_STEPS = 50  # RINOBS steps for each variable: a good incumbent if exact search then runs out of time
INCUMBENT_SHARE = 0.1  # maximum share of the remaining time for these steps
CERTAIN_SHARE = 0.05  # share of the remaining time below which exact search is certain to end in time
NEAR_GAP = 0.05  # maximum relative gap after the dual ascent with which branch and cut is tried
BOUND_SHARE = 0.1  # share of the remaining time for the dual ascent
CUT_SHARE = 0.5  # share of the remaining time for branch and cut


def search_problem_table(problem: Problem, run: Run) -> None:
    """Search over the candidate table of a problem, which is selected first if none is given."""
    with run.budget.clock_paused():
        if problem.data is not None and problem.table is None:
            load_selection_kernels(problem, run.threads)
        load_table_kernels(RINOBS())
    table = run.parent_sets(problem)
    fits, why = exact_fits(table, problem, run)
    run.remark(f"chose {'exact search' if fits else 'search over orderings (rinobs)'}: {why}")
    if fits:
        search_exactly(problem, run)
    else:
        search_with_bound(problem, run)


def exact_fits(table: ParentSets, problem: Problem, run: Run) -> tuple[bool, str]:
    """Return whether exact search over a table fits into the remaining time, and the reason."""
    largest = find_largest_size(table)
    expected = expected_exact_seconds(largest, run.threads)
    component = f"the largest component of the candidate parents has {largest} of {problem.size} variables"
    if largest > MAX_EXACT_VARIABLES:
        return False, f"{component}, too many for exact search"
    if expected > EXACT_SHARE * run.seconds_left:
        return False, f"{component}, exact search would take about {expected:,.0f} s"
    return True, component


def search_exactly(problem: Problem, run: Run) -> None:
    """Search a table exactly; if this may not end in time, RINOBS first searches for a good incumbent."""
    largest = find_largest_size(run.parent_sets(problem))
    is_certain = run.is_timed and expected_exact_seconds(largest, run.threads) <= CERTAIN_SHARE * run.seconds_left
    with run.budget.clock_paused():
        load_table_kernels(Exact(), rare=largest > MAX_DYNAMIC)
        if not is_certain:
            load_table_kernels(RINOBS())
    if not is_certain:
        steps = Iterations(run.progress.iterations + INCUMBENT_STEPS * problem.size)
        with run.extra_stop(steps | Seconds(run.seconds + max(0.0, INCUMBENT_SHARE * run.seconds_left))):
            RINOBS().search(problem, run)
    Exact().search(problem, run)


def expected_exact_seconds(variables: int, threads: int) -> float:
    """Return the estimated time of exact search for a strongly connected component; infinity if it is too large."""
    if variables > MAX_EXACT_VARIABLES:
        return math.inf
    return SECONDS_FOR_20 * 2.0 ** (variables - 20) * max(1.0, variables / 20) / threads


def search_with_bound(problem: Problem, run: Run) -> None:
    """
    Search over a candidate table with RINOBS, find an upper bound, and try to prove the optimum.

    Under a time budget, RINOBS searches until it has not improved for a while. The dual ascent follows, and branch and
    cut if the gap is small. RINOBS gets the rest of the time. Under a budget of iterations, RINOBS uses all of them,
    and the dual ascent makes a fixed number of rounds.
    """
    timed = run.is_timed
    with run.budget.clock_paused():
        load_bound_kernels()
    if timed:
        search_incumbent(problem, run)
    else:
        RINOBS().search(problem, run)
    bound = find_bound(problem, run)
    if timed and is_gap_small(run):
        search_by_cuts(problem, run, CUT_SHARE * run.seconds_left, bound)
    if timed and not run.optimal:
        RINOBS().search(problem, run)


def find_bound(problem: Problem, run: Run) -> ClusterBound:
    """Set the upper bound of a run over a candidate table by dual ascent, and return it."""
    timed = run.is_timed
    seconds = BOUND_SHARE * run.seconds_left if timed else math.inf
    budget = Budget(seconds, clock=run.budget.clock, stop_condition=lambda: run.budget.request)
    table = run.parent_sets(problem)
    ascent = PricedAscent(table, memory=run.budget.memory // MEMORY_SHARE)
    ascent.improve(budget, run.progress.score, math.inf if timed else UNTIMED_ROUNDS)
    run.bound, run.evidence = ascent.bound.value, partial(make_certificate, table, ascent.bound)
    return ascent.bound


def is_gap_small(run: Run) -> bool:
    """Return True if the gap is so small that branch and cut may prove the optimum, and its solver is installed."""
    gap = relative_gap(run.progress.score, run.bound)
    return gap is not None and gap <= NEAR_GAP and run.going() and has_solver()


def search_by_cuts(problem: Problem, run: Run, seconds: float, start: ClusterBound | None = None) -> None:
    """
    Search a candidate table by branch and cut for some seconds; keep the lower of the old and the new bound.

    start : bound over the table whose clusters are the first cuts; None means none
    """
    with run.budget.clock_paused():
        load_cut_kernels()
    # Exact search replaces the bound of the run, even by a weaker one.
    bound, evidence = math.inf if run.bound is None else run.bound, run.evidence
    with run.extra_stop(Seconds(run.seconds + seconds)):
        Exact().search(problem, run, start)
    if run.optimal:
        run.mark_optimal()  # `extra_stop` has cleared the reason for the end that exact search had set
    elif run.bound is None or bound < run.bound:
        run.bound, run.evidence = bound, evidence
