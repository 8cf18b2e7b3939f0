"""Stopping rules: pure predicates of how far a run has come."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from bnsearch.errors import require


@dataclass(frozen=True)
class Progress:
    """
    How far a run has come.

    Attributes
    ----------
    seconds : since the run began
    iterations : steps of the method's main loop: climbs, generations, perturbations
    evaluations : local scores asked for
    score : the best so far, minus infinity before there is one
    stale : iterations since the best was found
    improved : when it was found, in seconds
    bound : no network scores higher; None where no bound is known
    partial : whether candidate sets that may matter are missing: the bound is about networks of those that were kept
    """

    seconds: float = 0.0
    iterations: int = 0
    evaluations: int = 0
    score: float = float("-inf")
    stale: int = 0
    improved: float = 0.0
    bound: float | None = None
    partial: bool = False

    @property
    def gap(self) -> float | None:
        """How far the score is below the bound, relative to the bound."""
        return relative_gap(self.score, self.bound)


def relative_gap(score: float, bound: float | None) -> float | None:
    """Return how far a score is below a bound, relative to the bound; None where there is no bound."""
    return None if bound is None else max(0.0, bound - score) / max(1.0, abs(bound))


class Stop:
    """A rule that says when a run has had enough; `Seconds(60) | Target(-100)` is whichever comes first."""

    def reason(self, progress: Progress) -> str | None:
        """Return why to stop, or None to go on."""
        raise NotImplementedError

    @property
    def seconds(self) -> float:
        """The time after which the rule stops in any case; infinity where there is none."""
        return inf

    def __or__(self, other: Stop) -> AnyOf:
        return AnyOf(_parts(self) + _parts(other))


@dataclass(frozen=True)
class AnyOf(Stop):
    """Stop as soon as one of the rules says so; without rules, never."""

    rules: tuple[Stop, ...] = ()

    def reason(self, progress: Progress) -> str | None:
        """Return the first reason there is."""
        return next((why for rule in self.rules if (why := rule.reason(progress)) is not None), None)

    @property
    def seconds(self) -> float:
        """The shortest time of any rule."""
        return min((rule.seconds for rule in self.rules), default=inf)


def _parts(rule: Stop) -> tuple[Stop, ...]:
    return rule.rules if isinstance(rule, AnyOf) else (rule,)


@dataclass(frozen=True)
class Seconds(Stop):
    """Stop when this much wall-clock time has passed."""

    limit: float

    def __post_init__(self) -> None:
        require("seconds", self.limit, at_least=0)

    def reason(self, progress: Progress) -> str | None:
        """Return "seconds" when the time is up."""
        return "seconds" if progress.seconds >= self.limit else None

    @property
    def seconds(self) -> float:
        """The limit."""
        return self.limit


@dataclass(frozen=True)
class Iterations(Stop):
    """Stop after this many iterations of the method's main loop."""

    limit: int

    def __post_init__(self) -> None:
        require("iterations", self.limit, at_least=1, whole=True)

    def reason(self, progress: Progress) -> str | None:
        """Return "iterations" when they are done."""
        return "iterations" if progress.iterations >= self.limit else None


@dataclass(frozen=True)
class Evaluations(Stop):
    """Stop once this many local scores were asked for; looked at between batches of work, so that more may be."""

    limit: int

    def __post_init__(self) -> None:
        require("evaluations", self.limit, at_least=1, whole=True)

    def reason(self, progress: Progress) -> str | None:
        """Return "evaluations" when they are spent."""
        return "evaluations" if progress.evaluations >= self.limit else None


@dataclass(frozen=True)
class Target(Stop):
    """Stop when the score is reached."""

    score: float

    def __post_init__(self) -> None:
        require("target", self.score, at_least=-inf)

    def reason(self, progress: Progress) -> str | None:
        """Return "target" when the score is at least the target, but for rounding in the last printed digit."""
        return "target" if progress.score >= self.score - 1e-9 * max(1.0, abs(self.score)) else None


@dataclass(frozen=True)
class NoImprovement(Stop):
    """Stop when this many iterations in a row found nothing better."""

    limit: int

    def __post_init__(self) -> None:
        require("no_improvement", self.limit, at_least=1, whole=True)

    def reason(self, progress: Progress) -> str | None:
        """Return "no improvement" after so many iterations without one."""
        return "no improvement" if progress.stale >= self.limit else None


@dataclass(frozen=True)
class Converged(Stop):
    """
    Stop when nothing better has come for long; not before there is anything.

    Parameters
    ----------
    patience : how long, in units of the time that it took to find the best
    at_least : seconds to wait in any case
    """

    patience: float = 2.0
    at_least: float = 10.0

    def __post_init__(self) -> None:
        require("patience", self.patience, at_least=0)
        require("at_least", self.at_least, at_least=0)

    def reason(self, progress: Progress) -> str | None:
        """Return "converged" when the wait was long enough."""
        waited = progress.seconds - progress.improved
        enough = waited >= max(self.at_least, self.patience * progress.improved)
        return "converged" if enough and progress.score > -inf else None
