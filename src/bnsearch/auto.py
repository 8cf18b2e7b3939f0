"""The method that chooses: a proof where one fits, our search over orderings where not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.dags.hillclimb import Tabu
from bnsearch.exact.dynamic import Exact
from bnsearch.exact.groups import groups_of
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.polishing import search_and_polish
from bnsearch.problem import Problem
from bnsearch.run import Run
from bnsearch.searching import load_kernels
from bnsearch.stop import Iterations, Seconds

MOST = 27  # variables that depend on each other: exact search then takes 1 GiB
SECONDS_OF_20 = 0.3  # what it takes for 20 of them on one thread, generously; it doubles with each, and a little more
SHARE = 0.5  # of the time that is left, the most that exact search may be expected to take
MOST_VARIABLES, MOST_SETS = 600, 500_000  # up to which tabu search takes turns: pricing all moves, indexing anew
FIRST_STEPS = 50  # for each variable, before exact search: something good to have, should it not end in time


@dataclass(frozen=True, kw_only=True)
class AutoSearch:
    """
    The method of choice: exact search where a proof fits into the time that is left, else RINOBS.

    Notes
    -----
    What decides is how many variables depend on each other in the candidate table: exact search solves each strongly
    connected component of the graph of all candidate parents by itself, in time and memory that double with each
    variable. Up to 27 may take half of the time that is left. Else, if the table is neither complete nor too large,
    RINOBS and tabu search over DAGs take turns (see `polishing.py`).
    """

    name: ClassVar[str] = "auto"
    needs: ClassVar[type[RINOBS]] = RINOBS  # the kernels of others are loaded when they are chosen

    def search(self, problem: Problem, run: Run) -> None:
        """Choose, and search."""
        table = run.parent_sets(problem)
        with run.proving():  # the time that the table took is no sign of convergence
            over = run.halted()
        if over:
            RINOBS().search(problem, run)  # states the bound: nothing else is worth loading any more
            return
        largest = max(len(group.variables) for group in groups_of(table))
        expected = seconds_of_exact(largest, run.threads)
        polishes = run.partial and self.polishes(problem, table)
        group = f"{largest} of {problem.size} variables can form cycles with each other"
        if largest > MOST:
            why = f"{group}, too many for exact search"
        elif expected > SHARE * run.seconds_left:
            why = f"{group}, exact search would take about {expected:,.0f} s"
        else:
            run.remark(f"chose exact search: at most {group}")
            self._prove(problem, run)
            return
        how = "orderings (rinobs) and, in turns, over DAGs (tabu)" if polishes else "orderings (rinobs)"
        run.remark(f"chose search over {how}: {why}")
        if polishes:
            with run.aside():
                load_kernels(problem, Tabu())
            search_and_polish(problem, run)
        else:
            RINOBS().search(problem, run)

    def _prove(self, problem: Problem, run: Run) -> None:
        """Search exactly, with something good in hand before, should that not end in time."""
        with run.aside():
            load_kernels(problem, Exact())
        steps = Iterations(run.progress.iterations + FIRST_STEPS * problem.size)
        with run.stage(steps | Seconds(run.seconds + max(0.0, 0.1 * run.seconds_left))):
            RINOBS().search(problem, run)
        Exact().search(problem, run)

    def polishes(self, problem: Problem, table: ParentSets) -> bool:
        """Tell whether tabu search can take turns: with data, where that is not too much to do."""
        known = problem.constraints
        free = known is None or not known.has_required.any()
        return problem.data is not None and free and problem.size <= MOST_VARIABLES and table.n_sets <= MOST_SETS


def seconds_of_exact(variables: int, threads: int) -> float:
    """Return about how long exact search takes for a group of variables."""
    return SECONDS_OF_20 * 2.0 ** min(1000, variables - 20) * max(1.0, variables / 20) / threads
