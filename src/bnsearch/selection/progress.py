"""What a selection of parent sets tells while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scoring:
    """
    How far the scoring of parent sets has come.

    Attributes
    ----------
    task : what is under way; the tasks follow one another, and one that begins anew starts from a smaller `done`
    done, total : how much of it is done, and how much there is
    unit : of what: "sets" or "variables"
    found : candidate sets so far. While all sets of a size are scored, these are the sets kept; of what each variable
        finds by itself some is left out when the table is made, because a subset turns out to beat it. None where it is
        not known yet which sets are legal
    """

    task: str
    done: int
    total: int
    unit: str
    found: int | None


Listener = Callable[[Scoring], None]


def no_progress(now: Scoring) -> None:
    """Take a note of progress and do nothing."""
