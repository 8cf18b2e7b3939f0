"""Run one method on one problem."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from bnsearch.graphs.dag import DAG
from bnsearch.problem import Problem
from bnsearch.result import Result
from bnsearch.run import Observer, Run
from bnsearch.stop import Iterations, Stop

if TYPE_CHECKING:
    from bnsearch.parent_sets.table import ParentSets


class Method(Protocol):
    """
    A way to search: a frozen dataclass whose fields are its parameters.

    `search` offers networks to the run until `run.going()` says no, or until it has nothing left to do.
    """

    name: ClassVar[str]

    def search(self, problem: Problem, run: Run) -> None:
        """Search, offering to the run what is found."""
        ...


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


def load_kernels(problem: Problem, method: Method) -> None:
    """
    Have the kernels compiled, or loaded, that a method needs, so that this does not count as time of its run.

    A method of the library, with its default parameters, solves a problem of few variables; once in a process for
    each kind of method, problem and score. One that chooses among others names those that it needs in any case.
    """
    from bnsearch.methods import TABLE_METHODS, methods

    for loaded in getattr(type(method), "needs", (type(method),)):
        if problem.data is None and loaded.name not in TABLE_METHODS and loaded is not type(method):
            continue  # it works with data alone
        kind = (loaded, None if problem.data is None else problem.data.codes.dtype, type(problem.score))
        if kind not in _loaded and loaded in methods().values():
            tiny = tiny_problem(problem)
            loaded().search(tiny, Run(Iterations(3), seed=0))
            _ = tiny.base_score
            _loaded.add(kind)


_loaded: set[tuple[object, ...]] = set()


def tiny_problem(problem: Problem) -> Problem:
    """Return a problem of the same kind with few variables, some of so many states that all ways of counting serve."""
    if problem.data is not None:
        from bnsearch.data import Dataset

        rows = np.array([[0, 0, 0, 0, 0], [1, 1, 0, 1, 1], [0, 0, 1, 0, 0], [1, 1, 1, 1, 1]] * 4)
        wide = 200 if problem.data.codes.dtype.itemsize == 1 else 300
        return Problem(data=Dataset.from_codes(rows, arities=[2, 2, 2, wide, wide]), score=problem.score)
    return Problem(table=tiny_table())


def tiny_table() -> ParentSets:
    """Return a table of three variables, each of which would have the next as a parent."""
    from bnsearch.parent_sets.table import ParentSets

    return ParentSets.build(
        ["a", "b", "c"],
        np.array([0, 1, 2, 0, 1, 2], dtype=np.int32),
        np.array([-3.0, -3.0, -3.0, -1.0, -1.0, -1.0]),
        np.array([0, 0, 0, 0, 1, 2, 3]),
        np.array([1, 2, 0], dtype=np.int32),
    )


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
