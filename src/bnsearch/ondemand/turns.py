"""Turns of a search: how long they last, and how the time is shared out between kinds of turns by what they gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

FADING = 0.3  # what the turns before count for, beside the last one


@dataclass(frozen=True)
class Turn:
    """How long a chain searches: a number of steps, or some seconds."""

    steps: float = inf
    seconds: float = inf

    def left(self, steps: int, seconds: float) -> float:
        """Return the share that is left after some steps and seconds."""
        return 1.0 - max(steps / self.steps, seconds / self.seconds)


@dataclass
class Kind:
    """
    A kind of turn: what it has gained of late, and the seconds that it is owed.

    Attributes
    ----------
    floor : of the rate of the best kind, what this one is taken to have at least
    gain, seconds : of the last turns, the earlier ones counting for less
    owed : seconds of search that it has not had yet
    least : seconds that a turn must last to be of use
    """

    floor: float
    gain: float = 0.0
    seconds: float = 0.0
    owed: float = 0.0
    least: float = 0.0

    @property
    def rate(self) -> float:
        """What it gains in a second; infinity before the first turn."""
        return self.gain / self.seconds if self.seconds > 0.0 else inf

    def note(self, gain: float, seconds: float) -> None:
        """Take note of a turn."""
        self.gain = FADING * self.gain + gain
        self.seconds = FADING * self.seconds + seconds
        self.owed -= seconds


def height_of(kind: Kind, kinds: Sequence[Kind]) -> float:
    """Return the rate of one kind as a share of the best one, its floor if that is higher; 1 where none gains."""
    best = max((each.rate for each in kinds if each.rate < inf), default=0.0)
    if best <= 0.0:
        return 1.0
    return max(kind.floor, kind.rate / best if kind.rate < inf else 0.0)


def share_out(kinds: Sequence[Kind], seconds: float) -> None:
    """Let every kind be owed a share of some seconds, as its rate."""
    heights = [height_of(kind, kinds) for kind in kinds]
    for kind, height in zip(kinds, heights, strict=True):
        kind.owed += height / sum(heights) * seconds
