"""The checkpoint of a run of `learn` or `search`."""

from __future__ import annotations

import os
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from bnsearch.checkpoints.identity import identify_run
from bnsearch.checkpoints.opening import check_incumbent, open_checkpoint
from bnsearch.errors import InputError
from bnsearch.runs.method import get_declaration

if TYPE_CHECKING:
    from bnsearch.runs.method import Method
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.result import Result
    from bnsearch.runs.run import Run
    from bnsearch.runs.stop import Stop


def attach_checkpoint(
    run: Run,
    problem: Problem,
    method: Method,
    path: str | os.PathLike[str] | None,
    *,
    restart: bool,
    seed: int | None,
    stop: Stop | None,
) -> Result | None:
    """
    Give a run its checkpoint; return the result if the saved run has ended.

    path : the checkpoint; None is an error, because only a checkpoint can be started over
    restart : True if a saved run is replaced
    seed, stop : as the caller has given them; they are compared with those of the saved run
    """
    if path is None:
        raise InputError("restart needs a checkpoint: add --checkpoint (checkpoint=...), or leave restart out")
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"checkpoint must be a path such as 'run.bns', not {path!r}")
    identity = identify_run(problem, method, seed, stop)
    return open_checkpoint(path, problem, run, identity, method, restart=restart)


def begin_at_incumbent(problem: Problem, method: Method, run: Run) -> Problem:
    """Return the problem of a continued run, whose search begins at the incumbent if the method can do so."""
    if run.checkpoint is None or not run.checkpoint.is_resumed or not isfinite(run.progress.score):
        return problem
    with run.budget.clock_paused():
        check_incumbent(problem, run)
    return replace(problem, start=run.best()) if get_declaration(type(method)).begins_at_start else problem
