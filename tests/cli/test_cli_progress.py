"""The bars of a terminal: what their notes say, and what is seen when."""

from __future__ import annotations

import io
import math
import sys
from dataclasses import replace

import pytest
from rich.console import Console
from rich.progress import Progress as Bars

from bnsearch.cli.progress import Display, learn_progress, scoring_note, scoring_progress, search_note, search_progress
from bnsearch.runs.stop import Progress
from bnsearch.selection.progress import Scoring, no_progress


@pytest.mark.parametrize(
    ("now", "rate", "note"),
    [
        (Scoring("t", 870, 870, "sets", 123), 0.0, "870 of 870 sets, 123 kept"),
        (Scoring("t", 12_180, 4_000_000, "sets", None), 5.25, "12.2k of 4M sets, 5.2/s"),
        (Scoring("t", 3, 10, "variables", 123_456), 0.5, "3 of 10 variables, 0.5/s, 123k sets found"),
        (
            Scoring("t", 9_999, 999_600, "variables", 10**9),
            12e12,
            "9,999 of 1,000k variables, 12,000G/s, 1G sets found",
        ),
    ],
)
def test_note_of_scoring(now, rate, note):
    """What is done of how much, the rate once there is one, the sets where these are known; all of it short."""
    assert scoring_note(now, rate) == note


def test_rows_of_the_display():
    """
    The rate counts from the first word on a task; the search hides the row of the scoring until this goes on.

    After 2 s 100 - 20 sets have come on top of the first 20: 40 a second. A task that begins anew starts again.
    """
    seconds = [0.0]
    with Bars(console=Console(file=io.StringIO())) as bars:
        display = Display(bars, lambda: seconds[0])
        display.score(Scoring("pairs", 20, 200, "sets", 5))
        seconds[0] = 2.0
        display.score(Scoring("pairs", 100, 200, "sets", 30))
        (row,) = bars.tasks
        assert (row.description, row.completed, row.total, row.visible) == ("pairs", 100, 200, True)
        assert row.fields["note"] == "100 of 200 sets, 40/s, 30 kept"
        display.search(Progress(seconds=3.0, score=-90.0), 10.0)
        assert [(task.description, task.visible) for task in bars.tasks] == [("pairs", False), ("searching", True)]
        display.score(Scoring("pairs", 20, 200, "sets", 5))
        assert [(task.fields["note"], task.visible) for task in bars.tasks] == [
            ("20 of 200 sets, 5 kept", True),
            ("score -90.0, found 3 s ago, 7 s left", True),
        ]


def test_a_progress_display_is_drawn_on_a_terminal(monkeypatch, capsys):
    """On a terminal both phases are shown, with what is known of each."""
    now = Progress(seconds=3.0, iterations=5000, score=-90.0, improved=1.0, bound=-80.0)
    assert search_note(now, 10.0) == "score -90.0, gap 12.5%, found 2 s ago, 7 s left"
    assert search_note(replace(now, partial=True), 10.0) == (
        "score -90.0, gap 12.5% (sets kept), found 2 s ago, 7 s left"
    )
    assert search_note(now, math.inf) == "score -90.0, gap 12.5%, found 2 s ago, 5,000 iterations"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with learn_progress(10.0, quiet=False) as (scoring, observers):
        scoring(Scoring("growing parent sets", 3, 10, "variables", 57))
        observers[0](now)
    shown = capsys.readouterr().err
    assert "growing parent sets" in shown or "searching" in shown
    with learn_progress(10.0, quiet=True) as (_, observers):
        assert observers == []
    with search_progress(math.inf) as observers:
        observers[0](now)
    assert "5,000 iterations" in capsys.readouterr().err


def test_nothing_is_drawn_elsewhere():
    """Where stderr is no terminal, nobody is told."""
    with learn_progress(10.0, quiet=False) as (_, observers), search_progress(10.0) as others:
        assert observers == others == []
    with scoring_progress() as progress:
        assert progress is no_progress
