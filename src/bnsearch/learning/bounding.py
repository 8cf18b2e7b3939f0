"""Upper bounds as part of the default method: a dual ascent in slices, beside the islands."""

from __future__ import annotations

import math

import numpy as np

from bnsearch.budgets.budget import Budget
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.ondemand.shared_table import build_table
from bnsearch.parent_sets.rows import Families
from bnsearch.parent_sets.scope import KEPT_SETS, Scope
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

RESERVE = 0.03  # share of the total time that is left to the bound at the end of a run
MAX_RESERVE = 0.1  # the same, if computing the bound of a large table takes long
SHARE = 0.05  # share of the time of all threads for the bound while the search improves
STALLED_SHARE = 0.25  # the same once the search has stalled
STALLED_GAIN = 1e-4  # a search has stalled if it has gained less, relative to the score, in the second half of its time
MIN_SLICE = 0.02  # shortest slice of the search for a bound, as a share of the total time: short ones waste rounds
MIN_SLICE_UPDATES = 5  # and as a multiple of the time for adding the sets that the islands have met
ROWS_PER_SECOND = 10_000  # maximum number of selected rows for each second of the run: pricing takes 1e-6 s for a row
UNTIMED_ROUNDS = 30  # rounds of the search for a bound if the result must not depend on the time
UNTIMED_ROWS = 200_000  # maximum number of selected rows in this case
MEMORY_SHARE = 8  # the clusters take at most an eighth of the run's memory


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
    """

    def __init__(self, problem: Problem, run: Run, model: IslandModel) -> None:
        self._problem, self._run, self._model = problem, run, model
        self._timed = run.is_timed
        self._end = run.seconds + run.seconds_left
        self._selected: ParentSets | None = None
        self._scope = KEPT_SETS
        self._is_outdated = True  # True if the search has begun with other selected sets
        self._spent = self._update_seconds = 0.0  # seconds of the search so far, and of the last update of its table
        self.ascent: PricedAscent | None = None

    @property
    def reserve(self) -> float:
        """Number of seconds at the end of the run that the search for a bound needs."""
        if not math.isfinite(self._end):
            return 0.0
        pricing = 0.0 if self.ascent is None else 2 * self.ascent.pricing_seconds
        return min(MAX_RESERVE * self._end, RESERVE * self._end + self._update_seconds + pricing)

    def add_selected(self, table: ParentSets, scope: Scope) -> None:
        """Use other selected parent sets from now on, unless they are too many; scope : that of a bound over them."""
        max_rows = ROWS_PER_SECOND * self._end if self._timed else UNTIMED_ROWS
        if table.n_sets <= max_rows:
            self._selected, self._scope, self._is_outdated = table, scope, True

    def prepare_slice(self) -> float:
        """Return the number of seconds for which `advance` can be called now; 0 if a slice would be too short."""
        run = self._run
        if not self._timed or run.halted():
            return 0.0
        before = run.trace.score_at(run.seconds / 2)
        is_stalled = run.progress.score - before <= STALLED_GAIN * abs(run.progress.score)
        share = STALLED_SHARE if is_stalled else SHARE
        seconds = min(share * run.threads * run.seconds - self._spent, run.seconds_left)
        if seconds < max(MIN_SLICE * self._end, MIN_SLICE_UPDATES * self._update_seconds):
            return 0.0
        self._update_table()
        self._spent += self._update_seconds
        return max(0.0, seconds - self._update_seconds)

    def advance(self, seconds: float) -> None:
        """Search for some seconds; in any thread."""
        run, started = self._run, self._run.seconds
        assert self.ascent is not None
        self.ascent.improve(run.budget.part(seconds), run.progress.score)
        self._report()
        self._spent += run.seconds - started

    def finish(self) -> None:
        """
        Set the bound of the run, over all sets met and the incumbent.

        The search uses the rest of the time, but no more than its reserve. After Ctrl-C the last bound is kept.
        """
        run = self._run
        if run.budget.request is not None and run.bound is not None and not improves(run.progress.score, run.bound):
            return
        seconds = min(run.seconds_left, self.reserve or math.inf)
        budget = Budget(seconds, clock=run.budget.clock, stop_condition=lambda: run.budget.request)
        self._update_table()
        assert self.ascent is not None
        self.ascent.improve(budget, run.progress.score, math.inf if self._timed else UNTIMED_ROUNDS)
        self._report()

    def _update_table(self) -> None:
        """Add the sets that the islands have met since the last slice; start a new search after a selection."""
        started, core = self._run.seconds, self._make_core()
        if self.ascent is not None and not self._is_outdated:
            self.ascent.replace_core(core)
        else:
            start = None if self.ascent is None else self.ascent.bound
            table = core if self._selected is None else self._selected
            self.ascent = PricedAscent(table, core, start, memory=self._run.budget.memory // MEMORY_SHARE)
            self._is_outdated = False
        self._update_seconds = self._run.seconds - started

    def _make_core(self) -> ParentSets:
        """Return the table of the sets that the islands have met, and of the incumbent."""
        chains = [island.chain for island in self._model.islands]
        return build_table(chains, self._problem, extensions=[self._list_incumbent()])

    def _list_incumbent(self) -> Families:
        """Return the families of the incumbent."""
        parents = self._run.best().parents
        children = np.arange(len(parents), dtype=np.int32)
        scores = self._problem.scorer.families(children.tolist(), parents)
        sizes = np.array([len(own) for own in parents])
        return Families(children, scores, sizes, np.array([u for own in parents for u in own], dtype=np.int32))

    def _report(self) -> None:
        """Set the bound of the run."""
        assert self.ascent is not None
        self._run.bound, self._run.scope = self.ascent.bound.value, self._scope
