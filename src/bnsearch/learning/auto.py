"""The default method: exact search if it fits into the time budget, otherwise islands."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from bnsearch.equivalence.ges import GES
from bnsearch.exact.warm_up import load_bound_kernels
from bnsearch.learning.all_subsets import estimate_subset_search
from bnsearch.learning.bounding import BoundSearch
from bnsearch.learning.candidates import (
    CandidateSelector,
    describe,
    load_selection_kernels,
    select_for_run,
    selection_memory,
)
from bnsearch.learning.selection_schedule import SelectionSchedule
from bnsearch.learning.set_growth import SetGrowth
from bnsearch.learning.table_search import (
    CERTAIN_SHARE,
    CUT_SHARE,
    exact_fits,
    expected_exact_seconds,
    is_gap_small,
    search_by_cuts,
    search_exactly,
    search_problem_table,
)
from bnsearch.learning.warm_up import load_kernels, load_scorer_kernels
from bnsearch.ondemand.ginobs import GINOBS
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.scope import ALL_NETWORKS, KEPT_SETS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.method import Method, Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.selection.enumeration import Enumeration
from bnsearch.selection.report import NO_TIME, Selection
from bnsearch.selection.subsets import Subsets

UNTIMED_ISLANDS = 2  # number of islands if the result must not depend on the number of threads
SUBSETS_SHARE = 0.1  # maximum share of the remaining time for scoring all subsets before the islands begin
MAX_SECONDS_PER_SUBSET, MAX_SECONDS_PER_ROW = 1e-6, 1e-8  # upper estimates for one subset: fixed, and for each row
SUBSETS_GROUPS = "subsets", "scorer", "dynamic"  # groups of kernels that score and search all subsets
SUBSETS_MARGIN = 1.5  # safety factor on the estimated time of scoring all subsets after the islands have begun


@dataclass(frozen=True, kw_only=True)
class AutoSearch:
    """
    The default method: exact search if it fits into the remaining time, otherwise islands (parallel searches).

    Notes
    -----
    With few variables, all subsets of the variables are scored (`Subsets`), and exact search proves the optimum over
    all networks. If a selected candidate table is complete, exact search solves each strongly connected component of
    the graph of all candidate parents separately. Time and memory of dynamic programming double with each variable of a
    component; components of more than 20 variables are searched in the order graph and by branch and cut.

    Otherwise the islands alternate between four searches: over orderings, with families on demand (GINOBS); over
    orderings, with a table of all families met so far (RINOBS); over DAGs (tabu search); and over the parents of random
    variables, which grow anew among random candidates. The time is shared between the two searches over orderings, the
    search over DAGs and the regrowth, in proportion to their recent gains per second. Between these searches, parent
    sets are enumerated, one size after the other, and added to the table. A size is enumerated as a whole if that takes
    a small share of the time. A part of a size is enumerated when the search stops improving.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> bnsearch.learn(data, method=bnsearch.AutoSearch(), seconds=10, seed=1).optimal
    True
    """

    name: ClassVar[str] = "auto"
    begins_at_start: ClassVar[bool] = True
    space: ClassVar[str] = "chosen by size and time"
    needs: ClassVar[Needs] = Needs.DATA_OR_TABLE
    paper: ClassVar[str] = "ours"
    purpose: ClassVar[str] = "by default: exact on small problems, otherwise `ginobs`, `rinobs` and `tabu` in turn"
    kernel_groups: ClassVar[tuple[str, ...]] = (
        "climb", "lazy", "chain", "cuts", "classes", "selection", "table", "scorer", "bounds"
    )  # fmt: skip
    loads_later: ClassVar[bool] = True  # the kernels of a method are loaded when it is chosen

    def choose_kernel_groups(self, problem: Problem, run: Run) -> tuple[str, ...]:
        """Return the groups of kernels that a run needs; only a few if it is certain that all subsets are scored."""
        searching = expected_exact_seconds(problem.size, 1)
        if math.isinf(searching):
            return self.kernel_groups
        seconds_each = MAX_SECONDS_PER_SUBSET + MAX_SECONDS_PER_ROW * problem.needed_data.n_rows
        expected = (1 << problem.size) * seconds_each + searching
        if run.is_timed and expected <= min(SUBSETS_SHARE, CERTAIN_SHARE) * run.seconds_left:
            return SUBSETS_GROUPS
        return (*self.kernel_groups, "subsets", "dynamic")

    def search(self, problem: Problem, run: Run) -> None:
        """Choose a method, and search with it."""
        if problem.data is None or problem.table is not None or problem.has_python_score:
            search_problem_table(problem, run)
        else:
            _DataSearch(problem, run).search()


class _DataSearch:
    """One search with data: the islands, the schedule of selections and the search for a bound."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self.timed = run.is_timed
        self.schedule = SelectionSchedule()
        self.set_growth = SetGrowth(problem, run)
        self.bounding: BoundSearch  # made when the islands have started
        self.undescribed: Selection | None = None  # the last selection, if no note describes it yet
        self.untried_table: ParentSets | None = None  # complete table that branch and cut has not tried yet
        self.why_islands = ""  # why exact search over all subsets was not possible

    def search(self) -> None:
        """Search until the run stops or the optimum is proven."""
        problem, run = self.problem, self.run
        with run.budget.clock_paused():
            load_scorer_kernels(problem)
        run.offer(problem.base_score, lambda: problem.base)
        selection = self._restore_selections()
        if self.schedule.has_all_subsets and self._solve_subsets(selection):
            return
        expected, self.why_islands = estimate_subset_search(problem, run)
        fits = math.isfinite(expected) and (not self.timed or expected <= SUBSETS_SHARE * run.seconds_left)
        if fits and self._solve_subsets():
            return
        # A bound over the sets kept proves nothing about other networks.
        run.scope, run.stops_at_bound = KEPT_SETS, False
        self._load_kernels()
        model = self._start_islands()
        bounding = self.bounding = BoundSearch(problem, run, model)
        if selection is None and not self.timed:
            selection = CandidateSelector().select(problem, run, math.inf)
        if selection is not None and self._add_selection(model, selection):
            return
        bounding.continue_from_checkpoint()
        while run.going() and model.is_started and run.seconds_left > self._reserve(model):
            seconds, whole = self._plan_if_possible(model)
            if seconds > 0.0 and self._enumerate(model, seconds, whole):
                return
            with run.extra_stop(Seconds(run.seconds + run.seconds_left - self._reserve(model))):
                self._search_round(model)
            if self._prove_complete_table():
                return
            if self.timed and not (model.is_climbing or model.is_warming_up):
                self.set_growth.advance(model, self.schedule.last_selection)
            if math.isfinite(expected) and SUBSETS_MARGIN * expected <= run.seconds_left and run.going():
                if self._solve_subsets():
                    return
                expected = math.inf
        if model.islands:
            model.search_last(min(model.table.last_search_seconds, run.seconds_left - bounding.reserve))
            bounding.finish()
            run.end_by_time()
        if self.undescribed is not None:
            run.remark(describe(self.undescribed))
        run.remark(
            "chose search over orderings (ginobs, rinobs) and over DAGs (tabu): exact search over all subsets of "
            f"{problem.size} variables {self.why_islands}"
        )

    def _reserve(self, model: IslandModel) -> float:
        """Return the time at the end of the run for the last search over the table and for the bound."""
        return self.bounding.reserve + model.table.last_search_seconds

    def _prove_complete_table(self) -> bool:
        """Try branch and cut once on a complete table if the gap is small; return True if the optimum is proven."""
        run, complete = self.run, self.untried_table
        if complete is None or not run.scope.is_complete or not is_gap_small(run):
            return False
        self.untried_table = None
        search_by_cuts(replace(self.problem, table=complete), run, CUT_SHARE * run.seconds_left)
        return run.optimal

    def _restore_selections(self) -> Selection | None:
        """Restore the selections from the checkpoint, and return the last one; None if there is none."""
        if self.run.checkpoint is None:
            return None
        from bnsearch.learning.auto_state import connect_selections

        return connect_selections(self.schedule, self.run.checkpoint, self.problem.names)

    def _search_round(self, model: IslandModel) -> None:
        """
        Search with the islands for one round, and for a bound: in parallel if there are several islands.

        No bound is searched for while the islands warm up, because its share of the time depends on the search's gains.
        """
        bounding = self.bounding

        def search_bound(seconds: float) -> None:
            """Search for a bound in place of one island, until the time for the bound in this round is used up."""
            bounding.advance(seconds)
            if bounding.credit <= 0.0:
                model.guest = None

        is_parallel = len(model.islands) > 1
        is_searching = not model.is_warming_up
        if is_parallel and is_searching:
            bounding.prepare_slice()
            model.guest = search_bound if bounding.credit > 0.0 else None
        model.search_round()
        model.guest = None
        if is_searching and not is_parallel:
            bounding.prepare_slice()
            bounding.advance(math.inf)

    def _load_kernels(self) -> None:
        """Load the kernels of the islands while the clock is paused, unless a stop is requested."""
        problem, run = self.problem, self.run
        loads: list[Callable[[], object]] = [load_bound_kernels, partial(load_selection_kernels, problem, run.threads)]
        methods: list[Method] = [GINOBS(), RINOBS(), *([GES()] if problem.needed_score.equivalent else [])]
        for method in methods:
            loads += [partial(load_kernels, problem, method, rare=rare) for rare in (False, True)]
        with run.budget.clock_paused():
            for load in loads:
                if run.budget.request is None:
                    load()

    def _start_islands(self) -> IslandModel:
        problem, run = self.problem, self.run
        model = IslandModel(problem, run, run.threads if self.timed else UNTIMED_ISLANDS, run.budget.memory)
        model.start()
        self.schedule.searching_since, self.schedule.stale_since = model.started, run.seconds
        return model

    def _solve_subsets(self, found: Selection | None = None) -> bool:
        """
        Score all subsets and search them exactly; return False if not all subsets could be scored.

        True ends the search, even if exact search was stopped before its proof.

        found : the selection of all subsets from a checkpoint; None if there is none
        """
        problem, run = self.problem, self.run
        if found is None:
            with run.ignoring_convergence():
                found = select_for_run(Subsets(memory=run.budget.memory // 2), problem, run)
        if not found.complete:
            self.why_islands = "did not end in time"
            return False
        self.schedule.last_selection, self.schedule.has_all_subsets = found, True
        run.remark(describe(found))
        run.remark(f"chose exact search: all subsets of {problem.size} variables were scored")
        run.scope, run.bound = ALL_NETWORKS, None
        search_exactly(replace(problem, table=found.table), run)
        return True

    def _plan_if_possible(self, model: IslandModel) -> tuple[float, bool]:
        """
        Return a plan as `plan_enumeration` does.

        There is no time for an enumeration during the first climb and the warm-up, and without a time budget.
        """
        if not self.timed or model.is_climbing or model.is_warming_up:
            return 0.0, True
        return self.schedule.plan_enumeration(self.run, model.share_covered)

    def _enumerate(self, model: IslandModel, seconds: float, whole: bool) -> bool:
        """Enumerate parent sets for the islands' table; return True if the optimum is proven."""
        problem, run, schedule = self.problem, self.run, self.schedule
        builder = Enumeration(
            seconds=max(0.01, seconds),
            memory=selection_memory(run),
            max_rows=model.table.max_rows,
            whole_size=whole,
            seconds_left=run.seconds_left,
            state=schedule.state,
        )
        with run.ignoring_convergence():
            found = select_for_run(builder, problem, run)
        schedule.selection_seconds += found.seconds
        schedule.open_seconds += found.seconds if whole else 0.0  # `record_size` resets it if the size is complete
        schedule.next_seconds = found.seconds_for_next if math.isfinite(found.seconds_for_next) else 2.0 * seconds
        schedule.is_finished = found.stop in ("memory", NO_TIME)
        schedule.stale_since = run.seconds
        total = replace(found, seconds=schedule.selection_seconds)
        return self._add_selection(model, total, at_once=whole or found.complete)

    def _add_selection(self, model: IslandModel, found: Selection, *, at_once: bool = True) -> bool:
        """Add selected candidate sets to the islands' table; return True if the optimum is proven."""
        problem, run, schedule = self.problem, self.run, self.schedule
        self.undescribed = schedule.last_selection = found
        schedule.record_size(found.depth, found.table.n_sets)
        model.table.add_selected(found.table, at_once=at_once)
        schedule.is_partial = not found.complete
        # If only a part of a size was enumerated, the bound covers only those sets of the part that the islands use.
        if at_once and (self.bounding.add_selected(found.table, found.scope) or found.complete):
            run.scope, run.bound = found.scope, None  # a bound over the previous table does not cover this one
        if found.complete and run.going():
            fits, why = exact_fits(found.table, problem, run)
            if fits:
                run.remark(describe(found))
                self.undescribed = None  # the note above describes it
                run.remark(f"chose exact search: {why}")
                search_exactly(replace(problem, table=found.table), run)
                return run.optimal
            self.untried_table = found.table if self.timed else None
        return False
