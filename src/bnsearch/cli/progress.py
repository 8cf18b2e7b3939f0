"""A progress bar on the terminal, and nothing where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.stop import Progress


@contextmanager
def search_progress() -> Iterator[list[Callable[[Progress], None]]]:
    """Yield observers that show how a search is going on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield []
        return
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("searching")

        def tell(now: Progress) -> None:
            bars.update(task, description=f"best {now.score:,.3f}, {now.iterations:,} iterations")

        yield [tell]


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
