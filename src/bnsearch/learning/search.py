"""Run one method on one problem."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from bnsearch.graphs.dag import DAG
from bnsearch.learning.warm_up import load_kernels
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Observer, Run
from bnsearch.runs.stop import Stop


def search(
    problem: Problem,
    method: Method,
    *,
    stop: Stop | None = None,
    seed: int | None = None,
    threads: int | None = None,
    observers: Sequence[Observer] = (),
) -> Result:
    """
    Search for the best network of a problem with one method.

    Parameters
    ----------
    problem : what to solve
    method : how, e.g. MINOBS(population=10)
    stop : when to stop, e.g. Seconds(60) | Target(-1000); without it, when the method has nothing left to do
    seed : makes the search reproducible; the same for any number of threads under a budget of iterations
    threads : how many; None means all cores
    observers : called with a `Progress` at every improvement and now and then in between

    Ctrl-C stops the search and returns the best so far. Candidate parent sets that are selected first have a budget of
    their own, `problem.selection`, and are no part of the run's time; Ctrl-C then ends the selection alone.
    """
    load_kernels(problem, method)
    run = Run(stop, seed=seed, threads=threads, observers=observers, permits=permits_of(problem))
    with run.listening():
        method.search(problem, run)
        return finished(problem, method, run)


def permits_of(problem: Problem) -> Callable[[DAG], bool] | None:
    """Return the test that a problem's knowledge puts networks to; None where there is no knowledge."""
    return None if problem.constraints is None else problem.constraints.permits


def finished(problem: Problem, method: Method, run: Run) -> Result:
    """Return what a run has found; the network of required edges alone where it was stopped before it found any."""
    if run.progress.score == float("-inf"):
        run.offer(problem.base_score, lambda: problem.base)
    run.finish()
    if run.empty_score is None and "scorer" in vars(problem):  # local scores are at hand
        run.empty_score = problem.empty_score
    now = run.progress
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
        parameters=parameters_of(method),
        seed=run.seed,
        notes=tuple(run.notes),
        partial=run.partial,
        climbs=run.climbs,
        empty_score=run.empty_score,
        families=run.families or None,
    )


def parameters_of(method: Method) -> dict[str, Any]:
    """Return a method's parameters by name."""
    return {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}  # type: ignore[arg-type]
