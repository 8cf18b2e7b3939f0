"""Upper bounds and proofs over a candidate table that is too large for dynamic programming."""

from __future__ import annotations

import math
from functools import partial

from bnsearch.budgets.budget import Budget
from bnsearch.exact.certificate import make_certificate
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.incumbents import search_incumbent
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.method import Exact
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.warm_up import load_bound_kernels, load_cut_kernels
from bnsearch.learning.bounding import MEMORY_SHARE, UNTIMED_ROUNDS
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds, relative_gap

NEAR_GAP = 0.05  # maximum relative gap after the dual ascent with which branch and cut is tried
BOUND_SHARE = 0.1  # share of the remaining time for the dual ascent
CUT_SHARE = 0.5  # share of the remaining time for branch and cut


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
    if timed and is_near(run):
        prove_by_cuts(problem, run, CUT_SHARE * run.seconds_left, bound)
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


def is_near(run: Run) -> bool:
    """Return True if the gap is so small that branch and cut may prove the optimum, and its solver is installed."""
    gap = relative_gap(run.progress.score, run.bound)
    return gap is not None and gap <= NEAR_GAP and run.going() and has_solver()


def prove_by_cuts(problem: Problem, run: Run, seconds: float, start: ClusterBound | None = None) -> None:
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
        run.prove()
    elif run.bound is None or bound < run.bound:
        run.bound, run.evidence = bound, evidence
