"""A first network by tabu search, while the other kernels of a method are compiled."""

from __future__ import annotations

import math
import threading
from contextlib import suppress

from bnsearch.budgets.events import COMPILING, Event
from bnsearch.dags.hillclimb import Tabu
from bnsearch.graphs.dag import DAG
from bnsearch.learning.compilation import compile_missing
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Progress

CLIMB = "climb"  # the group of the kernels of tabu search
BYTES_PER_PAIR = 64  # memory of tabu search for each pair of variables, an upper estimate
MEMORY_SHARE = 4  # the first search uses at most a quarter of the run's memory


class FirstSearch:
    """
    Tabu search in a thread of its own, with a clock of its own.

    Parameters
    ----------
    problem : the problem
    run : the run that begins after the kernels are compiled
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem = problem
        self._run = Run(seed=run.seed, threads=1, memory=run.budget.memory, permits=problem.permits)
        self._thread: threading.Thread | None = None

    @property
    def progress(self) -> Progress | None:
        """The state of the search; None before its first network."""
        return self._run.progress if math.isfinite(self._run.progress.score) else None

    def start(self) -> None:
        """Start the search, unless it takes too much memory."""
        if BYTES_PER_PAIR * self._problem.size**2 > self._run.budget.memory // MEMORY_SHARE:
            return
        self._thread = threading.Thread(target=self._search, daemon=True)
        self._thread.start()

    def _search(self) -> None:
        with suppress(Exception):  # the search after the compilation meets the same problem, and reports its errors
            Tabu().search(self._problem, self._run)

    def stop(self) -> None:
        """End the search."""
        self._run.budget.request_stop("complete")
        if self._thread is not None:
            self._thread.join()

    def found(self) -> tuple[float, DAG] | None:
        """Return the score and the best network; None if none was found."""
        return None if self.progress is None else (self.progress.score, self._run.best())


def compile_for_run(problem: Problem, method: Method, run: Run) -> tuple[float, DAG] | None:
    """
    Compile the kernels of a method that are missing in the cache, and report this to the observers of a run.

    Under a time budget, tabu search begins as soon as its kernels are compiled. Returns the score and the network that
    it has found when all kernels are compiled; None if there is none.
    """
    search = FirstSearch(problem, run)

    def report(compiled: int) -> None:
        run.budget.report(Event(COMPILING, compiled, math.inf, "kernels", progress=search.progress))

    def begin_search(group: str) -> None:
        if group == CLIMB and run.is_timed:
            search.start()

    try:
        compile_missing(problem, method, report, begin_search)
    finally:
        search.stop()
    return search.found()
