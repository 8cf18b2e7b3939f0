"""Growth of the enumerated parent sets between the rounds of the islands."""

from __future__ import annotations

from bnsearch.learning.candidates import selection_memory
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.selection.continued_growth import ContinuedGrowth
from bnsearch.selection.report import Selection

MIN_SHARE, MAX_SHARE = 0.02, 0.5  # limits on the share of the time for growth
MIN_SLICE = 0.02  # shortest slice, in seconds and as a share of the elapsed time: each one is followed by a new table
MAX_REST = 0.4  # a slice takes at most this share of the remaining time, because the table is searched after it


class SetGrowth:
    """
    Grows parent sets in slices of time, and adds them to the islands' table.

    Search with families on demand extends the families along its path, and enumeration stops at small sets. Growth
    extends the best sets of each variable, also those that no ordering has required so far. Its share of the time is
    doubled when the islands' best network uses a grown set that it did not have before, and halved otherwise.

    Parameters
    ----------
    problem, run : the problem, and the run with its clock
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem, self._run = problem, run
        self._growth: ContinuedGrowth | None = None  # made when it is used first
        self._share = MAX_SHARE
        self._credit = 0.0  # seconds that were assigned to growth and are not used yet
        self._seen = 0.0  # elapsed time up to which time was assigned
        self._is_used = True  # whether the best network has used a set of the last slice; True before the first one
        self._n_searches = -1  # number of searches over the table before the last slice
        self._before: list[float] | None = None  # local scores of the best network before the last slice

    def advance(self, model: IslandModel, enumerated: Selection | None) -> None:
        """
        Grow sets for a slice of time if one is due.

        enumerated : the last selection; growth begins when it has all sets of some parents
        """
        run = self._run
        seconds, self._seen = run.seconds - self._seen, run.seconds
        if enumerated is None or enumerated.complete or enumerated.depth == 0 or not run.going():
            return
        growth = self._growth
        if growth is not None and growth.is_complete and growth.depth >= enumerated.depth:
            return
        was_searched = model.table.n_searches > self._n_searches and not model.table.has_new_sets
        if was_searched and growth is not None and self._before is not None:
            self._adapt_share(growth, self._before, model.list_best_scores())
            self._before = None
        self._credit += self._share * seconds
        is_due = self._credit >= MIN_SLICE * max(1.0, run.seconds)
        if is_due and was_searched and self._credit <= MAX_REST * run.seconds_left:
            self._grow(model, enumerated)

    def _adapt_share(self, growth: ContinuedGrowth, before: list[float], now: list[float]) -> None:
        """Change the share of the time by the use of grown sets; before, now : local scores of the best network."""
        changed = [v for v, (new, old) in enumerate(zip(now, before, strict=True)) if new != old]
        self._is_used = any(growth.has_found(v, now[v]) for v in changed)
        self._share = min(MAX_SHARE, 2.0 * self._share) if self._is_used else max(MIN_SHARE, 0.5 * self._share)

    def _grow(self, model: IslandModel, enumerated: Selection) -> None:
        """Grow sets for the time of the credit, and add them to the table."""
        run, problem = self._run, self._problem
        started = run.seconds
        if self._growth is None:
            data, score = problem.needed_data, problem.needed_score
            self._growth = ContinuedGrowth(data, score, problem.constraints, selection_memory(run) // 2)
        growth = self._growth
        with run.ignoring_convergence():
            growth.grow(run.budget, self._credit, enumerated.table, enumerated.depth)
        self._before = model.list_best_scores()
        if growth.table is not None:
            model.table.add_grown(growth.table, at_once=self._is_used)
        self._n_searches = model.table.n_searches
        self._credit -= run.seconds - started
        self._seen = run.seconds
