"""A progress bar on the terminal, and nothing where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function (task, done, total) that draws a bar on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda task, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, int] = {}

        def advance(task: str, done: int, total: int) -> None:
            if task not in tasks:
                tasks[task] = bars.add_task(task)
            bars.update(tasks[task], completed=done, total=total)  # type: ignore[arg-type]

        yield advance
