"""Validation of the arguments of `learn`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.knowledge import Knowledge
from bnsearch.learning.methods import has_end, make_method
from bnsearch.runs.method import Method, Needs, check_method_class, get_declaration
from bnsearch.runs.stop import AnyOf, Converged, Seconds, Stop
from bnsearch.scores import make_score
from bnsearch.scores.local import as_score

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from bnsearch.distributed.workers import Workers
    from bnsearch.runs.problem import Problem
    from bnsearch.scores.score import Score


def check_method(method: str | Method, parameters: Mapping[str, Any] | None) -> Method:
    """Return a method given by name and parameters, or as an object."""
    if isinstance(method, str):
        return make_method(method, **(parameters or {}))
    if isinstance(method, type) or not hasattr(method, "search"):
        raise InputError(f"method must be a name or a method such as Tabu(length=5), not {method!r}")
    check_method_class(type(method))
    if parameters:
        raise InputError(
            "parameters can only be given with the name of a method: set them in the object, such as Tabu(length=5)"
        )
    return method


def check_score(score: str | Score | Callable[..., float]) -> Score:
    """Return a score given by name, as an object or as a function."""
    return make_score(score) if isinstance(score, str) else as_score(score)


def check_support(method: Method, problem: Problem) -> None:
    """Raise an error if a method cannot solve a problem, before the run starts."""
    needs = get_declaration(type(method)).needs
    if problem.data is None and needs == Needs.DATA:
        raise InputError(f"the method {method.name} needs data and a score: a candidate table is not enough")
    if problem.has_python_score and needs == Needs.DATA:
        raise InputError(
            f"the method {method.name} computes local scores in compiled kernels, but the score "
            f"{problem.needed_score.name} is a Python function: use a method that searches over a candidate table, "
            "such as auto, rinobs or exact"
        )


def check_observers(observers: object) -> None:
    """Raise an error if an observer cannot be called."""
    if not isinstance(observers, Sequence) or not all(callable(observer) for observer in observers):
        raise InputError(f"observers must be a list of functions, such as [print], not {observers!r}")


def check_executor(executor: Executor | Workers | None) -> Workers | None:
    """Return the workers of an executor; None without one."""
    if executor is None:
        return None
    from bnsearch.distributed.workers import as_workers

    return as_workers(executor)


def check_size(table: Dataset) -> None:
    """Raise an error if a table has fewer than two columns."""
    if table.n_variables < 2:
        raise InputError(
            f"the table has one column, {table.names[0]!r}: there is no structure to learn; "
            "in a file, commas separate the columns"
        )


def make_stopping_rule(seconds: float | None, stop: Stop | None, method: Method) -> Stop:
    """
    Return the rule of a time budget and of a further rule.

    Without both, the rule is empty if the method ends by itself, and `Converged()` otherwise.
    """
    if stop is not None and not isinstance(stop, Stop):
        raise InputError(f"stop must be a rule such as Iterations(100), not {stop!r}")
    if seconds is not None and seconds != math.inf:
        require("seconds", seconds, above=0)
        return Seconds(seconds) if stop is None else Seconds(seconds) | stop
    if stop is None:
        return AnyOf() if has_end(method) else Converged()
    return AnyOf((stop,))


def limit_parents(
    knowledge: Knowledge | str | os.PathLike[str] | None, max_parents: int | None, names: Sequence[str]
) -> Knowledge | None:
    """Return knowledge, which is read if a path is given, with a limit on the number of parents of all variables."""
    known = Knowledge.read(knowledge) if isinstance(knowledge, str | os.PathLike) else knowledge
    if known is not None and not isinstance(known, Knowledge):
        raise InputError(f"knowledge must be a Knowledge or the path of a file, not {known!r}")
    if max_parents is None:
        return known
    require("max_parents", max_parents, at_least=0, whole=True)
    if known is None or known.max_parents is None:
        return replace(known or Knowledge(), max_parents=max_parents)
    limits = known.max_parents
    if isinstance(limits, Mapping):
        others = {name: max_parents for name in names if name not in limits}
        return replace(known, max_parents=others | {name: min(limit, max_parents) for name, limit in limits.items()})
    return replace(known, max_parents=min(limits, max_parents))
