"""Lines of text that show progress; none is wider than 60 columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from bnsearch._tools.wording import describe_duration
from bnsearch.budgets.events import COMPILING

if TYPE_CHECKING:
    from bnsearch.budgets.events import Event
    from bnsearch.runs.stop import Progress

MAX_WIDTH = 60
"""
Number of columns of a line, also on wider terminals.

A terminal that becomes narrower wraps lines that are too long, and the display cannot remove them any more.
"""

MAX_LINES = 2  # number of lines of one task
BAR_WIDTH = 6
INDENT = "  "  # of the second line


def compose_rows(task: str, fraction: float | None, notes: Sequence[str], width: int, *, unicode: bool) -> list[str]:
    """
    Return the lines of a task: its name, a bar, and notes, the most important first.

    Notes that do not fit are left out.

    Parameters
    ----------
    task : name of the task
    fraction : part of the work that is done; None if it is not known, then there is no bar
    notes : short texts
    width : number of columns of the terminal
    unicode : False if lines may have ASCII characters only
    """
    width = max(1, min(width, MAX_WIDTH))
    lines = [task[:width]]
    if fraction is not None and len(task) + 1 + BAR_WIDTH <= width:
        lines[0] += " " + _draw_bar(fraction, unicode)
    is_first = True  # the next note is the first one of its line
    for note in notes:
        separator = " " if is_first else ", "
        if len(lines[-1]) + len(separator) + len(note) <= width:
            lines[-1] += separator + note
            is_first = False
        elif len(lines) < MAX_LINES and len(INDENT) + len(note) <= width:
            lines.append(INDENT + note)
            is_first = False
    return lines


def _draw_bar(fraction: float, unicode: bool) -> str:
    full = int(BAR_WIDTH * min(1.0, max(0.0, fraction)) + 0.5)
    done, left = ("\u2501", "\u2500") if unicode else ("#", "-")
    return done * full + left * (BAR_WIDTH - full)


def selection_notes(event: Event, rate: float) -> list[str]:
    """Return the state of a selection, most important first: work done, number of candidate sets, rate."""
    if event.task == COMPILING:
        first = [] if event.progress is None else _describe_score(event.progress)
        return [f"at the first use, {event.done:.0f} done", *first]
    notes = [f"{_shorten(event.done)} of {_shorten(event.total)} {event.unit}"]
    if event.found is not None:
        notes.append(f"{_shorten(event.found)} {'kept' if event.unit == 'sets' else 'sets found'}")
    return [*notes, f"{_shorten(rate)}/s"] if rate > 0 else notes


def search_notes(progress: Progress, seconds: float) -> list[str]:
    """Return the state of a search: score, remaining time or iterations, gap, bound, time since the improvement."""
    left = max(0.0, seconds - progress.seconds)
    notes = [
        *_describe_score(progress),
        f"{describe_duration(left)} left" if left < inf else f"{progress.iterations:,} iterations",
    ]
    if progress.score == -inf:
        return notes
    if progress.bound is not None and progress.gap is not None:
        within = "" if progress.scope.is_complete else " over kept sets"
        notes += [f"gap {100 * progress.gap:.3g}%{within}", f"bound {_format_score(progress.bound)}"]
    return [*notes, f"found {describe_duration(max(0.0, progress.seconds - progress.improved))} ago"]


def _describe_score(progress: Progress) -> list[str]:
    return ["no network yet" if progress.score == -inf else f"score {_format_score(progress.score)}"]


def _format_score(score: float) -> str:
    return f"{score:,.1f}" if abs(score) < 1e12 else f"{score:.9g}"


def _shorten(number: float) -> str:
    """Return a number in a few characters, such as 12.2k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= max(size, 1e4):
            return f"{number / size:.3g}{letter}" if number < 999.5 * size else f"{number / size:,.0f}{letter}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
