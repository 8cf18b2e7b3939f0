"""A progress bar on the terminal, and nothing where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bnsearch.parent_sets.selection import no_progress

if TYPE_CHECKING:
    from rich.progress import TaskID

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
def learn_progress(
    seconds: float, quiet: bool
) -> Iterator[tuple[Callable[[str, int, int], None], list[Callable[[Progress], None]]]]:
    """Yield what shows on stderr, if that is a terminal, how scoring goes and how the search does."""
    if quiet or not sys.stderr.isatty():
        yield no_progress, []
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.fields[note]}")
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        loading = bars.add_task("loading kernels", total=None, note="the first run compiles them, in a minute or two")
        tasks: dict[str, TaskID] = {}

        def task_of(name: str, total: float) -> TaskID:
            bars.update(loading, visible=False)
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=total, note="")
            return tasks[name]

        def scoring(name: str, done: int, total: int) -> None:
            task = task_of(name, total)
            rate = done / max(1e-3, bars.tasks[bars.task_ids.index(task)].elapsed or 0.0)
            bars.update(task, completed=done, total=total, note=f"{done:,} of {total:,}, {rate:,.0f} a second")

        def searching(now: Progress) -> None:
            task = task_of("searching", seconds)
            bars.update(task, completed=now.seconds, note=search_note(now, seconds))

        yield scoring, [searching]


def search_note(now: Progress, seconds: float) -> str:
    """Say how a search is going: the score, the gap, the time since it was found, the time left."""
    parts = [f"score {now.score:,.3f}"]
    if now.bound is not None:
        parts.append(f"gap {100 * max(0.0, now.bound - now.score) / max(1.0, abs(now.bound)):.3g}%")
    parts.append(f"found {now.seconds - now.improved:,.0f} s ago")
    if seconds < float("inf"):
        parts.append(f"{max(0.0, seconds - now.seconds):,.0f} s left")
    return ", ".join(parts)


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function (task, done, total) that draws a bar on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield no_progress
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
