"""Progress bars on the terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from bnsearch.budgets.events import COMPILING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from bnsearch.budgets.events import Event, Observer
    from bnsearch.runs.stop import Progress

MAX_TEXT_WIDTH = 74  # number of characters of the longest note with its task
MIN_BAR_WIDTH = 6


class Display:
    """
    One row for candidate selection and one row for the search, each with the task, a bar and a note.

    Parameters
    ----------
    bars : rich's progress display
    clock : function that returns the current time in seconds
    width : maximum number of characters of a task and its note; parts of a note that do not fit are left out
    """

    def __init__(self, bars: Bars, clock: Callable[[], float] = time.monotonic, width: int = MAX_TEXT_WIDTH) -> None:
        self._bars, self._clock, self._width = bars, clock, width
        note = self._fit("loading kernels", ["the first run compiles them, in up to a minute"])
        self._selection = bars.add_task("loading kernels", total=None, note=note)
        self._search: TaskID | None = None
        self._searching: tuple[Event, Progress, float] | None = None  # last event of the search, and when it came
        self._first, self._last, self._began = 0.0, ("", 0.0), 0.0
        self._lock = threading.Lock()  # selection reports from several threads

    def show(self, event: Event) -> None:
        """Show an event."""
        with self._lock:
            if event.progress is None or event.task == COMPILING:
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
        note = self._fit(event.task, selection_notes(event, rate))
        self._bars.update(self._selection, description=event.task, note=note, visible=True)
        self._bars.update(self._selection, completed=event.done, total=event.total if event.total < inf else None)

    def _show_search(self, event: Event, progress: Progress) -> None:
        """Update the row of the search, and hide that of the selection until its next event."""
        if self._search is None:
            self._search = self._bars.add_task(event.task, total=event.total if event.total < inf else None, note="")
        self._bars.update(self._selection, visible=False)
        self._searching = event, progress, self._clock()
        self.update_search()

    def update_search(self) -> None:
        """Show the time since the last event of the search: there is none while candidate sets are selected."""
        if self._search is None or self._searching is None:
            return
        event, progress, came = self._searching  # the lock is not taken: rich calls this while it holds its own lock
        now = replace(progress, seconds=progress.seconds + self._clock() - came)
        note = self._fit(event.task, search_notes(now, event.total))
        self._bars.update(self._search, completed=min(now.seconds, event.total), note=note)

    def _fit(self, task: str, notes: Sequence[str]) -> str:
        """Return the first notes, of most importance, as one text that fits beside the task."""
        text = ""
        for note in notes:
            longer = f"{text}, {note}" if text else note
            text = longer if len(task) + 1 + len(longer) <= self._width else text
        return text


class CompilationNote:
    """One line on stderr, where there is no terminal, if kernels are compiled before the run."""

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, event: Event) -> None:
        """Print the line at the first event of the compilation."""
        if event.task == COMPILING and not self._is_shown:
            self._is_shown = True
            print("compiling kernels, once after an installation: up to a minute", file=sys.stderr)


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[list[Observer]]:
    """Yield observers that show progress bars on stderr; none if `quiet`, and no bars if stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield [] if quiet else [CompilationNote().show]
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.table import Column

    class LiveBars(Bars):
        """Bars that show the current time at every refresh."""

        display: Display | None = None

        def get_renderables(self) -> Iterable[RenderableType]:
            if self.display is not None:
                self.display.update_search()
            return super().get_renderables()

    console = Console(stderr=True)
    width = max(MIN_BAR_WIDTH, min(24, console.width - MAX_TEXT_WIDTH))
    bar = BarColumn(bar_width=width, table_column=Column(min_width=width))
    columns = TextColumn("{task.description}"), bar, TextColumn("{task.fields[note]}")
    bars = LiveBars(*columns, console=console, transient=True)
    bars.display = Display(bars, width=console.width - width - 2)  # one blank on each side of the bar
    with bars:
        yield [bars.display.show]


def selection_notes(event: Event, rate: float) -> list[str]:
    """Return the state of a selection, most important first: work done, number of candidate sets, rate."""
    if event.task == COMPILING:
        first = [] if event.progress is None else [f"score {event.progress.score:,.1f}"]
        return [f"once after an installation, {event.done:.0f} done", *first]
    notes = [f"{_short(event.done)} of {_short(event.total)} {event.unit}"]
    if event.found is not None:
        notes.append(f"{_short(event.found)} {'kept' if event.unit == 'sets' else 'sets found'}")
    return [*notes, f"{_short(rate)}/s"] if rate > 0 else notes


def _short(number: float) -> str:
    """Return a number in a few characters, such as 12.2k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= max(size, 1e4):
            return f"{number / size:.3g}{letter}" if number < 999.5 * size else f"{number / size:,.0f}{letter}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def search_notes(progress: Progress, seconds: float) -> list[str]:
    """Return the state of a search: score, remaining time or iterations, gap, bound, time since the improvement."""
    left = max(0.0, seconds - progress.seconds)
    notes = [
        f"score {progress.score:,.1f}",
        f"{left:,.0f} s left" if left < inf else f"{progress.iterations:,} iterations",
    ]
    if progress.bound is not None and progress.gap is not None:
        notes += [f"gap {100 * progress.gap:.3g}%", f"bound {progress.bound:,.1f}"]
    return [*notes, f"found {progress.seconds - progress.improved:,.0f} s ago"]
