"""Run one method on one problem."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from math import isinf
from typing import TYPE_CHECKING

from bnsearch.budgets.events import Observer
from bnsearch.budgets.signals import interrupts_preserved, stop_on_signals
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.exact.near_optimal import check_within, find_near_optimal
from bnsearch.graphs.pdag import PDAG
from bnsearch.learning.arguments import check_method, check_support
from bnsearch.learning.warm_up import load_kernels
from bnsearch.runs.method import Method, get_declaration, get_parameters
from bnsearch.runs.near_optimal import NearOptimal
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Run
from bnsearch.runs.settings import describe_settings
from bnsearch.runs.stop import Seconds, Stop

if TYPE_CHECKING:
    from bnsearch.distributed.workers import Workers

MIN_SECONDS = 1e-3  # time for listing networks near the optimum after the time budget was used up


def search(
    problem: Problem,
    method: str | Method = "auto",
    *,
    stop: Stop | None = None,
    seed: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    observers: Sequence[Observer] = (),
    within: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
) -> Result:
    """
    Search for the network of a problem with the highest score, with one method.

    Parameters
    ----------
    problem : Problem
        Data and a score, or a candidate table.
    method : str or Method, default "auto"
        Search method, by name or as an object, such as MINOBS(population=10).
    stop : Stop, optional
        Stopping rule, such as Seconds(60) | Target(-1000); None runs the method to its end.
    seed : int, optional
        Seed of the random numbers. Under a budget of iterations, the same seed gives the same result for any number of
        threads.
    threads : int, optional
        Number of threads; None means all cores.
    memory : int, optional
        Bytes for tables and caches; None means a quarter of the machine's memory, at most 4 GiB.
    observers : sequence of callable, optional
        Functions that are called with an `Event` at every improvement, and up to ten times a second in between.
    within : float, optional
        List all networks whose score is within this Bayes factor of the optimum (`Result.near_optimal`), for up to 20
        variables. With a candidate table, these are networks over its sets. The table lacks sets that have a subset
        with the same or a higher score.
    checkpoint : str or path, optional
        Folder, such as "run.bns", in which the state of the search is saved and from which it continues; see
        `bnsearch.learn`.
    restart : bool, default False
        Whether to start over even if the checkpoint has a saved run.

    Returns
    -------
    Result
        The best network, its score, and a report on the search.

    Raises
    ------
    InputError
        If the method cannot solve the problem, or another argument is invalid.

    Notes
    -----
    Ctrl-C or SIGTERM stops the search, which returns the best network so far; a second one ends the program. Candidate
    parent sets that are selected first have a budget of their own, `problem.builder`. They take no time of the run,
    and a signal during that time stops the selection only.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> table = bnsearch.Subsets().select(data, bnsearch.BIC()).table
    >>> result = bnsearch.search(bnsearch.Problem(table=table), "exact")
    >>> result.optimal
    True
    """
    method = check_method(method, None)
    check_support(method, problem)
    if within is not None:
        check_within(within, problem.size)
    run = Run(
        stop,
        seed=seed,
        threads=threads,
        memory=memory,
        observers=observers,
        permits=problem.permits,
        restrict=problem.restrict,
    )
    if checkpoint is not None or restart:
        from bnsearch.learning.checkpointing import attach_checkpoint

        saved_result = attach_checkpoint(run, problem, method, checkpoint, restart=restart, seed=seed, stop=stop)
        if saved_result is not None:
            return add_near_optimal(saved_result, run, problem, within)
    with run.budget.clock_paused(), interrupts_preserved():
        load_kernels(problem, method)
    return execute_run(run, problem, method, within)


def execute_run(
    run: Run, problem: Problem, method: Method, within: float | None = None, workers: Workers | None = None
) -> Result:
    """Search in a run until its end, or until a signal stops it, and return the result."""
    checkpoint = run.checkpoint
    if checkpoint is not None:
        from bnsearch.learning.checkpointing import begin_at_incumbent

        problem = begin_at_incumbent(problem, method, run)
    started_method = begin_at_start(method, problem, run)
    with stop_on_signals(run.budget):
        with nullcontext() if checkpoint is None else checkpoint.writing():
            if workers is None:
                started_method.search(problem, run)
            else:
                from bnsearch.learning.distributing import distribute

                distribute(run, problem, started_method, workers)
            near = None if within is None else list_near_optimal(run, problem, within)
            result = replace(collect_result(run, problem, method), near_optimal=near)
        if checkpoint is not None:
            checkpoint.finish(result)
            result = replace(result, notes=tuple(run.notes))
        return result


def list_near_optimal(run: Run, problem: Problem, within: float) -> NearOptimal | None:
    """Return the networks within a Bayes factor of the optimum; None if the rest of the time does not suffice."""
    rest = None if isinf(run.seconds_left) else Seconds(max(MIN_SECONDS, run.seconds_left))
    part = Run(rest, seed=run.seed, threads=run.threads, memory=run.budget.memory, clock=run.budget.clock)
    with stop_on_signals(part.budget):
        found = None if run.budget.request is not None else find_near_optimal(problem, within, part)
    if found is None:
        run.remark(f"there was no time left for listing the networks within a factor of {within:g} of the optimum")
    return found


def add_near_optimal(result: Result, run: Run, problem: Problem, within: float | None) -> Result:
    """Return the result of a run that has ended, with the networks within a factor of the optimum if that is given."""
    return result if within is None else replace(result, near_optimal=list_near_optimal(run, problem, within))


def begin_at_start(method: Method, problem: Problem, run: Run) -> Method:
    """Offer the network `start` of a problem to the run, and return a method that begins with it, if possible."""
    if problem.start is None:
        return method
    start = problem.start
    run.offer(problem.score_of(start), lambda: start)
    if isinstance(method, ClassSearch) and method.start is None:
        return replace(method, start=PDAG.from_dag(start))
    if not get_declaration(type(method)).begins_at_start or problem.table is not None:
        run.remark(f"{method.name} does not begin its search with the given network, which is the first incumbent only")
    return method


def collect_result(run: Run, problem: Problem, method: Method) -> Result:
    """Finish a run and return its result; the network of the required edges if the run has found none."""
    if run.progress.score == float("-inf"):
        run.offer(problem.base_score, lambda: problem.base)
    run.finish()
    if run.empty_score is None and "scorer" in vars(problem):  # only if local scores are available at no cost
        run.empty_score = problem.empty_score
    now = run.progress
    is_resumed = run.checkpoint is not None and run.checkpoint.is_resumed
    return Result(
        dag=run.best(),
        score=now.score,
        bound=run.bound,
        optimal=run.optimal,
        stop=run.reason or "complete",
        trace=run.trace,
        iterations=now.iterations,
        evaluations=now.evaluations,
        computed=run.computed,
        seconds=now.seconds,
        method=method.name,
        parameters=get_parameters(method),
        seed=run.seed,
        notes=tuple(run.notes),
        scope=problem.restrict(run.scope),
        evidence=run.evidence,
        climbs=run.climbs,
        empty_score=run.empty_score,
        families=None if is_resumed else run.families or None,  # those of the earlier run are not known
        settings=describe_settings(run, problem),
        knowledge=problem.knowledge,
    )
