"""RINOBS and tabu search in turns: what the one cannot see, the other adds to its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

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
MOST_FAMILIES = 20_000  # near a network, that are worth a look: some 10 us each

Family = tuple[int, tuple[int, ...]]


def search_and_polish(problem: Problem, run: Run) -> None:
    """
    Search over orderings and over DAGs in turns, until the run is told to stop or both have nothing left to find.

    A candidate table that is not complete lacks sets that some network would need. Tabu search knows no table: from the
    best network it goes on over all DAGs, and the families where it ends join the table, with those that cycles
    forbade, for the next turn over orderings, which begins there, and at new starts, too, after a turn that has found
    nothing better.
    """
    table = run.parent_sets(problem)
    allowed = allowed_edges(problem)
    limits = np.full(problem.size, problem.size) if problem.constraints is None else problem.constraints.limits
    climber = Climber(
        problem.scorer,
        Extender(problem.needed_data, problem.needed_score),
        Tabu().rules(allowed, problem.constraints),
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
                with run.stage(Seconds(run.seconds + LONGEST * run.seconds_left)):
                    near = wanted_families(found.dag(problem.names), problem.scorer, allowed, limits, run.halted)
                table = with_families(table, *near)
        if bound is not None and before >= bound and not improves(run.progress.score, before):
            break
        orders = [np.array(run.best().order, dtype=np.int32)]
        if not improves(run.progress.score, last):  # perhaps there is nothing better near here
            orders += method.starts(table, run.rng)
        last = run.progress.score
        steps = min(2 * steps, MOST_STEPS)
    run.bound = bound


def wanted_families(
    dag: DAG,
    scorer: Scorer,
    allowed: NDArray[np.bool_],
    limits: NDArray[np.int64],
    halted: Callable[[], bool] = lambda: False,
) -> tuple[list[Family], list[float]]:
    """
    Return a network's families, each also without one of its parents, and those that score more than them.

    The latter have one parent more, or another one: it is the rest of the network that forbids them, by a cycle, and
    another ordering may not. They are looked for up to MOST_FAMILIES, and until halted.

    allowed, limits : bool[child, parent], who may be whose parent; the most parents of each variable
    """
    own = [(child, without(parents, p)) for child, parents in enumerate(dag.parents) for p in (None, *parents)]
    families, scores = own, scorer.families(*zip(*own, strict=True)).tolist()
    if sum(int(row.sum()) * (1 + len(p)) for row, p in zip(allowed, dag.parents, strict=True)) > MOST_FAMILIES:
        return families, scores
    for child, parents in enumerate(dag.parents):
        if halted():
            break
        least = scorer.family(child, parents)
        others = [x for x in np.flatnonzero(allowed[child]).tolist() if x not in parents]
        tried = [(*without(parents, p), x) for x in others for p in (None, *parents)]
        tried = [members for members in tried if len(members) <= limits[child]]
        found = scorer.families([child] * len(tried), tried).tolist()
        better = [(members, score) for members, score in zip(tried, found, strict=True) if improves(score, least)]
        families += [(child, members) for members, _ in better]
        scores += [score for _, score in better]
    return families, scores


def without(parents: tuple[int, ...], left_out: int | None) -> tuple[int, ...]:
    """Return parents without one of them."""
    return tuple(p for p in parents if p != left_out)


def with_families(table: ParentSets, families: Sequence[Family], scores: Sequence[float]) -> ParentSets:
    """Return a table with some more sets, where no subset beats them."""
    sizes = np.concatenate([table.sizes, [len(members) for _, members in families]])
    return ParentSets.build(
        table.names,
        np.concatenate([table.child, [child for child, _ in families]]).astype(np.int32),
        np.concatenate([table.scores, scores]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([table.members, *(members for _, members in families)]).astype(np.int32),
    )
