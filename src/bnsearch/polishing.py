"""RINOBS and tabu search in turns: what the one cannot see, the other adds to its table."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from bnsearch.dags.climber import Climber
from bnsearch.dags.hillclimb import Tabu, allowed_edges, climb_from
from bnsearch.graphs.dag import DAG
from bnsearch.orderings.restarts import prepare
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.extender import Extender
from bnsearch.parent_sets.table import ParentSets
from bnsearch.problem import Problem
from bnsearch.run import Run
from bnsearch.scores.score import improves
from bnsearch.scores.scorer import Scorer
from bnsearch.stop import Iterations, Seconds

FIRST_STEPS = 50  # of RINOBS, for each variable, in the first turn; twice as many in each that follows
LONGEST = 0.3  # of the time that is left, the most that one turn takes
MOST_STEPS = 10**9


def search_and_polish(problem: Problem, run: Run) -> None:
    """
    Search over orderings and over DAGs in turns, until the run is told to stop or both have nothing left to find.

    A candidate table that is not complete lacks sets that some network would need. Tabu search knows no table: from the
    best network it goes on over all DAGs, and the families where it ends join the table, each also without one of its
    members, for the next turn over orderings, which begins there, and at new starts, too, after a turn that
    has found nothing better.
    """
    table = run.parent_sets(problem)
    climber = Climber(
        problem.scorer,
        Extender(problem.needed_data, problem.needed_score),
        Tabu().rules(allowed_edges(problem), problem.constraints),
    )
    method = RINOBS()
    orders = [*method.starts(table, run.rng)]
    steps = FIRST_STEPS * problem.size
    bound: float | None = None
    last = -inf
    while run.going():
        index = prepare(replace(problem, table=table), run)
        turn = Iterations(run.progress.iterations + steps) | Seconds(run.seconds + LONGEST * run.seconds_left)
        with run.stage(turn):
            method.search_from(index, orders, run)
        bound, run.bound = run.bound, None  # of networks over the table alone
        before = run.progress.score
        if run.going():
            found = climb_from(climber, run.best().parents, problem, run)
            if found is not None:
                table = with_families(table, found.dag(problem.names), problem.scorer)
        if bound is not None and before >= bound and not improves(run.progress.score, before):
            break
        orders = [np.array(run.best().order, dtype=np.int32)]
        if not improves(run.progress.score, last):  # perhaps there is nothing better near here
            orders += method.starts(table, run.rng)
        last = run.progress.score
        steps = min(2 * steps, MOST_STEPS)
    run.bound = bound


def with_families(table: ParentSets, dag: DAG, scorer: Scorer) -> ParentSets:
    """Return a table with a network's families, each whole and without one of its parents."""
    children: list[int] = []
    sets: list[tuple[int, ...]] = []
    for child, parents in enumerate(dag.parents):
        for left_out in (None, *parents):
            children.append(child)
            sets.append(tuple(p for p in parents if p != left_out))
    sizes = np.concatenate([table.sizes, [len(members) for members in sets]])
    return ParentSets.build(
        table.names,
        np.concatenate([table.child, children]).astype(np.int32),
        np.concatenate([table.scores, scorer.families(children, sets)]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([table.members, *sets]).astype(np.int32),
    )
