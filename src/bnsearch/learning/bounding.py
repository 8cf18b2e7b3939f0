"""Upper bounds as part of the default method: dual ascent, then also branch and cut, in slices beside the islands."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.exact.certificate import certify_ascent, make_certificate
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.cut_bound import CutBound
from bnsearch.exact.cuts import Cut
from bnsearch.exact.incumbents import find_rows
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.saved_bound import SavedBound
from bnsearch.exact.warm_up import load_cut_kernels
from bnsearch.graphs.dag import DAG
from bnsearch.learning.bound_share import get_bound_share
from bnsearch.learning.bound_table import UPDATE_SECONDS, add_network, make_core
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.parent_sets.scope import KEPT_SETS, Scope
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

RESERVE = 0.03  # share of the total time that is left to the bound at the end of a run
MAX_RESERVE = 0.1  # the same, if computing the bound of a large table takes long
SLOW_GAIN = 0.03  # share of the gap that the dual ascent must close in a period; otherwise branch and cut starts
SLOW_PERIOD = 0.1  # the length of this period, as a share of the total time
MIN_CORE_GROWTH = 1.5  # the core (the sets that the islands have met) is updated if it has grown by this factor
LAST_UPDATE = 0.5  # share of the total time after which it is not updated: the bound needs time to adapt to new sets
MIN_SLICE = 0.02  # shortest slice of the search for a bound, as a share of the total time: short ones waste rounds
MIN_SLICE_UPDATES = 5  # the same, as a multiple of the time for updating the core
MIN_SLICE_ROUNDS = 3  # the same, as a multiple of the time of a round: a round that is interrupted is lost
ROWS_PER_SECOND = 10_000  # maximum number of selected rows for each second of the run: pricing takes 1e-6 s for a row
ROW_BYTES = 200  # approximate memory of a row: its bits, its reduced cost, and its part of the table
UNTIMED_ROUNDS = 30  # rounds of the search for a bound under a budget of iterations
UNTIMED_ROWS = 200_000  # maximum number of selected rows in this case
MEMORY_SHARE = 8  # the selected rows take at most an eighth of the run's memory, and so do the clusters or cuts


class BoundSearch:
    """
    The search for an upper bound beside the islands.

    The bound covers the parent sets that the islands have met, and the selected ones. Its scope is the scope of the
    selection if all selected sets take part.

    Parameters
    ----------
    problem, run : the problem, and the run that the search is part of
    model : the islands

    Attributes
    ----------
    ascent : the search for clusters and multipliers; None before it has started
    cuts : branch and cut, which starts when the dual ascent hardly improves the bound; None before. Then both take
        turns, until branch and cut has the lower bound and continues alone
    credit : number of seconds that the search for a bound may take in this round
    spent : number of seconds that the search has taken so far
    state : the state for a checkpoint; None before the first bound
    """

    def __init__(self, problem: Problem, run: Run, model: IslandModel) -> None:
        self.problem, self._run, self._model = problem, run, model
        self._timed = run.is_timed
        self._end = run.seconds + run.seconds_left
        self._selected: ParentSets | None = None
        self._scope = KEPT_SETS
        self._is_outdated = True  # True if the selected sets have changed since the search began
        self.spent, self._update_seconds = 0.0, UPDATE_SECONDS * problem.size  # the latter: of the last table update
        self._memory = run.budget.memory // MEMORY_SHARE
        self._is_slow = False  # True if the dual ascent hardly improves the bound
        self._mark = (0.0, inf)  # seconds of the search, and the bound, at the start of the current period
        self._is_turn_of_cuts = True  # True if branch and cut has the next turn, False if the dual ascent has it
        self._old_cuts: list[Cut] = []  # cuts of branch and cut over an earlier table; they hold for any table
        self._found: tuple[DAG, NDArray[np.float64]] | None = None  # the last network of branch and cut
        self._covered = -inf  # score of the incumbent when its sets were added to the table
        self._n_core = 0  # number of sets that the islands have met, at the last update
        self._start: ClusterBound | None = None  # inequalities of an earlier run that this one continues
        self._saved_value = -inf  # bound of the earlier run, which is kept until a lower one is found
        self.ascent: PricedAscent | None = None
        self.cuts: CutBound | None = None
        self.credit = 0.0
        self.state: SavedBound | None = None

    @property
    def reserve(self) -> float:
        """Number of seconds at the end of the run that the search for a bound needs."""
        if not math.isfinite(self._end):
            return 0.0
        pricing = 0.0 if self.ascent is None else 2 * self.ascent.pricing_seconds
        return min(MAX_RESERVE * self._end, RESERVE * self._end + self._update_seconds + pricing)

    def continue_from_checkpoint(self) -> None:
        """Continue with the bound of an earlier run if there is one, and add the bound to the run's checkpoint."""
        if self._run.checkpoint is not None:
            from bnsearch.learning.bound_state import keep_bound

            keep_bound(self, self._run.checkpoint)

    def continue_from(self, state: SavedBound, spent: float, evidence: Callable[[], Any]) -> None:
        """
        Continue from the state of an earlier run, after its selected parent sets were added.

        The bound of the earlier run is kept if it has the same scope, until a lower one is found or the incumbent is
        better.

        spent : time that the search has taken in the earlier run
        evidence : function that returns the certificate of the earlier bound, or raises an error
        """
        self._start, self._old_cuts, self.spent = state.inequalities, state.cuts, spent
        if state.scope == self._scope:
            run, self._saved_value = self._run, state.value
            run.bound, run.scope, run.evidence = state.value, state.scope, evidence

    def add_selected(self, table: ParentSets, scope: Scope) -> bool:
        """
        Use these selected parent sets from now on, and return True; if they are too many, return False.

        After branch and cut has begun, they are used only if they are complete: a new start would take long.

        scope : the scope of a bound over these sets
        """
        max_rows = min(ROWS_PER_SECOND * self._end if self._timed else UNTIMED_ROWS, self._memory / ROW_BYTES)
        if table.n_sets > max_rows or (self.cuts is not None and not scope.is_complete):
            return False
        self._selected, self._scope, self._is_outdated = table, scope, True
        return True

    def prepare_slice(self) -> None:
        """Set the credit for calls of `advance`, and prepare the table; no credit if a slice would be too short."""
        run, self.credit = self._run, 0.0
        if not self._timed or run.halted():
            return
        seconds = min(get_bound_share(run) * run.threads * run.seconds - self.spent, run.seconds_left)
        if seconds < max(MIN_SLICE * self._end, MIN_SLICE_UPDATES * self._update_seconds):
            return
        started = run.seconds
        if self._found is not None:  # an island continues from the last network of branch and cut
            self._model.islands[-1].add_network(*self._found)
            self._found = None
        if self._is_outdated:
            self._update_table()
        elif self._is_beaten():
            self._cover_incumbent()
        elif self.cuts is None and self._is_slow and has_solver():
            self._start_cuts()
        elif self.cuts is None and run.seconds < LAST_UPDATE * self._end:
            self._update_table(MIN_CORE_GROWTH)
        self.spent += run.seconds - started
        self.credit = max(0.0, seconds - (run.seconds - started))

    def advance(self, seconds: float) -> None:
        """Search for some seconds, as far as the credit allows; in any thread."""
        if self.credit <= 0.0:
            return
        assert self.ascent is not None
        started = self._run.seconds
        least = MIN_SLICE_ROUNDS * self.ascent.round_seconds + self.ascent.pricing_seconds
        self._improve(self._run.budget.part(min(max(seconds, least), self.credit)))
        took = self._run.seconds - started
        self.spent, self.credit = self.spent + took, self.credit - took

    def finish(self) -> None:
        """
        Set the bound of the run.

        The search uses the rest of the time, up to its reserve. After Ctrl-C the last bound is kept, unless the
        incumbent is better. That is possible because the incumbent may have sets that the islands have met since the
        last slice, which the bound does not cover.
        """
        run = self._run
        if run.budget.request is not None and not self._is_beaten():
            return
        seconds = min(run.seconds_left, self.reserve or math.inf)
        budget = Budget(seconds, clock=run.budget.clock, stop_condition=lambda: run.budget.request)
        if self._is_outdated:
            self._update_table()
        elif self._is_beaten() or (self.cuts is None and improves(run.progress.score, self._covered)):
            self._cover_incumbent()
        before, evidence, scope = run.bound, run.evidence, run.scope
        self._improve(budget)
        if before is not None and improves(before, run.progress.score) and (run.bound is None or before < run.bound):
            run.bound, run.evidence, run.scope = before, evidence, scope  # there was not enough time for a lower bound
        if self._is_beaten():
            self._cover_incumbent()
            self._improve(budget)

    def _is_beaten(self) -> bool:
        """Return True if there is no bound, or if the incumbent is better: the bound does not cover all its sets."""
        bound = self._run.bound
        return bound is None or improves(self._run.progress.score, bound)

    def _improve(self, budget: Budget) -> None:
        """Improve the bound within a budget, and set the bound of the run."""
        assert self.ascent is not None
        run, before = self._run, self._run.bound
        if self.cuts is not None and (self._has_better_cuts() or self._is_turn_of_cuts or self.ascent.converged):
            self.cuts.improve(budget)
        else:
            started = run.seconds
            self.ascent.improve(budget, run.progress.score, inf if self._timed else UNTIMED_ROUNDS)
            if self.cuts is None:
                self._check_progress(self.spent + run.seconds - started)
        self._is_turn_of_cuts = not self._is_turn_of_cuts
        value = self.ascent.bound.value if self.cuts is None else min(self.cuts.value, self.ascent.bound.value)
        if improves(run.progress.score, value):  # the incumbent has sets that the bound does not cover
            run.bound = run.evidence = None
            return
        if before is not None and before < value and run.scope.is_complete and self._scope.is_complete:
            return  # the old bound is tighter: it comes from an attempt to prove the optimum over all networks
        if before is not None and before == self._saved_value and before < value and not self._is_beaten():
            return
        run.bound, run.scope = value, self._scope
        self._save_state(value)
        if self.cuts is not None and self._has_better_cuts():
            run.evidence = partial(make_certificate, self.cuts.table, self.cuts.make_proofs())
        else:
            run.evidence = partial(certify_ascent, self.ascent.tables, self.ascent.bound)

    def _save_state(self, value: float) -> None:
        """Copy the state for the checkpoint, because its thread must not read the cuts during a search."""
        if self._run.checkpoint is not None and self.ascent is not None:
            cuts = self._old_cuts if self.cuts is None else self.cuts.list_cuts()
            self.state = SavedBound(value, self._scope, self.ascent.bound, cuts)

    def _has_better_cuts(self) -> bool:
        """Return True if branch and cut has a lower bound than the dual ascent."""
        return self.cuts is not None and self.ascent is not None and self.cuts.value < self.ascent.bound.value

    def _check_progress(self, spent: float) -> None:
        """At the end of a period, decide whether the dual ascent is slow; `spent` is the time of the search so far."""
        assert self.ascent is not None
        began, before = self._mark
        value = self.ascent.bound.value
        if spent - began >= SLOW_PERIOD * self._end:
            self._is_slow = before - value < SLOW_GAIN * (value - self._run.progress.score)
            self._mark = spent, value
        self._is_slow |= self.ascent.converged

    def _update_table(self, min_growth: float = 0.0) -> None:
        """
        Add the sets that the islands have met since the last slice; start a new search after a selection.

        min_growth : the sets are added only if the new core is larger than the last one by this factor
        """
        started, core = self._run.seconds, make_core(self._model, self.problem, self._run.best())
        self._drop_cuts()
        if self.ascent is not None and not self._is_outdated:
            if core.n_sets < min_growth * self._n_core:
                return
            self.ascent.replace_core(core)
        else:
            before, table = self.ascent, core if self._selected is None else self._selected
            start = self._start if before is None else before.bound
            self.ascent = PricedAscent(table, core, start, memory=self._memory)
            self._is_outdated = False
        self._covered = self._run.progress.score
        self._n_core, self._is_slow, self._mark = core.n_sets, False, (self.spent, inf)
        self._update_seconds = self._run.seconds - started

    def _cover_incumbent(self) -> None:
        """Add the sets of the incumbent to the table of the bound; adding all sets met since would change it more."""
        assert self.ascent is not None
        self._drop_cuts()
        core = add_network(self.ascent.tables[-1], self.problem, self._run.best())
        self.ascent.replace_core(core, restart=False)
        self._covered = self._run.progress.score

    def _drop_cuts(self) -> None:
        """End branch and cut over the table so far; its cuts hold for other tables, too, and are kept."""
        if self.cuts is not None:
            self._old_cuts, self.cuts = self.cuts.list_cuts(), None

    def _start_cuts(self) -> None:
        """Start branch and cut over the table of the dual ascent."""
        assert self.ascent is not None
        run, table = self._run, self.ascent.make_table()
        with run.budget.clock_paused():
            load_cut_kernels()
        rows = find_rows(table, run.best())
        if rows is None:
            self._cover_incumbent()
            return

        def report(rows: NDArray[np.int64]) -> None:
            if run.offer(math.fsum(table.scores[rows]), partial(table.network, rows)):
                self._found = table.network(rows), table.scores[rows]

        self.cuts = CutBound(
            table, rows, self.ascent.bound, cuts=self._old_cuts, memory=self._memory, seed=run.seed, report=report
        )
