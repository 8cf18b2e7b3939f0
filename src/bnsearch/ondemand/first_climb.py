"""The first climb over DAGs: the first island makes it, and all islands start at its network."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from bnsearch.ondemand.class_climb import ClassClimb
from bnsearch.ondemand.dag_search import DagSearch, divide_climb_memory, make_pricer
from bnsearch.ondemand.island import Island
from bnsearch.ondemand.schedule import Activity, SearchBudget
from bnsearch.ondemand.source import Source
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

FIRST_CLIMB_SHARE = 0.8  # share of the remaining time for the first climb over DAGs, before it continues in rounds


def prepare_climbs(islands: Sequence[Island], problem: Problem, source: Source, memory: int, *, timed: bool) -> None:
    """
    Give each island the means to climb over DAGs, as far as the memory suffices; the first one in any case.

    timed : True if chains may take extension rows from climbs. The number of computed scores then depends on that, and
        scores may differ by rounding errors.
    """
    shares = divide_climb_memory(memory, problem.size, len(islands))
    pricer = make_pricer(problem) if shares else None
    for island, share in zip(islands, shares or [0], strict=False):
        island.dag_search = DagSearch(problem, source, pricer, share, island.chain if timed else None)


def make_first_climb(
    islands: Sequence[Island], problem: Problem, run: Run, activity: Activity, class_climb: ClassClimb | None
) -> None:
    """
    Climb on the first island from `problem.start`, and start all other islands at the network found.

    The climb gets up to FIRST_CLIMB_SHARE of the remaining time. If it has not ended then, it continues in the rounds.
    In that case the first rate of the DAG search is the climb's gain per second in the second half of this time.

    Parameters
    ----------
    islands : the islands, after `prepare_climbs`
    problem, run : the problem and the run
    activity : the DAG search in the schedule of the rounds
    class_climb : GES as a part of the climb; None means none
    """
    first, start = islands[0], problem.start
    if first.dag_search is not None:
        first.dag_search.start(None if start is None else start.parents, class_climb)
    half = SearchBudget(max_steps=1, max_seconds=FIRST_CLIMB_SHARE * run.seconds_left / 2)
    first.search_dags(half, run)
    if isfinite(first.chain.best) and not first.n_climbs:
        score, at = first.chain.best, run.seconds
        first.search_dags(half, run)
        activity.record(len(islands) * (first.chain.best - score), run.seconds - at)
        activity.credit = 0.0  # the time of the start is not taken from the DAG search's share of the rounds
    first.offer(run)
    for island in islands[1:] if isfinite(first.chain.best) else ():
        island.chain.copy_best_of(first.chain)
