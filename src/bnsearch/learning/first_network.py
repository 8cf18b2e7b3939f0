"""A first network while the kernels of a method are compiled: the best forest, then tabu search."""

from __future__ import annotations

import math
import threading
from contextlib import suppress

from bnsearch.budgets.events import COMPILING, Event
from bnsearch.dags.best_forest import find_best_forest
from bnsearch.dags.hillclimb import Tabu
from bnsearch.graphs.dag import DAG
from bnsearch.learning.compilation import choose_groups, compile_missing, list_missing
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Progress

CLIMB = "climb"  # the group of the kernels of tabu search
BYTES_PER_PAIR = 64  # memory of tabu search for each pair of variables, an upper estimate
MEMORY_SHARE = 4  # the first search uses at most a quarter of the run's memory


class FirstSearch:
    """
    Search for a first network in a thread of its own, with a clock of its own.

    The search begins with the best forest, which needs no kernels, and continues with tabu search when the kernels of
    tabu search are compiled.

    Parameters
    ----------
    problem : the problem
    run : the run that begins after the kernels are compiled
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem = problem
        self._run = Run(seed=run.seed, threads=1, memory=run.budget.memory, permits=problem.permits)
        self._thread: threading.Thread | None = None
        self._can_climb = threading.Event()

    @property
    def progress(self) -> Progress | None:
        """The state of the search; None before its first network."""
        return self._run.progress if math.isfinite(self._run.progress.score) else None

    def start(self) -> None:
        """Start the search, unless it takes too much memory or is already running."""
        too_large = BYTES_PER_PAIR * self._problem.size**2 > self._run.budget.memory // MEMORY_SHARE
        if self._thread is None and not too_large:
            self._thread = threading.Thread(target=self._search, daemon=True)
            self._thread.start()

    def allow_climb(self) -> None:
        """Report that the kernels of tabu search are compiled."""
        self._can_climb.set()

    def _search(self) -> None:
        with suppress(Exception):  # the search after the compilation meets the same problem, and reports its errors
            problem, run = self._problem, self._run
            if problem.constraints is None:
                found = find_best_forest(problem.needed_data, problem.needed_score, run.halted)
                if found is not None:
                    score, forest = found
                    run.offer(score, lambda: forest)
            self._can_climb.wait()
            if not run.halted():
                Tabu().search(problem, run)

    def stop(self) -> None:
        """End the search."""
        self._run.budget.request_stop("complete")
        self._can_climb.set()
        if self._thread is not None:
            self._thread.join()

    def found(self) -> tuple[float, DAG] | None:
        """Return the score and the best network; None if none was found."""
        return None if self.progress is None else (self.progress.score, self._run.best())


def compile_and_find_network(problem: Problem, method: Method, run: Run) -> tuple[float, DAG] | None:
    """
    Compile the kernels that a run lacks in the cache; return the score and the network found meanwhile.

    The result is None in three cases: all kernels are in the cache, the run has no time budget, or no network was
    found. Progress is reported to the observers of the run.
    """
    missing = list_missing(problem, choose_groups(method, problem, run))
    if not missing:
        return None
    search = FirstSearch(problem, run)

    def report(compiled: int) -> None:
        if run.is_timed:
            search.start()
        run.budget.report(Event(COMPILING, compiled, math.inf, "kernels", progress=search.progress))

    def report_group(group: str) -> None:
        if group == CLIMB:
            search.allow_climb()

    try:
        compile_missing(problem, missing, report, report_group)
    finally:
        search.stop()
    return search.found()
