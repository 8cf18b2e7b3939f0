"""Progress of experiments: rows on a terminal, and otherwise lines from time to time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bnsearch.cli.console import note
from bnsearch.cli.progress import Row, show_rows
from bnsearch.experiments.experiment import ExperimentProgress, list_progress

SECONDS_BETWEEN_LINES = 10.0  # between two lines, if stderr is not a terminal


@contextmanager
def show_experiment(*, quiet: bool) -> Iterator[Callable[[ExperimentProgress], None]]:
    """Yield an observer that shows the progress of an experiment."""
    if quiet:
        yield lambda _: None
    elif not sys.stderr.isatty():
        yield _LinePrinter().show
    else:
        rows: list[Row] = []

        def update(progress: ExperimentProgress) -> None:
            rows[:] = [Row("experiment", progress.done / max(1, progress.total), list_progress(progress))]

        with show_rows(lambda: tuple(rows)):
            yield update


class _LinePrinter:
    """Prints the progress at most once in a number of seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def show(self, progress: ExperimentProgress) -> None:
        """Print a line if it is due."""
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            note(", ".join(list_progress(progress)))
