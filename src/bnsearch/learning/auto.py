"""The default method: a proof of optimality if one fits into the time budget, else the island model."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from bnsearch.equivalence.ges import GES
from bnsearch.exact.dynamic import Exact
from bnsearch.exact.groups import groups_of
from bnsearch.learning.candidates import Selecting, describe
from bnsearch.learning.warm_up import load_kernels
from bnsearch.ondemand.ginobs import GINOBS
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run, is_timed
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.selection.builder import load_kernels as load_selection
from bnsearch.selection.progress import no_progress
from bnsearch.selection.subsets import Subsets

MAX_GROUP = 27  # largest number of variables on a common cycle for exact search, which then takes 1 GiB
SECONDS_OF_20 = 0.3  # generous time of exact search for 20 variables on one thread; each further one doubles it
EXACT_SHARE = 0.5  # share of the remaining time that exact search over a table may be expected to take
FIRST_STEPS = 50  # steps of RINOBS for each variable before exact search, which may not end in time
FIRST_SEARCH_SHARE = 0.1  # share of the remaining time that these steps may take
N_ISLANDS = 2  # number of islands if the result must not depend on the threads; otherwise one for each thread
FIRST_SELECTION_SECONDS = 0.15  # duration of the first selection of candidate sets
SELECTION_GROWTH = 3.0  # duration of a selection divided by the duration of the one before
MIN_SELECTION_SHARE = 0.1  # shortest selection as a share of the elapsed time
MAX_SELECTING_SHARE = 0.4  # upper bound on the share of the time for all selections, of the elapsed and the remaining
MIN_SELECTING_SHARE = 0.1  # lower bound on the same share of the elapsed time, while no selected set is used
IMPORT_FACTOR = 4.0  # that share divided by the share of variables that got selected parents, between the bounds
STALE_SHARE = 0.2  # share of the elapsed time without improvement that raises the share for selections to this value
STUCK_SHARE = 0.75  # share of the elapsed time without improvement after which a complete selection is tried
STUCK_SELECTION_SHARE = 0.7  # share of the remaining time for that selection
SUBSETS_SHARE = 0.1  # share of the remaining time in which all subsets are counted before any search
SUBSETS_MARGIN = 1.5  # factor on the expected time of counting all subsets after the first rounds, for safety
MAX_FAMILIES = 20_000_000  # largest number of families of all subsets without a time budget


@dataclass(frozen=True, kw_only=True)
class AutoSearch:
    """
    The default method: a proof of optimality if one fits into the time budget, else the island model.

    Notes
    -----
    For few variables, the values of all subsets are counted (`Subsets`), and exact search proves the optimum over all
    networks. If a selected candidate table is complete, exact search solves each strongly connected component of the
    graph of all candidate parents separately, in time and memory that double with each variable.

    Otherwise islands search over orderings, with families on demand (GINOBS) and over the table of all families met
    (RINOBS), and over DAGs (tabu search). Most of the time goes to the activity that gains most. Candidate sets are
    selected in between and added to the table. The more of them the networks use, the more time selections get.
    """

    name: ClassVar[str] = "auto"
    needs: ClassVar[tuple[type, ...]] = (GINOBS, RINOBS)  # other kernels are loaded when they are needed

    def search(self, problem: Problem, run: Run) -> None:
        """Search a given table, or the data."""
        if problem.data is None or problem.table is not None:
            search_table(problem, run)
        else:
            _Search(problem, run).search()


class _Search:
    """
    One search with data.

    Attributes
    ----------
    timed : True if the budget is one of time
    select : selects candidate sets
    selection_seconds : time of all selections so far
    next_seconds : duration of the next selection
    started : time at which the islands had their first network
    provable : True as long as exact search may be able to solve a complete table
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self.timed = is_timed(run)
        self.select = run.selecting or Selecting(None, no_progress)
        self.selection_seconds, self.next_seconds = 0.0, FIRST_SELECTION_SECONDS
        self.started = 0.0
        self.provable = True
        run.partial = True  # until a table is complete

    def search(self) -> None:
        """Search until the run stops, or the optimum is proven."""
        problem, run = self.problem, self.run
        run.offer(problem.base_score, lambda: problem.base)
        expected = self._seconds_of_subsets()
        at_once = math.isfinite(expected) and (not self.timed or expected <= SUBSETS_SHARE * run.seconds_left)
        if at_once and self._solve_subsets():
            return
        if problem.needed_score.equivalent:
            with run.aside():
                load_kernels(problem, GES())
        model = IslandModel(problem, run, run.threads if self.timed else N_ISLANDS, problem.memory)
        model.start()
        self.started = run.seconds
        if not self.timed and self._select_more(model):
            return
        while run.going() and model.is_started:
            if self._is_selection_due(model) and self._select_more(model):
                return
            model.search_round()
            if math.isfinite(expected) and SUBSETS_MARGIN * expected <= run.seconds_left and run.going():
                if self._solve_subsets():
                    return
                expected = math.inf
        run.bound = model.table.upper_bound
        run.remark(
            "chose search over orderings, with families on demand (ginobs) and over their table (rinobs), and over "
            f"DAGs (tabu): to count all subsets of {problem.size} variables takes too long"
        )

    def _seconds_of_subsets(self) -> float:
        """Return the expected time to count all subsets and to search them; infinity if that is too much."""
        problem, run = self.problem, self.run
        n = problem.size
        if n > MAX_GROUP or (8 << n) > problem.memory // 2:
            return math.inf
        if not self.timed:
            return 0.0 if n << (n - 1) <= MAX_FAMILIES else math.inf
        with run.aside():
            load_kernels(problem, Exact())
            for constrained in (False, True)[: 1 + (problem.constraints is not None)]:
                load_selection(Subsets, problem.needed_data.codes.dtype.itemsize, run.threads > 1, constrained)
        builder = Subsets(memory=problem.memory // 2)
        counting = builder.expected_seconds(
            problem.needed_data, problem.needed_score, threads=run.threads, constraints=problem.constraints
        )
        return counting + seconds_of_exact(n, run.threads)

    def _solve_subsets(self) -> bool:
        """Count all subsets and search them exactly; return False if the time did not suffice for counting."""
        problem, run = self.problem, self.run
        seconds = run.seconds_left if self.timed else None
        builder = Subsets(seconds=seconds, memory=problem.memory // 2)
        with run.proving():
            found = builder.select(
                problem.needed_data,
                problem.needed_score,
                threads=run.threads,
                progress=self.select.progress,
                constraints=problem.constraints,
                halt=run.halted,
            )
        if not found.complete:
            return False
        run.remark(describe(found))
        run.remark(f"chose exact search: all subsets of {problem.size} variables were counted")
        run.partial = False
        prove(replace(problem, table=found.table), run)
        return True

    def _is_selection_due(self, model: IslandModel) -> bool:
        """Return True if candidate sets are to be selected now; set the duration of the selection."""
        run = self.run
        if not (self.timed and run.partial and run.going()):
            return False
        self.next_seconds = max(self.next_seconds, MIN_SELECTION_SHARE * run.seconds)
        stale = run.seconds - max(run.progress.improved, self.started)
        if self.provable and stale > STUCK_SHARE * run.seconds and self.next_seconds <= run.seconds_left:
            self.next_seconds = max(self.next_seconds, STUCK_SELECTION_SHARE * run.seconds_left)
            return True
        share = min(MAX_SELECTING_SHARE, max(MIN_SELECTING_SHARE, IMPORT_FACTOR * model.table.share_imported))
        if stale > max(self.next_seconds, STALE_SHARE * run.seconds):
            share = max(share, STALE_SHARE)
        if self.next_seconds > MAX_SELECTING_SHARE * run.seconds_left:
            return False
        return self.selection_seconds + self.next_seconds <= share * run.seconds

    def _select_more(self, model: IslandModel) -> bool:
        """Select candidate sets for the islands' table; return True if the optimum over a complete table is proven."""
        problem, run = self.problem, self.run
        with run.proving():
            found = self.select.select(problem, run, self.next_seconds if self.timed else math.inf)
        self.selection_seconds += self.next_seconds
        self.next_seconds *= SELECTION_GROWTH
        run.remark(describe(found))
        model.table.add_selected(found.table)
        run.partial = not found.complete
        self.provable = self.provable and largest_group(found.table) <= MAX_GROUP
        if found.complete and run.going():
            fits, why = exact_fits(found.table, problem, run)
            if fits:
                run.remark(f"chose exact search: {why}")
                prove(replace(problem, table=found.table), run)
                return run.optimal
        return False


def search_table(problem: Problem, run: Run) -> None:
    """Search over the networks of a given candidate table."""
    table = run.parent_sets(problem)
    fits, why = exact_fits(table, problem, run)
    run.remark(f"chose {'exact search' if fits else 'search over orderings (rinobs)'}: {why}")
    if fits:
        prove(problem, run)
    else:
        RINOBS().search(problem, run)


def exact_fits(table: ParentSets, problem: Problem, run: Run) -> tuple[bool, str]:
    """Return True if exact search over a table fits into the remaining time, and the reason."""
    largest = largest_group(table)
    expected = seconds_of_exact(largest, run.threads)
    group = f"{largest} of {problem.size} variables can form cycles with each other"
    if largest > MAX_GROUP:
        return False, f"{group}, too many for exact search"
    if expected > EXACT_SHARE * run.seconds_left:
        return False, f"{group}, exact search would take about {expected:,.0f} s"
    return True, f"at most {group}"


def largest_group(table: ParentSets) -> int:
    """Return the largest number of variables that can form cycles with each other."""
    return max(len(group.variables) for group in groups_of(table))


def prove(problem: Problem, run: Run) -> None:
    """Search a table exactly; before that by RINOBS, because exact search may not end in time."""
    with run.aside():
        load_kernels(problem, Exact())
    steps = Iterations(run.progress.iterations + FIRST_STEPS * problem.size)
    with run.stage(steps | Seconds(run.seconds + max(0.0, FIRST_SEARCH_SHARE * run.seconds_left))):
        RINOBS().search(problem, run)
    Exact().search(problem, run)


def seconds_of_exact(variables: int, threads: int) -> float:
    """Return the expected time of exact search for a group of variables."""
    return SECONDS_OF_20 * 2.0 ** min(1000, variables - 20) * max(1.0, variables / 20) / threads
