"""Progress bars on the terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

from bnsearch.runs.result import describe_quality

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from bnsearch.budgets.events import Event, Observer
    from bnsearch.runs.stop import Progress


class Display:
    """
    One row for candidate selection and one row for the search, each with the task, a bar and a note.

    Parameters
    ----------
    bars : rich's progress display
    clock : function that returns the current time in seconds
    """

    def __init__(self, bars: Bars, clock: Callable[[], float] = time.monotonic) -> None:
        self._bars, self._clock = bars, clock
        self._selection = bars.add_task(
            "loading kernels", total=None, note="the first run compiles them, in a few minutes"
        )
        self._search: TaskID | None = None
        self._first, self._last, self._began = 0.0, ("", 0.0), 0.0
        self._lock = threading.Lock()  # selection reports from several threads

    def show(self, event: Event) -> None:
        """Show an event."""
        with self._lock:
            if event.progress is None:
                self._show_selection(event)
            else:
                self._show_search(event, event.progress)

    def _show_selection(self, event: Event) -> None:
        """Update the row of the selection; the rate is measured from the first event of a task."""
        task, done = self._last
        if event.task != task or event.done < done:
            self._first, self._began = event.done, self._clock()
        self._last = event.task, event.done
        rate = (event.done - self._first) / max(1e-9, self._clock() - self._began)
        note = selection_note(event, rate)
        self._bars.update(self._selection, description=event.task, note=note, visible=True)
        self._bars.update(self._selection, completed=event.done, total=event.total)

    def _show_search(self, event: Event, progress: Progress) -> None:
        """Update the row of the search, and hide that of the selection until its next event."""
        if self._search is None:
            self._search = self._bars.add_task(event.task, total=event.total if event.total < inf else None, note="")
        self._bars.update(self._selection, visible=False)
        self._bars.update(self._search, completed=event.done, note=search_note(progress, event.total))


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[list[Observer]]:
    """Yield observers that show progress bars on stderr; none if `quiet` or if stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield []
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.table import Column

    console = Console(stderr=True)
    width = max(6, min(24, console.width - 74))  # the longest note has 74 characters with the task
    bar = BarColumn(bar_width=width, table_column=Column(min_width=width))
    columns = TextColumn("{task.description}"), bar, TextColumn("{task.fields[note]}")
    with Bars(*columns, console=console, transient=True) as bars:
        yield [Display(bars).show]


def selection_note(event: Event, rate: float) -> str:
    """Return the state of a selection: work done, rate, number of candidate sets."""
    parts = [f"{_short(event.done)} of {_short(event.total)} {event.unit}"]
    if rate > 0:
        parts.append(f"{_short(rate)}/s")
    if event.found is not None:
        parts.append(f"{_short(event.found)} {'kept' if event.unit == 'sets' else 'sets found'}")
    return ", ".join(parts)


def _short(number: float) -> str:
    """Return a number in a few characters, such as 12.2k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= max(size, 1e4):
            return f"{number / size:.3g}{letter}" if number < 999.5 * size else f"{number / size:,.0f}{letter}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def search_note(progress: Progress, seconds: float) -> str:
    """Return the state of a search: score, gap, time since the last improvement, remaining time or iterations."""
    parts = [f"score {progress.score:,.1f}"]
    if progress.gap is not None:
        parts.append(describe_quality(progress.gap, optimal=False, partial=progress.partial))
    parts.append(f"found {progress.seconds - progress.improved:,.0f} s ago")
    left = max(0.0, seconds - progress.seconds)
    parts.append(f"{left:,.0f} s left" if left < inf else f"{progress.iterations:,} iterations")
    return ", ".join(parts)
