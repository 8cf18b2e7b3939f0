"""`run_experiment`: all cells of a plan, on workers, with one result file for each of them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bnsearch._tools.wording import describe_duration
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.signals import stop_on_signals
from bnsearch.distributed.workers import Workers, as_workers
from bnsearch.errors import require
from bnsearch.experiments.cell_queue import CellQueue, Record
from bnsearch.experiments.cell_run import perform_cell
from bnsearch.experiments.cells import Cell, list_cells
from bnsearch.experiments.folder import ExperimentFolder
from bnsearch.experiments.plan import Plan
from bnsearch.experiments.plan_reader import read_plan
from bnsearch.experiments.remaining_time import RemainingTime
from bnsearch.experiments.stop_request import StopOnRequest

POLL_SECONDS = 0.1  # time between two checks for a stop request


@dataclass(frozen=True)
class ExperimentProgress:
    """
    The state of an experiment.

    Attributes
    ----------
    total : int
        Number of cells.
    done : int
        Number of cells with a result file, failed ones included.
    failed : int
        Number of failed cells.
    reused : int
        Number of cells whose result files existed before this call.
    seconds_left : float or None
        Expected remaining time; None while it is not known.
    stop : str or None
        "interrupted" (Ctrl-C) or "terminated" (SIGTERM) if a signal has ended the experiment; None otherwise.
    failures : tuple of str
        The failed cells with their errors, one line each.
    """

    total: int
    done: int = 0
    failed: int = 0
    reused: int = 0
    seconds_left: float | None = None
    stop: str | None = None
    failures: tuple[str, ...] = field(default=(), repr=False)


def run_experiment(
    plan: Plan | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    executor: Executor | Workers | None = None,
    jobs: int = 1,
    retry: bool = False,
    observer: Callable[[ExperimentProgress], None] = lambda _: None,
) -> ExperimentProgress:
    """
    Run all cells of a plan that have no result file yet.

    Parameters
    ----------
    plan : Plan, str or path
        The plan, or the file of it.
    folder : str or path
        Folder of the results, which is created if it does not exist. Each finished cell has one file in its folder
        `results`. The same call continues an experiment that was interrupted, and a changed plan runs only its new
        cells.
    executor : Executor or Workers, optional
        Workers in other processes or on other machines, as in `bnsearch.learn`. Each of them runs one cell at a time.
    jobs : int, default 1
        Number of cells that run at the same time in threads of this process, if there is no executor.
    retry : bool, default False
        Whether cells that have failed before run again.
    observer : callable, optional
        Function that is called with an `ExperimentProgress` about every 0.1 s.

    Returns
    -------
    ExperimentProgress
        The final state.

    Raises
    ------
    InputError
        If the plan is not valid, or another process uses the folder.

    Notes
    -----
    Ctrl-C or SIGTERM ends the experiment. Finished cells keep their result files, and running cells are lost.

    Examples
    --------
    >>> from pathlib import Path
    >>> from bnsearch.experiments import run_experiment
    >>> _ = Path("plan.toml").write_text('''
    ... sources = [{network = "asia", rows = 200}]
    ... methods = ["hillclimb"]
    ... budgets = [{iterations = 10}]
    ... ''')
    >>> run_experiment("plan.toml", "results").done
    1
    """
    require("jobs", jobs, at_least=1, whole=True)
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    cells = list_cells(plan)
    home = ExperimentFolder(Path(folder))
    home.create()
    with home.lock():
        home.write_index(plan, cells)
        unique = list({cell.key: cell for cell in cells}.values())
        return _Loop(home, unique, observer).run(executor, jobs, retry=retry)


class _Loop:
    """The loop that runs cells and writes their results."""

    def __init__(
        self, home: ExperimentFolder, cells: list[Cell], observer: Callable[[ExperimentProgress], None]
    ) -> None:
        self._home, self._cells, self._observer = home, cells, observer
        self._times, self._failures = RemainingTime(), dict[str, str]()
        self._done = self._reused = 0

    def run(self, executor: Executor | Workers | None, jobs: int, *, retry: bool) -> ExperimentProgress:
        """Run the cells without a result; return the final state."""
        missing = [cell for cell in self._cells if not self._is_known(cell, retry)]
        budget, halted = Budget(), threading.Event()
        with ExitStack() as stack:
            stack.enter_context(stop_on_signals(budget))
            if executor is None:
                threads = stack.enter_context(ThreadPoolExecutor(jobs))
                workers, rule = Workers(threads), StopOnRequest(halted.is_set)
            else:
                workers, rule = as_workers(executor), None
            stack.callback(halted.set)  # before the end of the threads, which waits for their cells
            queue = CellQueue(workers, partial(perform_cell, halted=rule), missing)
            while len(queue) and budget.request is None:
                for cell, record in queue.take(POLL_SECONDS):
                    self._keep(cell, record)
                self._observer(self._describe(queue.remaining, workers.number, budget.request))
            queue.cancel()
        return self._describe([], 1, budget.request)

    def _is_known(self, cell: Cell, retry: bool) -> bool:
        """Return True if a cell has a result that is kept, and count it."""
        record = self._home.read_result(cell.key)
        if record is None or (retry and "error" in record):
            return False
        self._reused += 1
        self._count(cell, record)
        return True

    def _keep(self, cell: Cell, record: Record) -> None:
        """Write the result file of a cell."""
        self._home.write_result(record)
        self._count(cell, record)

    def _count(self, cell: Cell, record: Record) -> None:
        self._done += 1
        if "error" in record:
            self._failures[cell.key] = f"{cell}: {record['error']}"
        else:
            self._times.add(cell, record.get("wall_seconds", 0.0))

    def _describe(self, remaining: list[Cell], workers: int, stop: str | None) -> ExperimentProgress:
        return ExperimentProgress(
            total=len(self._cells),
            done=self._done,
            failed=len(self._failures),
            reused=self._reused,
            seconds_left=self._times.estimate(remaining, workers),
            stop=stop,
            failures=tuple(self._failures.values()),
        )


def list_progress(progress: ExperimentProgress) -> list[str]:
    """Return the state of an experiment in short texts, the most important first."""
    texts = [f"{progress.done:,} of {progress.total:,} cells"]
    if progress.failed:
        texts.append(f"{progress.failed:,} failed")
    if progress.seconds_left is not None and progress.done < progress.total:
        texts.append(f"about {describe_duration(max(1.0, progress.seconds_left))} left")
    return texts
