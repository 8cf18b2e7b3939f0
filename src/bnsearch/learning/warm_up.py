"""Compilation or loading of kernels, while the clock of a run is paused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bnsearch.data import Dataset
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations

if TYPE_CHECKING:
    from bnsearch.scores.score import Score


def load_kernels(problem: Problem, method: Method, *, rare: bool = True) -> None:
    """
    Compile or load the kernels of a method, so that this takes no time of its run.

    A method of the library solves a tiny problem with its default parameters, once in a process for each kind of
    method, data and score. A method that loads the kernels of other methods when it chooses them has the attribute
    `loads_later`. A method with kernels that a short search does not use has a method `load_rare_kernels(problem)`.

    rare : False skips `load_rare_kernels`
    """
    loaded: Any = type(method)
    if loads_later(method) or not is_built_in(loaded):
        return
    kind = _find_kind(problem, loaded)
    if kind not in _loaded:
        tiny = tiny_problem(problem)
        loaded().search(tiny, Run(Iterations(3), seed=0))
        _ = tiny.base_score
        _loaded.add(kind)
    if rare and hasattr(loaded, "load_rare_kernels") and (*kind, "rare") not in _loaded:
        loaded().load_rare_kernels(tiny_problem(problem))
        _loaded.add((*kind, "rare"))


def _find_kind(problem: Problem, purpose: object) -> tuple[object, ...]:
    """Return what decides which kernels are loaded: their purpose, and the types of the codes and of the score."""
    return purpose, None if problem.data is None else problem.data.codes.dtype, type(problem.score)


def load_scorer_kernels(problem: Problem) -> None:
    """Compile or load the kernels that score single families, once in a process."""
    kind = _find_kind(problem, load_scorer_kernels)
    if kind not in _loaded:
        _ = tiny_problem(problem).base_score
        _loaded.add(kind)


def loads_later(method: Method) -> bool:
    """Return True if a method loads kernels during its search, while the clock is paused."""
    return getattr(type(method), "loads_later", False)


def load_table_kernels(method: Method, *, rare: bool = True) -> None:
    """Compile or load the kernels with which a method searches a given candidate table."""
    load_kernels(Problem(table=tiny_table()), method, rare=rare)


def is_built_in(kind: type) -> bool:
    """Return True if a class belongs to the library."""
    return kind.__module__.partition(".")[0] == "bnsearch"


_loaded: set[tuple[object, ...]] = set()


def tiny_problem(problem: Problem) -> Problem:
    """Return a tiny problem of the same kind, with enough states of some variables to use all ways of counting."""
    if problem.data is not None and not problem.has_python_score:
        return make_tiny_problem(problem.data.codes.dtype.itemsize, problem.needed_score)
    return Problem(table=tiny_table())


def make_tiny_problem(bytes_per_code: int, score: Score) -> Problem:
    """Return a tiny problem with data."""
    rows = np.array([[0, 0, 0, 0, 0], [1, 1, 0, 1, 1], [0, 0, 1, 0, 0], [1, 1, 1, 1, 1]] * 4)
    wide = 200 if bytes_per_code == 1 else 300
    return Problem(data=Dataset.from_codes(rows, arities=[2, 2, 2, wide, wide]), score=score)


def tiny_table() -> ParentSets:
    """Return a candidate table of three variables, each with the next one as its best parent."""
    return ParentSets.build(
        ["a", "b", "c"],
        np.array([0, 1, 2, 0, 1, 2], dtype=np.int32),
        np.array([-3.0, -3.0, -3.0, -1.0, -1.0, -1.0]),
        np.array([0, 0, 0, 0, 1, 2, 3]),
        np.array([1, 2, 0], dtype=np.int32),
    )
