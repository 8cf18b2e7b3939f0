"""Begin, continue or look up the run of a checkpoint."""

from __future__ import annotations

import os
from dataclasses import replace
from math import isclose
from typing import TYPE_CHECKING

from bnsearch.checkpoints.checkpoint import IDENTITY, RUN, Checkpoint
from bnsearch.checkpoints.container import Container, Part
from bnsearch.checkpoints.identity import Identity, list_differences
from bnsearch.checkpoints.run_state import make_result, restore_run
from bnsearch.errors import InputError
from bnsearch.runs.settings import describe_settings

if TYPE_CHECKING:
    from bnsearch.runs.method import Method
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.result import Result
    from bnsearch.runs.run import Run

MAX_SCORE_ERROR = 1e-9  # largest relative difference of the saved score and the computed one
STOPPED = "interrupted", "terminated", "workers"  # reasons after which a run has not ended: it continues


def open_checkpoint(
    path: str | os.PathLike[str],
    problem: Problem,
    run: Run,
    identity: Identity,
    method: Method,
    *,
    restart: bool = False,
) -> Result | None:
    """
    Give a run its checkpoint; return the result if the saved run has ended.

    Otherwise the run continues from the saved state, or begins a new checkpoint. An InputError is raised if the path
    is not writable or has something else, and if the files are damaged or belong to another run.
    """
    container = Container(path)
    is_there = container.check()
    saved = container.read() if is_there and not restart else {}
    if saved:
        with container.damage_reported():
            check_identity(container, saved[IDENTITY], identity)
            if has_ended(saved[RUN], run):
                found = make_result(saved[RUN], problem.names, method)
                note = f"the run of the checkpoint {container.name} has ended: this is its result"
                return replace(
                    found,
                    notes=(*found.notes, note),
                    scope=problem.restrict(found.scope),
                    settings=describe_settings(run, problem),
                    knowledge=problem.knowledge,
                )
            restore_run(run, saved[RUN], problem.names)
        run.remark(f"continued from the checkpoint {container.name} after {run.seconds:.1f} s")
    run.checkpoint = Checkpoint(container, run, identity, saved)
    if not saved:
        begin_files(container, run.checkpoint, is_there=is_there)
    container.remove_leftovers()
    return None


def begin_files(container: Container, checkpoint: Checkpoint, *, is_there: bool) -> None:
    """Write the first state of a new run, so that a path that is not writable is reported before the search."""
    parts = {name: part for name, part in checkpoint.collect_parts().items() if part is not None}
    try:
        if is_there:
            container.write(parts)
        else:
            container.create(parts)
    except OSError as error:
        raise InputError(f"cannot write {container.name}: {error.strerror or error}") from None


def check_identity(container: Container, saved: Part, identity: Identity) -> None:
    """Raise an error if a checkpoint belongs to a run with other input or other settings."""
    differences = list_differences(saved.facts, identity)
    if differences:
        raise InputError(
            f"the checkpoint {container.name} belongs to another run ({'; '.join(differences)}): use the same input "
            "and options, another name, or start over with --restart (restart=True)"
        )


def has_ended(saved: Part, run: Run) -> bool:
    """Return True if nothing is left to do in a saved run with the time budget and the rule of this one."""
    ended = saved.facts["result"]
    if ended is None or ended["stop"] in STOPPED:
        return False
    return bool(ended["optimal"]) or run.stop.seconds <= float(saved.facts["time budget"])


def check_incumbent(problem: Problem, run: Run) -> None:
    """Raise an error if the incumbent of a checkpoint is not legal, or if its score is another one than that saved."""
    if problem.data is None or run.progress.score == float("-inf"):
        return
    computed = problem.score_of(run.best())
    if not isclose(computed, run.progress.score, rel_tol=MAX_SCORE_ERROR, abs_tol=MAX_SCORE_ERROR):
        raise InputError(
            f"the network of the checkpoint has the score {computed:.6f}, not {run.progress.score:.6f} as saved: the "
            "score function has changed; start over with --restart (restart=True)"
        )
