"""One call, one budget: from a table to the best network that can be found in the time there is."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bnsearch._tools.memory import memory_of
from bnsearch.data.conversion import as_dataset
from bnsearch.data.suspicious_columns import describe_suspicious_columns
from bnsearch.errors import InputError, require
from bnsearch.knowledge import Knowledge
from bnsearch.learning.candidates import Selecting
from bnsearch.learning.methods import has_end, make_method, uses_table
from bnsearch.learning.search import finished, permits_of
from bnsearch.learning.warm_up import load_kernels
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Observer, Run
from bnsearch.runs.stop import AnyOf, Converged, Seconds, Stop
from bnsearch.scores import make_score
from bnsearch.selection.progress import Listener, no_progress

if TYPE_CHECKING:
    from bnsearch.scores.score import Score


def learn(
    data: Any,
    *,
    method: str | Method = "auto",
    score: str | Score = "bic",
    seconds: float | None = 60.0,
    seed: int | None = None,
    max_parents: int | None = None,
    knowledge: Knowledge | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory: int | float | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    stop: Stop | None = None,
    observers: Sequence[Observer] = (),
    progress: Listener = no_progress,
    clock: Callable[[], float] = time.perf_counter,
) -> Result:
    """
    Learn the structure of a Bayesian network: the best-scoring one that can be found in the time there is.

    Parameters
    ----------
    data : a `Dataset`, a pandas, polars or Arrow table, an array of codes, or the path of a file
    method : how to search, by name or as an object; "auto" chooses, and says in the result's notes what and why
    score : what to maximise, by name or as an object
    seconds : wall-clock time for everything: candidate parent sets, where the method needs them, and search. None runs
        a method that has an end of its own to it (a number of iterations, generations or restarts, or exact search),
        and any other until nothing better comes for long. The default of 60 s can cut off the number of iterations that
        a paper has
    seed : makes the result reproducible under a budget of iterations (`stop`)
    max_parents : the most parents of any variable
    knowledge : what every network must respect, or the file that says it
    threads : how many; None means all cores
    memory : for candidate tables, caches and islands together, in bytes or as text such as "2GB"; None means a quarter
        of the machine's memory, at most 4 GiB
    parameters : of the method, where it is given by name
    stop : a further rule: Iterations(100), Target(-1000), ...
    observers : called with a `Progress` at every improvement and now and then in between
    progress : called with a `Scoring` now and then while parent sets are scored, from any thread
    clock : seconds, for tests

    Ctrl-C, at any moment, ends the work and returns the best network so far; a second one raises KeyboardInterrupt.
    Kernels are compiled on the first call, or loaded, before the clock starts.
    """
    chosen = _method(method, parameters)
    rule = _rule(seconds, stop, chosen)
    _check_listeners(observers, progress)
    table = as_dataset(data)
    problem = Problem(
        data=table,
        score=_score(score),
        knowledge=_limited(knowledge, max_parents, table.names),
        threads=threads,
        memory=memory_of(memory),
    )
    if problem.size < 2:
        raise InputError(
            f"the table has one column, {problem.names[0]!r}: there is no structure to learn; "
            "in a file, commas separate the columns"
        )
    select = Selecting(max_parents, progress)
    if uses_table(chosen):
        select.load(problem)
    load_kernels(problem, chosen)
    run = Run(
        rule,
        seed=seed,
        threads=threads,
        observers=observers,
        permits=permits_of(problem),
        select=select,
        clock=clock,
    )
    for text in describe_suspicious_columns(table):
        run.remark(text)
    with run.listening():
        chosen.search(problem, run)
        return finished(problem, chosen, run)


def _method(method: str | Method, parameters: Mapping[str, Any] | None) -> Method:
    if isinstance(method, str):
        return make_method(method, **(parameters or {}))
    if isinstance(method, type) or not hasattr(method, "search"):
        raise InputError(f"method must be a name or a method such as Tabu(length=5), not {method!r}")
    if parameters:
        raise InputError("parameters go with the name of a method; one that is given as an object has its own")
    return method


def _score(score: str | Score) -> Score:
    if isinstance(score, str):
        return make_score(score)
    if isinstance(score, type) or not hasattr(score, "joint"):
        raise InputError(f"score must be a name or a score such as BDeu(ess=5), not {score!r}")
    return score


def _rule(seconds: float | None, stop: Stop | None, method: Method) -> Stop:
    """Return the stopping rule of a budget: time, and what else is asked for; without any, the method's end."""
    if stop is not None and not isinstance(stop, Stop):
        raise InputError(f"stop must be a rule such as Iterations(100), not {stop!r}")
    if seconds is not None and seconds != math.inf:
        require("seconds", seconds, above=0)
        return Seconds(seconds) if stop is None else Seconds(seconds) | stop
    if stop is None:
        return AnyOf() if has_end(method) else Converged()
    return AnyOf((stop,))


def _check_listeners(observers: object, progress: object) -> None:
    """Refuse what cannot be called, before the work and not in the midst of it."""
    if not isinstance(observers, Sequence) or not all(callable(observer) for observer in observers):
        raise InputError(f"observers must be a list of functions, such as [print], not {observers!r}")
    if not callable(progress):
        raise InputError(f"progress must be a function, such as print, not {progress!r}")


def _limited(
    knowledge: Knowledge | str | os.PathLike[str] | None, max_parents: int | None, names: Sequence[str]
) -> Knowledge | None:
    """Return knowledge, read where it is a path, with a limit on all in-degrees."""
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
        return replace(known, max_parents=others | {name: min(most, max_parents) for name, most in limits.items()})
    return replace(known, max_parents=min(limits, max_parents))
