"""Progress on the terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from bnsearch.budgets.events import COMPILING
from bnsearch.cli.console import supports_unicode
from bnsearch.cli.progress_rows import compose_rows, search_notes, selection_notes

if TYPE_CHECKING:
    from rich.text import Text

    from bnsearch.budgets.events import Event, Observer
    from bnsearch.runs.stop import Progress

REFRESHES_PER_SECOND = 10


class Row(NamedTuple):
    """A task, the part of its work that is done (None if it is not known), and notes, the most important first."""

    task: str
    fraction: float | None
    notes: Sequence[str]


class Display:
    """
    The state of a run in one row for candidate selection and one row for the search.

    Parameters
    ----------
    clock : function that returns the current time in seconds
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._selection: Row | None = Row("loading kernels", None, ["the first run compiles them", "up to a minute"])
        self._search: tuple[Event, Progress, float] | None = None  # last event of the search, and when it came
        self._first, self._last, self._began = 0.0, ("", 0.0), 0.0
        self._paused_at: float | None = None
        self._lock = threading.Lock()  # selection reports from several threads

    def __call__(self, event: Event, /) -> None:
        """Show an event; an event of the search hides the row of the selection until its next event."""
        with self._lock:
            if event.progress is None or event.task == COMPILING:
                self._selection = self._describe_selection(event)
            else:
                self._search, self._selection = (event, event.progress, self._get_time()), None

    def set_paused(self, paused: bool) -> None:
        """Let the time of the search stand still, or continue; for example while kernels are loaded."""
        with self._lock:
            now = self._clock()
            if not paused and self._paused_at is not None and self._search is not None:
                event, progress, came = self._search
                self._search = event, progress, came + now - self._paused_at
            if not paused or self._paused_at is None:
                self._paused_at = now if paused else None

    def _get_time(self) -> float:
        return self._clock() if self._paused_at is None else self._paused_at

    @property
    def rows(self) -> list[Row]:
        """The rows to show now."""
        return [row for row in (self._selection, self._describe_search()) if row is not None]

    def _describe_selection(self, event: Event) -> Row:
        """Return the row of the selection; the rate is measured from the first event of a task."""
        task, done = self._last
        if event.task != task or event.done < done:
            self._first, self._began = event.done, self._clock()
        self._last = event.task, event.done
        rate = (event.done - self._first) / max(1e-9, self._clock() - self._began)
        return Row(event.task, _divide(event.done, event.total), selection_notes(event, rate))

    def _describe_search(self) -> Row | None:
        """Return the row of the search now: there are no events while candidate sets are selected."""
        if self._search is None:
            return None
        event, progress, came = self._search
        now = replace(progress, seconds=progress.seconds + self._get_time() - came)
        return Row(event.task, _divide(now.seconds, event.total), search_notes(now, event.total))


class CompilationNote:
    """One line on stderr, where there is no terminal, if kernels are compiled before the run."""

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, event: Event) -> None:
        """Print the line at the first event of the compilation."""
        if event.task == COMPILING and not self._is_shown:
            self._is_shown = True
            print("compiling kernels, at the first use: up to a minute", file=sys.stderr)


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[list[Observer]]:
    """Yield observers that show progress on stderr; none if `quiet`, and no rows if stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield [] if quiet else [CompilationNote().show]
        return
    display = Display()
    with show_rows(lambda: display.rows):
        yield [display]


@contextmanager
def show_rows(get_rows: Callable[[], Sequence[Row]]) -> Iterator[None]:
    """Show rows on the terminal of stderr until the end of the block; they follow the width of the terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console, unicode = Console(stderr=True), supports_unicode(sys.stderr)

    def render() -> Text:
        lines = [line for row in get_rows() for line in compose_rows(*row, console.width, unicode=unicode)]
        return Text("\n".join(lines), no_wrap=True, overflow="crop")

    with Live(
        console=console,
        get_renderable=render,
        transient=True,
        refresh_per_second=REFRESHES_PER_SECOND,
        redirect_stdout=False,  # it may be a pipe
    ):
        yield


def _divide(done: float, total: float) -> float | None:
    return min(1.0, done / total) if 0 < total < inf else None
