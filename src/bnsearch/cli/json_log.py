"""The log of a run for other programs: one JSON object per line."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bnsearch.cli.json_fields import SCHEMA_VERSION
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.budgets.events import Event
    from bnsearch.experiments.experiment import ExperimentProgress
    from bnsearch.runs.result import Result

STDERR = Path("-")


class JsonLog:
    """
    A log that is written line by line. A line that cannot be written ends the log, but not the run.

    Parameters
    ----------
    stream : where to write; None for no log
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._lock = threading.Lock()  # events come from several threads
        self._began = time.monotonic()
        self._score, self._bound = -math.inf, (math.inf, "")
        self._cells: dict[str, int] = {}

    def write(self, event: str, **fields: Any) -> None:
        """Write an event; the seconds since the start of the log are included unless those of the run are given."""
        record = {"schema_version": SCHEMA_VERSION, "event": event, "seconds": time.monotonic() - self._began, **fields}
        with self._lock, suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(json.dumps(record, default=str) + "\n")
                self._stream.flush()

    def observe(self, event: Event) -> None:
        """Write the score and the bound of an event of a search, if they have changed."""
        now = event.progress
        if now is None or now.score == -math.inf:
            return
        if now.score > self._score:
            self._score = now.score
            counts = {"iterations": now.iterations, "evaluations": now.evaluations}
            self.write("incumbent", seconds=now.seconds, score=now.score, **counts)
        if now.bound is not None and math.isfinite(now.bound) and (now.bound, str(now.scope)) != self._bound:
            self._bound = now.bound, str(now.scope)
            self.write("bound", seconds=now.seconds, bound=now.bound, gap=now.gap, scope=str(now.scope))

    def observe_cells(self, progress: ExperimentProgress) -> None:
        """Write the number of finished cells of an experiment, if it has changed."""
        counts = _count_cells(progress)
        if counts != self._cells:
            self._cells = counts
            self.write("cells", **counts, seconds_left=progress.seconds_left)

    def finish(self, result: Result) -> None:
        """Write the notes and the end of a run."""
        for text in result.notes:
            self.write("note", seconds=result.seconds, text=text)
        self.write(
            "finished",
            seconds=result.seconds,
            score=result.score,
            bound=result.bound,
            gap=result.gap,
            scope=str(result.scope),
            optimal=result.optimal,
            stop=result.stop,
            seed=result.seed,
        )

    def finish_experiment(self, end: ExperimentProgress) -> None:
        """Write the failed cells and the end of an experiment."""
        for text in end.failures:
            self.write("note", text=text)
        self.write("finished", **_count_cells(end), stop=end.stop or "complete")


def _count_cells(progress: ExperimentProgress) -> dict[str, int]:
    return {"cells": progress.total, "done": progress.done, "failed": progress.failed}


@contextmanager
def open_log(path: Path | None) -> Iterator[JsonLog]:
    """
    Yield the log of a file, of stderr if the path is "-", or one that writes nothing if there is no path.

    The first event has the arguments of the process. If the block fails, the last one has the error.
    """
    from bnsearch import __version__

    with nullcontext(_choose_stream(path)) if path in (None, STDERR) else _open_file(path) as stream:
        log = JsonLog(stream)
        log.write("started", version=__version__, arguments=sys.argv[1:], process=os.getpid())
        try:
            yield log
        except BaseException as error:
            log.write("failed", error=str(error) or type(error).__name__)
            raise


def _choose_stream(path: Path | None) -> TextIO | None:
    return sys.stderr if path == STDERR else None


@contextmanager
def _open_file(path: Path | None) -> Iterator[TextIO]:
    """Open a file for the lines; it is not written atomically, so that others can read it during the run."""
    assert path is not None
    try:
        stream = path.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    try:
        yield stream
    finally:
        with suppress(OSError):  # a full disk must not hide the result
            stream.close()
