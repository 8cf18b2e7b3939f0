"""Progress events: one small type for candidate selection and for search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from bnsearch.runs.stop import Progress

SEARCHING = "searching"  # the task of every event of a search
COMPILING = "compiling kernels"  # the task of events before the first run, whose total is infinite


@dataclass(frozen=True)
class Event:
    """
    A report on work in progress.

    Attributes
    ----------
    task : str
        Current task: "searching", "compiling kernels", or a task of candidate selection such as "growing parent sets".
    done, total : float
        Finished and total amount of work. `done` starts again at 0 if a task is repeated. For a search these are
        the elapsed time and the time budget, which may be infinite. The total number of kernels is infinite,
        because it is not known.
    unit : str
        Unit of both: "sets", "variables", "seconds" or "kernels".
    found : int or None
        Number of candidate parent sets so far; None during a search, and while it is not known which sets are
        legal.
    progress : Progress or None
        Counters and incumbent of a search; None during candidate selection, and while kernels are compiled before
        there is a first network.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> events = []
    >>> result = bnsearch.learn(data, seconds=5, observers=[events.append])
    >>> isinstance(events[0], bnsearch.Event)
    True
    """

    task: str
    done: float
    total: float
    unit: str
    found: int | None = None
    progress: Progress | None = None


Observer = Callable[[Event], None]


@runtime_checkable
class PauseObserver(Protocol):
    """An observer that is also told when the clock of the run is paused, such as a display of the remaining time."""

    def __call__(self, event: Event, /) -> None:
        """Show an event."""

    def set_paused(self, paused: bool) -> None:
        """Note that the clock is paused, or that it continues."""
