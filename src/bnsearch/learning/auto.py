"""The default method: exact search if it fits into the time budget, otherwise islands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from bnsearch.equivalence.ges import GES
from bnsearch.exact.groups import split_into_groups
from bnsearch.exact.method import Exact
from bnsearch.learning.candidates import CandidateSelector, describe, select_for_run
from bnsearch.learning.warm_up import load_kernels
from bnsearch.ondemand.ginobs import GINOBS
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.selection.subsets import Subsets

MAX_EXACT_VARIABLES = 27  # variables that can form cycles with each other: exact search then takes 1 GiB
SECONDS_FOR_20 = 0.3  # upper estimate of exact search with 20 variables on one thread; it doubles with each variable
EXACT_SHARE = 0.5  # maximum share of the remaining time that exact search over a table may be expected to take
WARM_UP_STEPS = 50  # RINOBS steps for each variable before exact search, for a good incumbent if that runs out of time
WARM_UP_SHARE = 0.1  # maximum share of the remaining time for these steps
UNTIMED_ISLANDS = 2  # number of islands if the result must not depend on the number of threads
MIN_ELAPSED, MIN_ELAPSED_SHARE = 1.0, 0.1  # seconds, or share of the time budget, before the first selection
MAX_SELECTING = 0.4  # maximum share of the remaining time for a selection
SELECTION_MARGIN = 2.0  # safety factor on the expected time of a selection: the pace of its first part is the fastest
STUCK_SHARE = 0.75  # share of the elapsed time without improvement after which a long selection may allow a proof
STUCK_SELECTION = 0.7  # share of the remaining time for that selection
SUBSETS_SHARE = 0.1  # maximum share of the remaining time for counting all subsets before the islands begin
SUBSETS_MARGIN = 1.5  # safety factor on the estimated time of counting all subsets after the islands have begun
MAX_FAMILIES = 20_000_000  # maximum number of families of all subsets in a run without a time limit


@dataclass(frozen=True, kw_only=True)
class AutoSearch:
    """
    The default method: exact search if it fits into the remaining time, otherwise islands.

    Notes
    -----
    With few variables, the values of all subsets are counted (`Subsets`), and exact search proves the optimum over all
    networks. If a selected candidate table is complete, exact search solves each strongly connected component of the
    graph of all candidate parents separately, in time and memory that double with each variable.

    Otherwise islands alternate between three searches: over orderings with families on demand (GINOBS), over orderings
    with a table of the families met (RINOBS), and over DAGs (tabu search). The search that gains most gets most of
    the time. In between, all parent sets of one more size are enumerated and added to the table, if that takes a small
    share of the time and if many variables of the best network have that many parents or fewer.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> bnsearch.learn(data, method=bnsearch.AutoSearch(), seconds=10, seed=1).optimal
    True
    """

    name: ClassVar[str] = "auto"
    space: ClassVar[str] = "chosen by size and time"
    needs: ClassVar[Needs] = Needs.DATA_OR_TABLE
    paper: ClassVar[str] = "ours"
    purpose: ClassVar[str] = "by default: exact on small problems, otherwise `ginobs` and `rinobs` in turn"
    kernel_groups: ClassVar[tuple[str, ...]] = ("climb", "chain", "classes", "selection", "table", "scorer")
    loads: ClassVar[tuple[type, ...]] = (GINOBS, RINOBS)  # kernels of other methods are loaded when they are chosen

    def search(self, problem: Problem, run: Run) -> None:
        """Choose a method, and search with it."""
        if problem.data is None or problem.table is not None or problem.has_python_score:
            search_table(problem, run)
        else:
            _DataSearch(problem, run).search()


class _DataSearch:
    """One search with data: the islands and the schedule of selections."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self.timed = run.is_timed
        self.selector = run.select if isinstance(run.select, CandidateSelector) else CandidateSelector()
        self.enumerated = 1  # number of parents up to which the table holds all useful sets
        self.next_seconds = 0.0  # expected time for enumerating one more size; 0 until a selection has measured it
        self.islands_began = 0.0  # elapsed time when the islands had their first network
        self.provable = True  # False once a selected table shows that exact search cannot solve a complete one
        run.partial = True  # until a table is complete

    def search(self) -> None:
        """Search until the run stops or the optimum is proven."""
        problem, run = self.problem, self.run
        run.offer(problem.base_score, lambda: problem.base)
        expected = self._expected_subset_seconds()
        fits = math.isfinite(expected) and (not self.timed or expected <= SUBSETS_SHARE * run.seconds_left)
        if fits and self._solve_subsets():
            return
        model = self._start_islands()
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
            "chose search over orderings (ginobs, rinobs) and over DAGs (tabu): exact search over all subsets of "
            f"{problem.size} variables would take too long"
        )

    def _start_islands(self) -> IslandModel:
        problem, run = self.problem, self.run
        if problem.needed_score.equivalent:
            with run.budget.clock_paused():
                load_kernels(problem, GES())
        model = IslandModel(problem, run, run.threads if self.timed else UNTIMED_ISLANDS, run.budget.memory)
        model.start()
        self.islands_began = run.seconds
        return model

    def _expected_subset_seconds(self) -> float:
        """Return the estimated time of counting and searching all subsets; infinity if these are too many."""
        problem, run = self.problem, self.run
        n = problem.size
        if n > MAX_EXACT_VARIABLES or (8 << n) > run.budget.memory // 2:
            return math.inf
        if not self.timed:
            return 0.0 if n << (n - 1) <= MAX_FAMILIES else math.inf
        builder = Subsets(memory=run.budget.memory // 2)
        with run.budget.clock_paused():
            load_kernels(problem, Exact())
            builder.load_kernels(problem.needed_data, run.threads, problem.constraints)
        counting = builder.expected_seconds(
            problem.needed_data, problem.needed_score, threads=run.threads, constraints=problem.constraints
        )
        return counting + expected_exact_seconds(n, run.threads)

    def _solve_subsets(self) -> bool:
        """Count all subsets and search them exactly; return True if nothing is left to do."""
        problem, run = self.problem, self.run
        builder = Subsets(memory=run.budget.memory // 2)
        with run.ignoring_convergence():
            found = select_for_run(builder, problem, run)
        if not found.complete:
            return False
        run.remark(describe(found))
        run.remark(f"chose exact search: all subsets of {problem.size} variables were counted")
        run.partial = False
        prove(replace(problem, table=found.table), run)
        return True

    def _is_selection_due(self, model: IslandModel) -> bool:
        """Return True if the sets of one more size can be enumerated in the time that is allowed for this now."""
        run = self.run
        if not (self.timed and run.partial and run.going()):
            return False
        late_enough = run.seconds >= min(MIN_ELAPSED, MIN_ELAPSED_SHARE * (run.seconds + run.seconds_left))
        return late_enough and SELECTION_MARGIN * self.next_seconds <= self._max_selection_seconds(model)

    def _max_selection_seconds(self, model: IslandModel) -> float:
        """
        Return the time that is allowed for a selection now.

        It is a share of the remaining time, multiplied by the share of the variables whose parents in the best network
        are a set of the next size or a smaller one: only sets like these would be enumerated. It is at most the elapsed
        time, so the incumbent at any time t is at least as good as that of the search until t / 2.
        """
        run = self.run
        if not self.timed:
            return math.inf
        share = MAX_SELECTING * model.share_covered(self.enumerated + 1)
        stale = run.seconds - max(run.progress.improved, self.islands_began)
        if self.provable and stale > STUCK_SHARE * run.seconds:
            share = STUCK_SELECTION
        return min(share * run.seconds_left, run.seconds)

    def _select_more(self, model: IslandModel) -> bool:
        """Add selected candidate sets to the islands' table; return True if the optimum is proven."""
        problem, run = self.problem, self.run
        seconds = self._max_selection_seconds(model)
        with run.ignoring_convergence():
            found = self.selector.select(problem, run, seconds, enumerated=self.enumerated + 1 if self.timed else None)
        self.next_seconds = found.seconds_for_next
        if self.timed and found.exhaustive <= self.enumerated:  # the next size takes too long or too much memory
            self.next_seconds = max(self.next_seconds, seconds)
        self.enumerated = max(self.enumerated, found.exhaustive)
        run.remark(describe(found))
        model.table.add_selected(found.table)
        run.partial = not found.complete
        self.provable = self.provable and largest_group(found.table) <= MAX_EXACT_VARIABLES
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
    """Return whether exact search over a table fits into the remaining time, and the reason."""
    largest = largest_group(table)
    expected = expected_exact_seconds(largest, run.threads)
    group = f"{largest} of {problem.size} variables can form cycles with each other"
    if largest > MAX_EXACT_VARIABLES:
        return False, f"{group}, too many for exact search"
    if expected > EXACT_SHARE * run.seconds_left:
        return False, f"{group}, exact search would take about {expected:,.0f} s"
    return True, f"at most {group}"


def largest_group(table: ParentSets) -> int:
    """Return the size of the largest group of variables that can form cycles with each other."""
    return max(len(group.variables) for group in split_into_groups(table))


def prove(problem: Problem, run: Run) -> None:
    """Search a table exactly, after a short search with RINOBS in case the time does not suffice."""
    with run.budget.clock_paused():
        load_kernels(problem, Exact())
    steps = Iterations(run.progress.iterations + WARM_UP_STEPS * problem.size)
    with run.extra_stop(steps | Seconds(run.seconds + max(0.0, WARM_UP_SHARE * run.seconds_left))):
        RINOBS().search(problem, run)
    Exact().search(problem, run)


def expected_exact_seconds(variables: int, threads: int) -> float:
    """Return the estimated time of exact search for a group of variables."""
    return SECONDS_FOR_20 * 2.0 ** min(1000, variables - 20) * max(1.0, variables / 20) / threads
