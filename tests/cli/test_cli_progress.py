"""Progress bars: their notes, and when each row is visible."""

from __future__ import annotations

import io
import math
import sys
from dataclasses import replace

import pytest
from rich.console import Console
from rich.progress import Progress as Bars

from bnsearch.budgets.events import COMPILING, Event
from bnsearch.cli.progress import Display, search_notes, selection_notes, show_progress
from bnsearch.parent_sets.scope import KEPT_SETS
from bnsearch.runs.stop import Progress


@pytest.mark.parametrize(
    ("now", "rate", "note"),
    [
        (Event("t", 870, 870, "sets", 123), 0.0, "870 of 870 sets, 123 kept"),
        (Event("t", 12_180, 4_000_000, "sets", None), 5.25, "12.2k of 4M sets, 5.2/s"),
        (Event("t", 3, 10, "variables", 123_456), 0.5, "3 of 10 variables, 123k sets found, 0.5/s"),
        (
            Event("t", 9_999, 999_600, "variables", 10**9),
            12e12,
            "9,999 of 1,000k variables, 1G sets found, 12,000G/s",
        ),
    ],
)
def test_note_of_selection(now, rate, note):
    """Work done and total, the rate if it is above zero, the number of sets if it is known."""
    assert ", ".join(selection_notes(now, rate)) == note


def searching(progress: Progress, seconds: float) -> Event:
    """Return the event of a search."""
    return Event("searching", progress.seconds, seconds, "seconds", progress=progress)


def test_rows_of_the_display():
    """
    The rate is measured from the first event of a task; a search event hides the row of the selection until its next.

    After 2 s there are 100 sets, 80 more than at first: 40 a second. A task that restarts has a new first event.
    """
    seconds = [0.0]
    with Bars(console=Console(file=io.StringIO())) as bars:
        display = Display(bars, lambda: seconds[0])
        display.show(Event("pairs", 20, 200, "sets", 5))
        seconds[0] = 2.0
        display.show(Event("pairs", 100, 200, "sets", 30))
        (row,) = bars.tasks
        assert (row.description, row.completed, row.total, row.visible) == ("pairs", 100, 200, True)
        assert row.fields["note"] == "100 of 200 sets, 30 kept, 40/s"
        display.show(searching(Progress(seconds=3.0, score=-90.0), 10.0))
        assert [(task.description, task.visible) for task in bars.tasks] == [("pairs", False), ("searching", True)]
        display.show(Event("pairs", 20, 200, "sets", 5))
        assert [(task.fields["note"], task.visible) for task in bars.tasks] == [
            ("20 of 200 sets, 5 kept", True),
            ("score -90.0, 7 s left, found 3 s ago", True),
        ]


def test_a_progress_display_is_drawn_on_a_terminal(monkeypatch, capsys):
    """On a terminal both phases are shown, with what is known of each."""
    now = Progress(seconds=3.0, iterations=5000, score=-90.0, improved=1.0, bound=-80.0)
    assert search_notes(now, 10.0) == ["score -90.0", "7 s left", "gap 12.5%", "bound -80.0", "found 2 s ago"]
    assert search_notes(replace(now, bound=None), 10.0)[2:] == ["found 2 s ago"]
    assert search_notes(now, math.inf)[1] == "5,000 iterations"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with show_progress() as (show,):
        show(Event("growing parent sets", 3, 10, "variables", 57))
        show(searching(now, 10.0))
    shown = capsys.readouterr().err
    assert "growing parent sets" in shown or "searching" in shown
    with show_progress(quiet=True) as observers:
        assert observers == []
    with show_progress() as (show,):
        show(searching(now, math.inf))
    assert "5,000 iterations" in capsys.readouterr().err


def test_elsewhere_only_compilation_is_mentioned(capsys):
    """If stderr is not a terminal, one line says that kernels are compiled, and nothing else is shown."""
    with show_progress() as (show,):
        show(searching(Progress(seconds=3.0, score=-90.0), 10.0))
        assert capsys.readouterr().err == ""
        show(Event(COMPILING, 0, math.inf, "kernels"))
        show(Event(COMPILING, 1, math.inf, "kernels"))
    assert capsys.readouterr().err == "compiling kernels, once after an installation: up to a minute\n"


def test_compilation_has_a_row():
    """The row says how many kernels are compiled and that this happens once, and then the score of a first network."""
    with Bars(console=Console(file=io.StringIO())) as bars:
        display = Display(bars)
        display.show(Event(COMPILING, 34, math.inf, "kernels"))
        row = bars.tasks[0]
        assert (row.description, row.fields["note"]) == (COMPILING, "once after an installation, 34 done")
        display.show(Event(COMPILING, 35, math.inf, "kernels", progress=Progress(score=-90.0)))
        assert row.fields["note"] == "once after an installation, 35 done, score -90.0"
        assert len(bars.tasks) == 1


def test_the_time_goes_on_without_events_of_the_search():
    """5 s after the last event of a search, during a selection, its row shows 2 + 5 s since the last improvement."""
    seconds = [0.0]
    with Bars(console=Console(file=io.StringIO())) as bars:
        display = Display(bars, lambda: seconds[0])
        display.update_search()
        display.show(searching(Progress(seconds=3.0, score=-90.0, improved=1.0), 10.0))
        seconds[0] = 5.0
        display.show(Event("pairs", 20, 200, "sets", 5))
        display.update_search()
        row = bars.tasks[1]
        assert row.fields["note"] == "score -90.0, 2 s left, found 7 s ago"
        assert row.completed == 8.0
        seconds[0] = 50.0
        display.update_search()
        assert (row.fields["note"], row.completed) == ("score -90.0, 0 s left, found 52 s ago", 10.0)


def test_rows_fit_into_narrow_terminals(monkeypatch, capsys):
    """At 60 columns, parts of a note are left out, and no line is cut."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    now = Progress(seconds=3.0, score=-1_953_390.1, improved=1.0, bound=-1_900_000.0, scope=KEPT_SETS)
    with show_progress() as (show,):
        show(Event("growing parent sets", 300, 1_000, "variables", 57_123))
        show(searching(now, 10.0))
    shown = capsys.readouterr().err
    assert "searching" in shown
    assert "score -1,953,390.1, 7 s left" in shown
    assert "\u2026" not in shown
