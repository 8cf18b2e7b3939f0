"""The state that the runs of all methods have: counters, incumbent, trace, notes and random generator."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.values import (
    decode_generator,
    decode_parents,
    encode_generator,
    encode_number,
    encode_parents,
)
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.parent_sets.scope import decode_scope, encode_scope
from bnsearch.runs.method import Method, get_parameters
from bnsearch.runs.result import Result
from bnsearch.runs.stop import Progress
from bnsearch.runs.trace import Climbs, Trace

if TYPE_CHECKING:
    from bnsearch.runs.run import Run

COUNTERS = "iterations", "evaluations", "stale"
NUMBERS = "seconds", "score", "improved"


class RunRecorder:
    """
    Describes the state of a run at any time, from any thread.

    Parameters
    ----------
    run : the run, before its search begins
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._seconds = run.stop.seconds  # a search may apply a shorter limit for a while
        self._trace = array("d")  # the points of the trace so far as numbers, of which there may be many
        self._n_points = 0

    def describe(self, result: Result | None = None) -> Part:
        """Return the state; result : the result if the run has ended, otherwise None."""
        run = self._run
        progress, dag = run.get_snapshot()
        if result is not None:
            progress = replace(progress, seconds=result.seconds)
        facts = {
            **{name: getattr(progress, name) for name in COUNTERS},
            **{name: encode_number(getattr(progress, name)) for name in NUMBERS},
            "computed": run.computed,
            "notes": list(run.notes),
            "seed": run.seed,
            "generator": encode_generator(run.rng),
            "time budget": encode_number(self._seconds),
            "result": None if result is None else _describe_result(result),
        }
        arrays = {} if dag is None else encode_parents(dag.parents)
        arrays["trace"] = self._list_points(progress.score)
        if result is not None:
            climbs = result.climbs
            arrays["climbs"] = np.stack([climbs.initial, climbs.final, climbs.steps], axis=1)
        return Part(facts, arrays)

    def _list_points(self, score: float) -> NDArray[np.float64]:
        """Return float64[points, 6], the trace before it exceeds `score`; only its new points are converted."""
        for point in self._run.trace.points[self._n_points :]:
            if point.score > score:
                break
            self._n_points += 1
            self._trace.extend(getattr(point, name) for name in (*COUNTERS, *NUMBERS))
        return np.array(self._trace).reshape(-1, len(COUNTERS) + len(NUMBERS))


def restore_run(run: Run, part: Part, names: Sequence[str]) -> None:
    """Continue a run from a saved state: its clock, counters, generator, notes, trace and incumbent."""
    facts, points = part.facts, _make_points(part)
    if facts["result"] is not None:
        points = points[:-1]  # the state at the end of that run; all others are improvements
    run.budget.started -= float(facts["seconds"])
    run.seed, run.computed = int(facts["seed"]), int(facts["computed"])
    run.rng = decode_generator(run.seed, facts["generator"])
    run.notes[:] = map(str, facts["notes"])
    progress = _make_progress([facts[name] for name in (*COUNTERS, *NUMBERS)])
    if isfinite(progress.score):
        dag = DAG(names, decode_parents(part.arrays))
        run.progress = replace(progress, score=-inf)
        run.offer(progress.score, lambda: dag)
    run.trace.points[:] = points
    run.progress = replace(progress, seconds=run.seconds)
    for scores, steps in _make_climbs(part):
        run.climbs.add(*scores, steps)


def make_result(part: Part, names: Sequence[str], method: Method) -> Result:
    """Return the result of a run that has ended."""
    facts, ended = part.facts, part.facts["result"]
    climbs = Climbs()
    for scores, steps in _make_climbs(part):
        climbs.add(*scores, steps)
    return Result(
        dag=DAG(names, decode_parents(part.arrays)),
        score=float(facts["score"]),
        bound=None if ended["bound"] is None else float(ended["bound"]),
        optimal=bool(ended["optimal"]),
        stop=str(ended["stop"]),
        trace=Trace(_make_points(part)),
        iterations=int(facts["iterations"]),
        evaluations=int(facts["evaluations"]),
        computed=int(facts["computed"]),
        seconds=float(facts["seconds"]),
        method=method.name,
        parameters=get_parameters(method),
        seed=int(facts["seed"]),
        notes=tuple(map(str, facts["notes"])),
        scope=decode_scope(ended),
        climbs=climbs,
        empty_score=None if ended["empty score"] is None else float(ended["empty score"]),
        families=ended["families"],
        evidence=refuse_certificate if ended["has certificate"] else None,
    )


def _describe_result(result: Result) -> dict[str, Any]:
    """Return what the result has in addition to the state of the run, as JSON values."""
    return {
        "stop": result.stop,
        "optimal": result.optimal,
        "bound": None if result.bound is None else encode_number(result.bound),
        **encode_scope(result.scope),
        "empty score": None if result.empty_score is None else encode_number(result.empty_score),
        "families": result.families,
        "has certificate": result.evidence is not None,
    }


def _make_progress(numbers: Sequence[Any]) -> Progress:
    """Return the counters and the score of a run from the values of COUNTERS and NUMBERS."""
    iterations, evaluations, stale = map(int, numbers[: len(COUNTERS)])
    seconds, score, improved = map(float, numbers[len(COUNTERS) :])
    return Progress(seconds, iterations, evaluations, score, stale, improved)


def _make_points(part: Part) -> list[Progress]:
    return [_make_progress(numbers) for numbers in part.arrays["trace"].tolist()]


def _make_climbs(part: Part) -> list[tuple[tuple[float, float], int]]:
    """Return the scores and the numbers of steps of all climbs."""
    rows = part.arrays["climbs"].tolist() if "climbs" in part.arrays else []
    return [((initial, final), int(steps)) for initial, final, steps in rows]


def refuse_certificate() -> None:
    """Raise the error of a bound that was read from a checkpoint."""
    raise InputError(
        "a result that was read from a checkpoint has no certificate of the upper bound: run again without the "
        "checkpoint, or start over with --restart (restart=True)"
    )
