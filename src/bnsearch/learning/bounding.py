"""Upper bounds as part of the default method: dual ascent, then also branch and cut, in slices beside the islands."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

from bnsearch.budgets.budget import Budget
from bnsearch.exact.certificate import certify_ascent
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.saved_bound import SavedBound
from bnsearch.learning.ascent_pace import AscentPace
from bnsearch.learning.bound_share import get_bound_share
from bnsearch.learning.bound_table import UPDATE_SECONDS, add_network, make_core
from bnsearch.learning.cut_search import CutSearch
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.parent_sets.scope import KEPT_SETS, Scope
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

RESERVE = 0.03  # share of the total time that is reserved for the bound at the end of a run
MAX_RESERVE = 0.1  # maximum share of the total time that is reserved if computing the bound of a large table takes long
MIN_CORE_GROWTH = 1.5  # the core (the sets that the islands have met) is updated if it has grown by this factor
LAST_UPDATE = 0.5  # share of the total time after which the core is not updated: the bound must adapt to new sets
MIN_SLICE = 0.02  # shortest slice of the search for a bound, as a share of the total time
MIN_SLICE_UPDATES = 5  # shortest slice as a multiple of the duration of an update of the core
# Shortest slice as a multiple of the duration of an ascent round (a round of the dual ascent): a round that is
# interrupted is lost.
MIN_SLICE_ROUNDS = 3
ROWS_PER_SECOND = 10_000  # maximum number of selected rows for each second of the run: pricing takes 1e-6 s for a row
ROW_BYTES = 200  # approximate memory of a row: its bits, its reduced cost, and its part of the table
UNTIMED_ROUNDS = 30  # number of ascent rounds under a budget of iterations
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
    cuts : branch and cut, which starts when the dual ascent hardly improves the bound
    credit : number of seconds that the search for a bound may take in this round of the islands
    spent : number of seconds that the search has taken so far
    state : the state for a checkpoint; None before the first bound
    """

    def __init__(self, problem: Problem, run: Run, model: IslandModel) -> None:
        self.problem, self._run, self._model = problem, run, model
        self._timed = run.is_timed
        self._total_seconds = run.seconds + run.seconds_left
        self._selected: ParentSets | None = None
        self._scope = KEPT_SETS
        self._is_outdated = True  # True if the ascent must be made for the selected sets: at first, and if they change
        self.spent, self._update_seconds = 0.0, UPDATE_SECONDS * problem.size  # the latter: of the last table update
        self._memory = run.budget.memory // MEMORY_SHARE
        self._pace = AscentPace(self._total_seconds)
        self._covered_score = -inf  # score of the incumbent when its sets were added to the table
        self._n_core = 0  # number of sets that the islands have met, at the last update
        self._saved_inequalities: ClusterBound | None = None  # inequalities of an earlier run that this one continues
        self._saved_value = -inf  # bound of the earlier run, which is kept until a lower one is found
        self.ascent: PricedAscent | None = None
        self.cuts = CutSearch(run, self._memory)
        self.credit = 0.0
        self.state: SavedBound | None = None

    @property
    def reserve(self) -> float:
        """Number of seconds at the end of the run that the search for a bound needs."""
        if not math.isfinite(self._total_seconds):
            return 0.0
        pricing = 0.0 if self.ascent is None else 2 * self.ascent.pricing_seconds
        return min(MAX_RESERVE * self._total_seconds, RESERVE * self._total_seconds + self._update_seconds + pricing)

    def continue_from_checkpoint(self) -> None:
        """Continue with the bound of an earlier run if there is one, and add the bound to the run's checkpoint."""
        if self._run.checkpoint is not None:
            from bnsearch.learning.bound_state import connect_bound

            connect_bound(self, self._run.checkpoint)

    def continue_from(self, state: SavedBound, spent: float, evidence: Callable[[], Any]) -> None:
        """
        Continue from the state of an earlier run, after its selected parent sets were added.

        The bound of the earlier run is kept if it has the same scope, until a lower one is found or the incumbent's
        score exceeds it.

        spent : time that the search has taken in the earlier run
        evidence : function that returns the certificate of the earlier bound, or raises an error
        """
        self._saved_inequalities, self.cuts.old_cuts, self.spent = state.inequalities, state.cuts, spent
        if state.scope == self._scope:
            run, self._saved_value = self._run, state.value
            run.bound, run.scope, run.evidence = state.value, state.scope, evidence

    def add_selected(self, table: ParentSets, scope: Scope) -> bool:
        """
        Use these selected parent sets from now on, and return True; if they are too many, return False.

        After branch and cut has begun, they are used only if they are complete: a new start would take long.

        scope : the scope of a bound over these sets
        """
        max_rows = min(ROWS_PER_SECOND * self._total_seconds if self._timed else UNTIMED_ROWS, self._memory / ROW_BYTES)
        if table.n_sets > max_rows or (self.cuts.is_started and not scope.is_complete):
            return False
        self._selected, self._scope, self._is_outdated = table, scope, True
        return True

    def prepare_slice(self) -> None:
        """
        Set the credit for calls of `advance`, and prepare the table; no credit if a slice would be too short.

        The last island gets the network that branch and cut has found since. If the dual ascent is slow, branch and cut
        starts here.
        """
        run, self.credit = self._run, 0.0
        if not self._timed or run.halted():
            return
        seconds = min(get_bound_share(run) * run.threads * run.seconds - self.spent, run.seconds_left)
        if seconds < max(MIN_SLICE * self._total_seconds, MIN_SLICE_UPDATES * self._update_seconds):
            return
        started = run.seconds
        if (network := self.cuts.take_network()) is not None:
            self._model.islands[-1].add_network(*network)
        if self._is_outdated:
            self._update_table()
        elif not self._has_valid_bound():
            self._cover_incumbent()
        elif not self.cuts.is_started and self._pace.is_slow and has_solver():
            self._start_cuts()
        elif not self.cuts.is_started and run.seconds < LAST_UPDATE * self._total_seconds:
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

        The search uses the rest of the time, up to its reserve. After Ctrl-C the last bound is kept if it is valid for
        the incumbent.
        """
        run = self._run
        if run.budget.request is not None and self._has_valid_bound():
            return
        seconds = min(run.seconds_left, self.reserve or math.inf)
        budget = Budget(seconds, clock=run.budget.clock, stop_condition=lambda: run.budget.request)
        is_covered = not improves(run.progress.score, self._covered_score)
        if self._is_outdated:
            self._update_table()
        elif not self._has_valid_bound() or not (is_covered or self.cuts.is_started):  # a new table ends branch and cut
            self._cover_incumbent()
        self._improve_or_keep(budget)
        if not self._has_valid_bound():
            self._cover_incumbent()
            self._improve(budget)

    def _has_valid_bound(self) -> bool:
        """
        Return True if there is a bound, and the incumbent's score does not exceed it.

        The score may exceed the bound because the incumbent may have parent sets that the islands have met since the
        last slice, which the bound does not cover.
        """
        bound = self._run.bound
        return bound is not None and not improves(self._run.progress.score, bound)

    def _improve_or_keep(self, budget: Budget) -> None:
        """Improve the bound within a budget; if there is not enough time for a lower one, keep the old bound."""
        run = self._run
        before, evidence, scope = run.bound, run.evidence, run.scope
        self._improve(budget)
        if before is not None and improves(before, run.progress.score) and (run.bound is None or before < run.bound):
            run.bound, run.evidence, run.scope = before, evidence, scope

    def _improve(self, budget: Budget) -> None:
        """Improve the bound of the ascent or of branch and cut within a budget, and set the bound of the run."""
        assert self.ascent is not None
        run = self._run
        if self.cuts.take_turn(self.ascent):
            self.cuts.improve(budget)
        else:
            started = run.seconds
            self.ascent.improve(budget, run.progress.score, inf if self._timed else UNTIMED_ROUNDS)
            if not self.cuts.is_started:
                self._pace.update(self.spent + run.seconds - started, self.ascent, run.progress.score)
        value = min(self.cuts.value, self.ascent.bound.value)
        if improves(run.progress.score, value):  # the incumbent has sets that the bound does not cover
            run.bound = run.evidence = None
        elif not self._keeps_bound(value):
            self._set_bound(value)

    def _keeps_bound(self, value: float) -> bool:
        """Return True if the bound of the run is lower than a new one, and is not replaced by it."""
        run = self._run
        if run.bound is None or run.bound >= value:
            return False
        if run.scope.is_complete and self._scope.is_complete:
            return True  # it comes from an attempt to prove the optimum, and both hold for all networks
        # Any other bound may not cover the sets that were added to the table since. The bound of an earlier run that
        # this one continues stays as long as it is valid for the incumbent.
        return run.bound == self._saved_value and self._has_valid_bound()

    def _set_bound(self, value: float) -> None:
        """Set the bound of the run, with its scope and its certificate."""
        assert self.ascent is not None
        run = self._run
        run.bound, run.scope = value, self._scope
        self._save_state(value)
        if self.cuts.is_better_than(self.ascent):
            run.evidence = self.cuts.make_evidence()
        else:
            run.evidence = partial(certify_ascent, self.ascent.tables, self.ascent.bound)

    def _save_state(self, value: float) -> None:
        """Copy the state for the checkpoint, because its thread must not read the cuts during a search."""
        if self._run.checkpoint is not None and self.ascent is not None:
            self.state = SavedBound(value, self._scope, self.ascent.bound, self.cuts.list_cuts())

    def _update_table(self, min_growth: float = 0.0) -> None:
        """
        Update the core with the sets that the islands have met.

        After a new selection, a new ascent is made, which begins with the old multipliers.

        min_growth : the core is updated only if its size is at least this multiple of the last one
        """
        started, core = self._run.seconds, make_core(self._model, self.problem, self._run.best())
        self.cuts.stop()
        if self.ascent is not None and not self._is_outdated:
            if core.n_sets < min_growth * self._n_core:
                return
            self.ascent.replace_core(core)
        else:
            start = self._saved_inequalities if self.ascent is None else self.ascent.bound
            first, second = (core, None) if self._selected is None else (self._selected, core)
            self.ascent = PricedAscent(first, second, start, memory=self._memory)
            self._is_outdated = False
        self._covered_score = self._run.progress.score
        self._n_core = core.n_sets
        self._pace.restart(self.spent)
        self._update_seconds = self._run.seconds - started

    def _cover_incumbent(self) -> None:
        """Add the sets of the incumbent to the table of the bound; adding all sets met since would change it more."""
        assert self.ascent is not None
        self.cuts.stop()
        core = add_network(self.ascent.tables[-1], self.problem, self._run.best())
        self.ascent.replace_core(core, restart=False)
        self._covered_score = self._run.progress.score

    def _start_cuts(self) -> None:
        """Start branch and cut over the table of the dual ascent; the table must first cover the incumbent."""
        assert self.ascent is not None
        if not self.cuts.start(self.ascent):
            self._cover_incumbent()
