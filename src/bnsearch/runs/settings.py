"""The settings of a run: what is needed to repeat it, in addition to method, parameters and seed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bnsearch._tools.registry import parameters_of
from bnsearch.errors import InputError
from bnsearch.runs.stop import AnyOf, Seconds, Stop

if TYPE_CHECKING:
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.run import Run
    from bnsearch.scores.score import Score


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    The score, the budget and the input of a run.

    Attributes
    ----------
    score, score_parameters
        Name and parameters of the score; None if the run had a candidate table only.
    rows : int or None
        Number of rows of the data.
    seconds : float or None
        Time budget; None if it was not limited.
    rule : str or None
        Further stopping rule; None if there is none.
    threads : int
        Number of threads.
    memory : int
        Bytes for tables and caches.
    has_table, has_knowledge, has_start : bool
        Whether a candidate table, background knowledge or an initial network was given.
    """

    score: str | None
    score_parameters: dict[str, Any] = field(default_factory=dict)
    rows: int | None
    seconds: float | None
    rule: str | None
    threads: int
    memory: int
    has_table: bool
    has_knowledge: bool
    has_start: bool

    def make_score(self) -> Score | None:
        """Return the score; None if the run had none, or if it is not registered, as a Python function."""
        from bnsearch.scores.named import SCORES

        if self.score is None:
            return None
        try:
            return SCORES.make(self.score, self.score_parameters)
        except InputError:
            return None


def describe_settings(run: Run, problem: Problem) -> Settings:
    """Return the settings of a run on a problem."""
    score, seconds = problem.score, run.stop.seconds
    return Settings(
        score=None if score is None else score.name,
        score_parameters={} if score is None else {name: getattr(score, name) for name in parameters_of(type(score))},
        rows=None if problem.data is None else problem.data.n_rows,
        seconds=seconds if math.isfinite(seconds) else None,
        rule=describe_rule(run.stop),
        threads=run.threads,
        memory=run.budget.memory,
        has_table=problem.table is not None,
        has_knowledge=problem.knowledge is not None,
        has_start=problem.start is not None,
    )


def describe_rule(stop: Stop) -> str | None:
    """Return a stopping rule without its time budget; None if there is no other rule."""
    rules = stop.rules if isinstance(stop, AnyOf) else (stop,)
    return " | ".join(str(rule) for rule in rules if not isinstance(rule, Seconds)) or None
