"""Progress bars on the terminal, and nothing where there is none."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

from bnsearch.runs.result import standing
from bnsearch.selection.progress import Listener, no_progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from bnsearch.runs.stop import Progress
    from bnsearch.selection.progress import Scoring


class Display:
    """
    One row for the scoring and one for the search: what is under way, a bar, a note.

    Parameters
    ----------
    bars : rich's display
    clock : seconds
    """

    def __init__(self, bars: Bars, clock: Callable[[], float] = time.monotonic) -> None:
        self._bars, self._clock = bars, clock
        self._top = bars.add_task("loading kernels", total=None, note="the first run compiles them, in a few minutes")
        self._search: TaskID | None = None
        self._first, self._last, self._began = 0, ("", 0), 0.0
        self._lock = threading.Lock()  # scoring is told of from many threads

    def score(self, now: Scoring) -> None:
        """Show how scoring goes; the rate is that since the task was first told of."""
        with self._lock:
            task, done = self._last
            if now.task != task or now.done < done:
                self._first, self._began = now.done, self._clock()
            self._last = now.task, now.done
            rate = (now.done - self._first) / max(1e-9, self._clock() - self._began)
            note = scoring_note(now, rate)
            self._bars.update(self._top, description=now.task, note=note, visible=True)
            self._bars.update(self._top, completed=now.done, total=now.total)

    def search(self, now: Progress, seconds: float) -> None:
        """Show how the search does, of which so many seconds are planned; the other row is hidden until it changes."""
        with self._lock:
            if self._search is None:
                self._search = self._bars.add_task("searching", total=seconds if seconds < inf else None, note="")
            self._bars.update(self._top, visible=False)
            self._bars.update(self._search, completed=now.seconds, note=search_note(now, seconds))


@contextmanager
def search_progress(seconds: float) -> Iterator[list[Callable[[Progress], None]]]:
    """Yield observers that show on stderr, if that is a terminal, how a search of so many seconds does."""
    with learn_progress(seconds, quiet=False) as (_, observers):
        yield observers


@contextmanager
def learn_progress(seconds: float, quiet: bool) -> Iterator[tuple[Listener, list[Callable[[Progress], None]]]]:
    """Yield what shows on stderr, if that is a terminal, how scoring goes and how the search does."""
    if quiet or not sys.stderr.isatty():
        yield no_progress, []
        return
    with _display() as display:
        yield display.score, [lambda now: display.search(now, seconds)]


@contextmanager
def scoring_progress() -> Iterator[Listener]:
    """Yield what shows on stderr, if that is a terminal, how scoring goes."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    with _display() as display:
        yield display.score


@contextmanager
def _display() -> Iterator[Display]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.table import Column

    console = Console(stderr=True)
    width = max(6, min(24, console.width - 74))  # beside the longest note
    bar = BarColumn(bar_width=width, table_column=Column(min_width=width))
    columns = TextColumn("{task.description}"), bar, TextColumn("{task.fields[note]}")
    with Bars(*columns, console=console, transient=True) as bars:
        yield Display(bars)


def scoring_note(now: Scoring, rate: float) -> str:
    """Say how scoring goes: what is done of how much, how fast, the candidate sets so far."""
    parts = [f"{_short(now.done)} of {_short(now.total)} {now.unit}"]
    if rate > 0:
        parts.append(f"{_short(rate)}/s")
    if now.found is not None:
        parts.append(f"{_short(now.found)} {'kept' if now.unit == 'sets' else 'sets found'}")
    return ", ".join(parts)


def _short(number: float) -> str:
    """Return a number in a few characters."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= max(size, 1e4):
            return f"{number / size:.3g}{letter}" if number < 999.5 * size else f"{number / size:,.0f}{letter}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def search_note(now: Progress, seconds: float) -> str:
    """Say how a search is going: the score, the gap, the time since it was found, the time left or the iterations."""
    parts = [f"score {now.score:,.1f}"]
    if now.gap is not None:
        parts.append(standing(now.gap, optimal=False, partial=now.partial))
    parts.append(f"found {now.seconds - now.improved:,.0f} s ago")
    left = max(0.0, seconds - now.seconds)
    parts.append(f"{left:,.0f} s left" if left < inf else f"{now.iterations:,} iterations")
    return ", ".join(parts)
