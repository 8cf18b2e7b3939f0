"""The method that chooses: a proof where one fits into the time, else families on demand and tables in turns."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from bnsearch.equivalence.ges import GES
from bnsearch.exact.dynamic import Exact
from bnsearch.exact.groups import split_into_groups
from bnsearch.learning.candidates import Selecting, describe
from bnsearch.learning.warm_up import load_kernels
from bnsearch.ondemand.ginobs import GINOBS
from bnsearch.ondemand.islands import Islands
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run, is_timed
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.selection.builder import load_kernels as load_selection
from bnsearch.selection.progress import no_progress
from bnsearch.selection.subsets import Subsets

MOST = 27  # variables that depend on each other: exact search then takes 1 GiB
SECONDS_OF_20 = 0.3  # what it takes for 20 of them on one thread, generously; it doubles with each, and a little more
SHARE = 0.5  # of the time that is left, the most that exact search over a table may be expected to take
FIRST_STEPS = 50  # for each variable, before exact search: something good to have, should it not end in time
ISLANDS = 2  # where the result must not depend on the number of threads; else one for each of them
FIRST_SELECTION, LONGER = 0.15, 3.0  # seconds of the first selection; each is so many times as long as the one before
FIRST_SHARE = 0.1  # of the time so far, a selection at least
SELECTING, RARELY = 0.4, 0.1  # of the time so far, the most that candidate sets are selected in, and the least
WORTH = 4.0  # in between: so many times the share of variables that have got selected parents
STALE = 0.2  # of the time so far without improvement, after which sets are selected up to this share of the time
STUCK, SELECTING_STUCK = 0.75, 0.7  # the same after which a proof is tried in much of the time left, and how much
AT_ONCE, SURE = 0.1, 1.5  # of the time left, in which all subsets are counted at once; the margin of the estimate
MOST_FAMILIES = 20_000_000  # of all subsets, where no time is given


@dataclass(frozen=True, kw_only=True)
class AutoSearch:
    """
    The method of choice: a proof where one fits into the time that is left, else islands.

    Notes
    -----
    Few variables: the values of all subsets are counted (`Subsets`), and exact search proves the optimum over all
    networks. Where a selected candidate table is complete, exact search solves each strongly connected component of the
    graph of all candidate parents by itself, in time and memory that double with each variable.

    Else islands search in turns: over orderings, with families on demand (GINOBS) and over the table of all families
    met (RINOBS), and over DAGs (tabu search). Time goes to the kind of turn that gains most. Candidate sets that are
    selected meanwhile join the table: the more of them the networks take, the more time goes into selecting others.
    """

    name: ClassVar[str] = "auto"
    needs: ClassVar[tuple[type, ...]] = (GINOBS, RINOBS)  # the kernels of others are loaded when they are chosen

    def search(self, problem: Problem, run: Run) -> None:
        """Choose, and search."""
        if problem.data is None or problem.table is not None:
            search_table(problem, run)
        else:
            _Search(problem, run).search()


class _Search:
    """One search with data: the islands, the selections so far, and when the next one is due."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self.timed = is_timed(run)
        self.select = run.selecting or Selecting(None, no_progress)
        self.spent, self.next = 0.0, FIRST_SELECTION  # seconds of all selections so far, and of the next one
        self.begun = 0.0  # seconds until the islands had their first network
        self.provable = True  # whether exact search could solve a complete table, by what is known
        run.partial = True  # until a table is complete

    def search(self) -> None:
        """Search until the run is told to stop, or the optimum is proven."""
        problem, run = self.problem, self.run
        run.offer(problem.base_score, lambda: problem.base)
        expected = self._seconds_of_subsets()
        at_once = math.isfinite(expected) and (not self.timed or expected <= AT_ONCE * run.seconds_left)
        if at_once and self._solve_subsets():
            return
        if problem.needed_score.equivalent:
            with run.aside():
                load_kernels(problem, GES())
        islands = Islands(problem, run, run.threads if self.timed else ISLANDS, problem.memory)
        islands.begin()
        self.begun = run.seconds
        if not self.timed and self._select_more(islands):
            return
        while run.going() and islands.ready:
            if self._is_selection_due(islands) and self._select_more(islands):
                return
            islands.round()
            if math.isfinite(expected) and SURE * expected <= run.seconds_left and run.going():
                if self._solve_subsets():
                    return
                expected = math.inf
        run.bound = islands.bound
        run.remark(
            "chose search over orderings, with families on demand (ginobs) and over their table (rinobs), and over "
            f"DAGs (tabu): to count all subsets of {problem.size} variables takes too long"
        )

    def _seconds_of_subsets(self) -> float:
        """Return how long it takes to count all subsets and to search them, about; infinity where that is too much."""
        problem, run = self.problem, self.run
        n = problem.size
        if n > MOST or (8 << n) > problem.memory // 2:
            return math.inf
        if not self.timed:
            return 0.0 if n << (n - 1) <= MOST_FAMILIES else math.inf
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
        """Count all subsets and search them exactly; tell whether there is nothing left to do."""
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

    def _is_selection_due(self, islands: Islands) -> bool:
        """Tell whether to select more candidate sets now, and decide for how long."""
        run = self.run
        if not (self.timed and run.partial and run.going()):
            return False
        self.next = max(self.next, FIRST_SHARE * run.seconds)
        stale = run.seconds - max(run.progress.improved, self.begun)
        if self.provable and stale > STUCK * run.seconds and self.next <= run.seconds_left:
            self.next = max(self.next, SELECTING_STUCK * run.seconds_left)
            return True
        worth = min(SELECTING, max(RARELY, WORTH * islands.share_imported))
        if stale > max(self.next, STALE * run.seconds):
            worth = max(worth, STALE)
        return self.spent + self.next <= worth * run.seconds and self.next <= SELECTING * run.seconds_left

    def _select_more(self, islands: Islands) -> bool:
        """Select candidate sets for the islands' table; tell whether the optimum over a complete one is proven."""
        problem, run = self.problem, self.run
        with run.proving():
            found = self.select.select(problem, run, self.next if self.timed else math.inf)
        self.spent += self.next
        self.next *= LONGER
        run.remark(describe(found))
        islands.take_table(found.table)
        run.partial = not found.complete
        self.provable = self.provable and largest_group(found.table) <= MOST
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
    """Tell whether exact search over a table fits into the time that is left, and why."""
    largest = largest_group(table)
    expected = seconds_of_exact(largest, run.threads)
    group = f"{largest} of {problem.size} variables can form cycles with each other"
    if largest > MOST:
        return False, f"{group}, too many for exact search"
    if expected > SHARE * run.seconds_left:
        return False, f"{group}, exact search would take about {expected:,.0f} s"
    return True, f"at most {group}"


def largest_group(table: ParentSets) -> int:
    """Return how many variables at most can form cycles with each other."""
    return max(len(group.variables) for group in split_into_groups(table))


def prove(problem: Problem, run: Run) -> None:
    """Search a table exactly, with something good in hand before, should that not end in time."""
    with run.aside():
        load_kernels(problem, Exact())
    steps = Iterations(run.progress.iterations + FIRST_STEPS * problem.size)
    with run.stage(steps | Seconds(run.seconds + max(0.0, 0.1 * run.seconds_left))):
        RINOBS().search(problem, run)
    Exact().search(problem, run)


def seconds_of_exact(variables: int, threads: int) -> float:
    """Return about how long exact search takes for a group of variables."""
    return SECONDS_OF_20 * 2.0 ** min(1000, variables - 20) * max(1.0, variables / 20) / threads
