"""All networks whose score is close to the optimum, for small problems."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError, require
from bnsearch.exact.components import Component
from bnsearch.exact.dynamic import compute_totals
from bnsearch.exact.near_families import MaskedSets, join_sets, list_all_sets, list_given_sets
from bnsearch.graphs.dag import DAG
from bnsearch.runs.near_optimal import NearOptimal
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import tie_margin

MAX_VARIABLES = 20  # limit: the scores of all families of 20 variables take 80 MB, those of the sets 8 MB
MAX_LISTED = 10_000  # networks that are listed by default; all are counted
STEPS_PER_CALL = 1 << 21  # parent sets that a kernel examines in a call: some milliseconds


def check_within(factor: float, size: int) -> None:
    """Raise an error if networks near the optimum cannot be listed."""
    require("within", factor, at_least=1)
    if size > MAX_VARIABLES:
        raise InputError(
            f"networks within a factor of the optimum can be listed for at most {MAX_VARIABLES} variables, "
            f"but there are {size:,}: drop columns, or leave `within` out"
        )


def find_near_optimal(problem: Problem, factor: float, run: Run, *, max_listed: int = MAX_LISTED) -> NearOptimal | None:
    """
    Return the networks whose score is within a Bayes factor of the optimum; None if the run stops before the first.

    Parameters
    ----------
    problem : data and a score, or a candidate table
    factor : the Bayes factor, at least 1
    run : clock, threads and stop requests
    max_listed : maximum number of networks that are listed; all are counted

    Notes
    -----
    On data, all parent sets are scored. Parent sets that are worse than one of their subsets are part of the search,
    unless they are worse by more than the factor. A candidate table lacks them, so the networks are those over the
    table. Dynamic programming gives the score of the best network of each set of variables. This is an upper bound
    for the depth-first search (`kernels_enumeration.py`).
    """
    check_within(factor, problem.size)
    n, loss = problem.size, math.log(factor)
    sets: Sequence[MaskedSets] | None
    if problem.data is not None and problem.table is None and not problem.has_python_score:
        sets = list_all_sets(problem, run.threads, run.halted)
    else:
        sets = list_given_sets(problem.parent_sets.families, n, problem.constraints)
    if sets is None:
        return None
    margin = tie_margin(max(abs(float(own.scores.max(initial=0.0))) for own in sets)) * n
    component = join_sets([own.keep_near(loss + margin, n) for own in sets])
    totals = compute_totals(component, run)
    return None if totals is None else _enumerate(component, totals, factor, run, problem.names, max_listed)


def _enumerate(
    component: Component,
    totals: NDArray[np.float64],
    factor: float,
    run: Run,
    names: Sequence[str],
    max_listed: int,
) -> NearOptimal:
    """Return the networks whose score is within a factor of the best one."""
    from bnsearch.exact.kernels_enumeration import CHOSEN, COUNT, LEFT, ROW, enumerate_networks

    n, optimum = component.size, float(totals[-1])
    threshold = optimum - math.log(factor) - tie_margin(optimum)
    state = np.zeros(2, dtype=np.int64)
    path, sums = np.zeros((4, n + 1), dtype=np.int64), np.zeros(n + 1)
    path[LEFT, 0], path[CHOSEN, 0], path[ROW, 0] = (1 << n) - 1, n - 1, component.begin[n - 1]
    found, scores = np.empty((max_listed, n), dtype=np.int64), np.empty(max_listed)
    is_over = False
    while not is_over and not run.halted():
        is_over = enumerate_networks(
            component.begin,
            component.small_masks,
            component.scores,
            totals,
            threshold,
            STEPS_PER_CALL,
            state,
            path,
            sums,
            found,
            scores,
        )
    count = int(state[COUNT])
    order = np.argsort(-scores[:count], kind="stable")
    parents = np.split(component.members, component.first[1:-1])
    networks = [DAG(names, [tuple(parents[row].tolist()) for row in found[i]]) for i in order]
    return NearOptimal(factor, count, bool(is_over), tuple(networks), scores[:count][order])
