"""Progress: its notes, its rows, and their width on every terminal."""

from __future__ import annotations

import fcntl
import math
import os
import pty
import re
import select
import struct
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import COMPILING, SEARCHING, Event
from bnsearch.cli.experiment_progress import show_experiment
from bnsearch.cli.progress import Display, show_progress
from bnsearch.cli.progress_rows import MAX_WIDTH, compose_rows, search_notes, selection_notes
from bnsearch.experiments.experiment import ExperimentProgress, list_progress
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


def test_notes_of_search():
    """Score, remaining time or iterations, gap, bound, and the time since the improvement; long times are rounded."""
    now = Progress(seconds=3.0, iterations=5000, score=-90.0, improved=1.0, bound=-80.0)
    assert search_notes(now, 10.0) == ["score -90.0", "7 s left", "gap 12.5%", "bound -80.0", "found 2 s ago"]
    assert search_notes(replace(now, bound=None), 10.0)[2:] == ["found 2 s ago"]
    assert search_notes(now, math.inf)[1] == "5,000 iterations"
    assert search_notes(now, 7203.0)[1] == "2.0 h left"
    assert search_notes(Progress(seconds=3.0), 600.0) == ["no network yet", "10 min left"]


def searching(progress: Progress, seconds: float) -> Event:
    """Return the event of a search."""
    return Event(SEARCHING, progress.seconds, seconds, "seconds", progress=progress)


FINITE = st.floats(-1e300, 1e300)
TIMES = st.floats(0, 1e12)
COUNTS = st.integers(0, 10**18)
TASKS = st.text("abc xyz", max_size=90)
PROGRESS = st.builds(
    Progress,
    seconds=TIMES,
    iterations=COUNTS,
    score=FINITE | st.just(-math.inf),
    improved=TIMES,
    bound=FINITE | st.none(),
)
ROWS = st.one_of(
    st.tuples(TASKS, st.builds(search_notes, PROGRESS, TIMES | st.just(math.inf))),
    st.tuples(
        TASKS,
        st.builds(
            selection_notes,
            st.builds(Event, TASKS | st.just(COMPILING), TIMES, TIMES, st.sampled_from(["sets", "kernels"]), COUNTS),
            TIMES,
        ),
    ),
    st.tuples(
        TASKS,
        st.builds(list_progress, st.builds(ExperimentProgress, COUNTS, COUNTS, COUNTS, COUNTS, TIMES | st.none())),
    ),
)


@given(ROWS, st.floats(-1, 2) | st.none(), st.integers(1, 300), st.booleans())
def test_lines_fit_every_state_and_width(row, fraction, width, unicode):
    """No line is wider than the terminal or 60 columns; there are at most two, and each note is whole or absent."""
    task, notes = row
    lines = compose_rows(task, fraction, notes, width, unicode=unicode)
    assert 1 <= len(lines) <= 2
    assert max(map(len, lines)) <= min(width, MAX_WIDTH)
    assert all("\n" not in line and (unicode or line.isascii()) for line in lines)
    head = len(task[: min(width, MAX_WIDTH)])
    if fraction is not None and head + 7 <= min(width, MAX_WIDTH):
        head += 7  # a blank and the bar
    parts = [lines[0][head:].removeprefix(" "), *(line.removeprefix("  ") for line in lines[1:])]
    chosen = {", ".join(some) for n in range(len(notes) + 1) for some in combinations(notes, n)}
    assert ", ".join(part for part in parts if part) in chosen


@given(PROGRESS, st.floats(1, 359_999))
def test_score_and_time_are_always_shown(progress, seconds):
    """At 60 columns, score, remaining time and gap of usual size are never left out."""
    usual = replace(progress, score=-987_654_321.5, bound=-123_456_789.5, seconds=0.0, improved=0.0)
    notes = search_notes(usual, seconds)
    lines = compose_rows("searching", 0.5, notes, 60, unicode=True)
    assert all(any(note in line for line in lines) for note in notes)


def test_rows_of_the_display():
    """
    The rate is measured from the first event of a task; a search event hides the row of the selection until its next.

    After 2 s there are 100 sets, 80 more than at first: 40 a second. A task that restarts has a new first event.
    """
    seconds = [0.0]
    display = Display(lambda: seconds[0])
    assert [row.task for row in display.rows] == ["loading kernels"]
    display(Event("pairs", 20, 200, "sets", 5))
    seconds[0] = 2.0
    display(Event("pairs", 100, 200, "sets", 30))
    assert display.rows == [("pairs", 0.5, ["100 of 200 sets", "30 kept", "40/s"])]
    display(searching(Progress(seconds=3.0, score=-90.0), 10.0))
    found = ["score -90.0", "7 s left", "found 3 s ago"]
    assert display.rows == [("searching", 0.3, found)]
    display(Event("pairs", 20, 200, "sets", 5))
    assert display.rows == [("pairs", 0.1, ["20 of 200 sets", "5 kept"]), ("searching", 0.3, found)]


def test_compilation_has_a_row():
    """The row says how many kernels are compiled and that this happens once, and then the score of a first network."""
    display = Display()
    display(Event(COMPILING, 34, math.inf, "kernels"))
    assert display.rows == [(COMPILING, None, ["at the first use, 34 done"])]
    display(Event(COMPILING, 35, math.inf, "kernels", progress=Progress(score=-90.0)))
    assert display.rows == [(COMPILING, None, ["at the first use, 35 done", "score -90.0"])]


def test_the_time_goes_on_without_events_of_the_search():
    """5 s after the last event of a search, during a selection, its row shows 2 + 5 s since the last improvement."""
    seconds = [0.0]
    display = Display(lambda: seconds[0])
    display(searching(Progress(seconds=3.0, score=-90.0, improved=1.0), 10.0))
    seconds[0] = 5.0
    assert display.rows == [("searching", 0.8, ["score -90.0", "2 s left", "found 7 s ago"])]
    seconds[0] = 50.0
    assert display.rows == [("searching", 1.0, ["score -90.0", "0 s left", "found 52 s ago"])]


def test_the_time_stands_still_in_a_pause():
    """The clock of the run is paused at 2 s for 30 s: events come, the time left does not change, then it goes on."""
    seconds = [0.0]
    display = Display(lambda: seconds[0])
    budget = Budget(10.0, clock=lambda: seconds[0], observers=[display])
    display(searching(Progress(seconds=0.0, score=-90.0, improved=0.0), 10.0))
    seconds[0] = 2.0
    with budget.clock_paused(), budget.clock_paused():
        seconds[0] = 20.0
        assert display.rows[0].notes == ["score -90.0", "8 s left", "found 2 s ago"]
        display(searching(Progress(seconds=2.0, score=-80.0, improved=2.0), 10.0))
        seconds[0] = 32.0
        assert display.rows[0].notes == ["score -80.0", "8 s left", "found 0 s ago"]
    seconds[0] = 33.0
    assert display.rows[0].notes == ["score -80.0", "7 s left", "found 1 s ago"]


class Terminal:
    """A pseudo-terminal, whose width can change."""

    def __init__(self) -> None:
        self.master, slave = pty.openpty()
        self.stream = os.fdopen(slave, "w", encoding="utf-8")

    def resize(self, columns: int) -> None:
        """Change the number of columns."""
        fcntl.ioctl(self.stream, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read_until(self, text: str) -> list[str]:
        """Return the lines that are written until one has a text, without control sequences."""
        written = b""
        while text.encode() not in written:
            assert select.select([self.master], [], [], 30)[0], written
            written += os.read(self.master, 1 << 16)
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode(errors="ignore"))
        return [line for line in re.split(r"[\r\n]+", plain) if line.strip()]


@contextmanager
def open_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> Iterator[Terminal]:
    """Yield a terminal in place of stderr; not a fixture, because pytest restores stderr after fixtures."""
    made = Terminal()
    made.resize(columns)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", made.stream)
    monkeypatch.setattr("rich.console._STD_STREAMS", (made.stream.fileno(),))  # rich asks these for the size
    yield made
    made.stream.close()
    os.close(made.master)


def test_rows_on_a_terminal_that_is_resized(monkeypatch):
    """Lines have at most 60 columns on a wide terminal, and fewer after it has become narrower."""
    now = Progress(seconds=3.0, score=-1_953_390.1, improved=1.0, bound=-1_900_000.0, scope=KEPT_SETS)
    with open_terminal(monkeypatch, 120) as terminal, show_progress() as (show,):
        show(Event("growing parent sets", 300, 1_000, "variables", 57_123))
        show(searching(now, 1000.0))
        wide = terminal.read_until("  gap 2.81% over kept sets, bound -1,900,000.0")
        terminal.resize(42)
        terminal.read_until("  17 min left, gap 2.81% over kept sets\r")  # the second line of 42 columns
        narrow = terminal.read_until("  17 min left, gap 2.81% over kept sets\r")
    assert any("score -1,953,390.1, 17 min left" in line for line in wide)
    assert max(map(len, wide)) <= 60
    assert any("score -1,953,390.1" in line for line in narrow)
    assert max(map(len, narrow)) <= 42


def test_an_experiment_on_a_terminal(monkeypatch):
    """The row of an experiment has a bar, the number of cells, failures and the remaining time."""
    with open_terminal(monkeypatch, 60) as terminal, show_experiment(quiet=False) as show:
        show(ExperimentProgress(total=12_000, done=6_000, failed=17, seconds_left=40_000.0))
        lines = terminal.read_until("  about 11.1 h left")
    assert any(
        "experiment \u2501\u2501\u2501\u2500\u2500\u2500 6,000 of 12,000 cells, 17 failed" in line for line in lines
    )


def test_elsewhere_only_compilation_is_mentioned(capsys):
    """If stderr is not a terminal, one line says that kernels are compiled, and nothing else is shown."""
    with show_progress() as (show,):
        show(searching(Progress(seconds=3.0, score=-90.0), 10.0))
        assert capsys.readouterr().err == ""
        show(Event(COMPILING, 0, math.inf, "kernels"))
        show(Event(COMPILING, 1, math.inf, "kernels"))
    assert capsys.readouterr().err == "compiling kernels, at the first use: up to a minute\n"
    with show_progress(quiet=True) as observers:
        assert observers == []
