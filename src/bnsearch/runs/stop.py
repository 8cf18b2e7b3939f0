"""Stopping rules: pure functions of the progress of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from bnsearch.errors import require
from bnsearch.parent_sets.scope import ALL_NETWORKS, Scope


@dataclass(frozen=True)
class Progress:
    """
    Counters and incumbent of a run.

    Attributes
    ----------
    seconds : float
        Elapsed time.
    iterations : int
        Number of steps of the method's main loop, such as climbs, generations or perturbations.
    evaluations : int
        Number of local scores that were requested.
    score : float
        Score of the incumbent; minus infinity before the first network.
    stale : int
        Number of iterations since the last improvement.
    improved : float
        Elapsed time at the last improvement.
    bound : float or None
        Upper bound of the score; None if none is known.
    scope : Scope
        The networks that the bound covers.

    Examples
    --------
    >>> import bnsearch
    >>> now = bnsearch.Progress(seconds=2.0, score=-90, bound=-80)
    >>> now.gap
    0.125
    """

    seconds: float = 0.0
    iterations: int = 0
    evaluations: int = 0
    score: float = float("-inf")
    stale: int = 0
    improved: float = 0.0
    bound: float | None = None
    scope: Scope = ALL_NETWORKS

    @property
    def gap(self) -> float | None:
        """Difference of bound and score, relative to the bound."""
        return relative_gap(self.score, self.bound)


def relative_gap(score: float, bound: float | None) -> float | None:
    """Return the difference of a bound and a score, relative to the bound; None without a bound."""
    return None if bound is None else max(0.0, bound - score) / max(1.0, abs(bound))


class Stop:
    """
    A stopping rule; `Seconds(60) | Target(-100)` stops as soon as one of both rules does.

    Examples
    --------
    >>> import bnsearch
    >>> rule = bnsearch.Seconds(60) | bnsearch.Target(-100)
    >>> rule.reason(bnsearch.Progress(seconds=5, score=-90))
    'target'
    """

    def reason(self, progress: Progress) -> str | None:
        """Return the reason to stop, or None."""
        raise NotImplementedError

    @property
    def seconds(self) -> float:
        """Time after which the rule stops in any case; infinity if there is none."""
        return inf

    def __or__(self, other: Stop) -> AnyOf:
        return AnyOf(_parts(self) + _parts(other))


@dataclass(frozen=True)
class AnyOf(Stop):
    """
    Stop as soon as one of the rules does; without rules, never.

    Examples
    --------
    >>> import bnsearch
    >>> rule = bnsearch.AnyOf((bnsearch.Seconds(60), bnsearch.Target(-100)))
    >>> rule.reason(bnsearch.Progress(seconds=61))
    'seconds'
    """

    rules: tuple[Stop, ...] = ()

    def reason(self, progress: Progress) -> str | None:
        """Return the reason of the first rule that has one."""
        return next((why for rule in self.rules if (why := rule.reason(progress)) is not None), None)

    @property
    def seconds(self) -> float:
        """The shortest time of any rule."""
        return min((rule.seconds for rule in self.rules), default=inf)


def count_allowed_iterations(rule: Stop, now: Progress, max_iterations: int) -> int:
    """Return the number of iterations, up to a maximum, that a rule allows if none improves the score."""
    fits, too_many = 0, max_iterations + 1
    while too_many - fits > 1:  # bisection: a rule that allows some iterations allows fewer
        middle = (fits + too_many) // 2
        last = replace(now, iterations=now.iterations + middle - 1, stale=now.stale + middle - 1)
        if rule.reason(last) is None:
            fits = middle
        else:
            too_many = middle
    return fits


def _parts(rule: Stop) -> tuple[Stop, ...]:
    return rule.rules if isinstance(rule, AnyOf) else (rule,)


@dataclass(frozen=True)
class Seconds(Stop):
    """
    Stop after a number of seconds of wall-clock time.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.Seconds(60).reason(bnsearch.Progress(seconds=61))
    'seconds'
    """

    limit: float

    def __post_init__(self) -> None:
        require("seconds", self.limit, at_least=0)

    def reason(self, progress: Progress) -> str | None:
        """Return "seconds" if the time has passed."""
        return "seconds" if progress.seconds >= self.limit else None

    @property
    def seconds(self) -> float:
        """The limit."""
        return self.limit


@dataclass(frozen=True)
class Iterations(Stop):
    """
    Stop after a number of iterations of the method's main loop.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.Iterations(100).reason(bnsearch.Progress(iterations=100))
    'iterations'
    """

    limit: int

    def __post_init__(self) -> None:
        require("iterations", self.limit, at_least=1, whole=True)

    def reason(self, progress: Progress) -> str | None:
        """Return "iterations" if the limit is reached."""
        return "iterations" if progress.iterations >= self.limit else None


@dataclass(frozen=True)
class Evaluations(Stop):
    """
    Stop after a number of requested local scores; this is checked between batches, so there may be more.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.Evaluations(1000).reason(bnsearch.Progress(evaluations=1024))
    'evaluations'
    """

    limit: int

    def __post_init__(self) -> None:
        require("evaluations", self.limit, at_least=1, whole=True)

    def reason(self, progress: Progress) -> str | None:
        """Return "evaluations" if the limit is reached."""
        return "evaluations" if progress.evaluations >= self.limit else None


@dataclass(frozen=True)
class Target(Stop):
    """
    Stop when a score is reached.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.Target(-1000).reason(bnsearch.Progress(score=-999))
    'target'
    """

    score: float

    def __post_init__(self) -> None:
        require("target", self.score, at_least=-inf)

    def reason(self, progress: Progress) -> str | None:
        """Return "target" if the score is at least the target, up to a relative rounding error of 1e-9."""
        return "target" if progress.score >= self.score - 1e-9 * max(1.0, abs(self.score)) else None


@dataclass(frozen=True)
class NoImprovement(Stop):
    """
    Stop after a number of iterations without an improvement.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.NoImprovement(10).reason(bnsearch.Progress(stale=10))
    'no improvement'
    """

    limit: int

    def __post_init__(self) -> None:
        require("no_improvement", self.limit, at_least=1, whole=True)

    def reason(self, progress: Progress) -> str | None:
        """Return "no improvement" if the limit of iterations without improvement is reached."""
        return "no improvement" if progress.stale >= self.limit else None


@dataclass(frozen=True)
class Converged(Stop):
    """
    Stop after a long time without an improvement, but not before the first network.

    Parameters
    ----------
    patience : float, default 2.0
        Time to wait, relative to the elapsed time at the last improvement.
    at_least : float, default 10.0
        Minimum number of seconds to wait.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.Converged().reason(bnsearch.Progress(seconds=31, score=-5, improved=10))
    'converged'
    """

    patience: float = 2.0
    at_least: float = 10.0

    def __post_init__(self) -> None:
        require("patience", self.patience, at_least=0)
        require("at_least", self.at_least, at_least=0)

    def reason(self, progress: Progress) -> str | None:
        """Return "converged" if the time without improvement exceeds both limits."""
        waited = progress.seconds - progress.improved
        enough = waited >= max(self.at_least, self.patience * progress.improved)
        return "converged" if enough and progress.score > -inf else None
