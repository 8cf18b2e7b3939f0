"""Candidate parent sets as part of a run: its share of the time, its Ctrl-C, once for all who ask."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from bnsearch._tools.parallel import thread_count
from bnsearch.learning.warm_up import tiny_table
from bnsearch.orderings.asobs import select_acyclic_rows
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import make_starts
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.selection.auto import Auto
from bnsearch.selection.builder import load_kernels

if TYPE_CHECKING:
    from bnsearch.parent_sets.table import ParentSets
    from bnsearch.selection.progress import Listener
    from bnsearch.selection.report import Selection

SHARE = 0.55  # of the time that is left, where all sets of one more size can be had for it
GROWTH = 0.75  # of that, the part in which the most promising larger sets are grown
MOMENT, SHARE_OF_MOMENT = 0.2, 0.05  # seconds for a first network, but no more than this share
EVALUATIONS = 20_000_000  # where no time is given: the result then depends on nothing else


class Selecting:
    """
    Selects the candidate parent sets of a problem when a method first asks for them, as part of its run.

    Parameters
    ----------
    max_parents : the largest parent set
    progress : called with a `Scoring` now and then
    """

    def __init__(self, max_parents: int | None, progress: Listener) -> None:
        self.max_parents, self.progress = max_parents, progress
        self._selection: Selection | None = None

    def load(self, problem: Problem) -> None:
        """Have the kernels compiled or loaded, so that this takes no time of the run."""
        kind = problem.needed_data.codes.dtype.itemsize, thread_count(problem.threads) > 1
        for constrained in (False, True)[: 1 + (problem.constraints is not None)]:
            load_kernels(Auto, *kind, constrained)
        tiny = Problem(table=tiny_table())
        offer_first(tiny.parent_sets, tiny, Run(seed=0))

    def __call__(self, problem: Problem, run: Run) -> ParentSets:
        """Return the table; selected now, if this is the first call."""
        if self._selection is None:
            self._selection = self._first(problem, run) or self.select(problem, run, SHARE * run.seconds_left)
            run.partial = not self._selection.complete
            run.remark(describe(self._selection))
            for note in self._selection.notes:
                run.remark(note)
            offer_first(self._selection.table, problem, run)
        return self._selection.table

    def _first(self, problem: Problem, run: Run) -> Selection | None:
        """Offer a network of what can be selected in a moment, and return that if it is complete."""
        moment = min(MOMENT, SHARE_OF_MOMENT * run.seconds_left)
        if math.isinf(run.seconds_left):
            return None
        selection = self.select(problem, run, moment)
        if selection.complete:
            return selection
        offer_first(selection.table, problem, run)
        return None

    def select(self, problem: Problem, run: Run, seconds: float) -> Selection:
        """Select candidate sets now, for some seconds; for a fixed number of evaluations where these are infinite."""
        limited = math.isfinite(seconds)
        builder = Auto(
            seconds=max(0.01, seconds) if limited else None,
            evaluations=None if limited else EVALUATIONS,
            max_parents=self.max_parents,
            growth=GROWTH,
            memory=max(1 << 20, problem.memory // 4),
        )
        return builder.select(
            problem.needed_data,
            problem.needed_score,
            threads=problem.threads,
            progress=self.progress,
            constraints=problem.constraints,
            halt=run.halted,
        )


def offer_first(table: ParentSets, problem: Problem, run: Run) -> None:
    """Offer a network at once, should there be no time for more: acyclic selection from an informed start."""
    rows = select_acyclic_rows(table, make_starts("fas", table, precedence_of(problem))(run.rng))
    run.offer(math.fsum(table.scores[rows]), partial(table.network, rows))


def describe(selection: Selection) -> str:
    """Return what was selected, in words."""
    kept = f"kept {selection.kept:,} candidate parent sets of {selection.scored:,} scored in {selection.seconds:.1f} s"
    if selection.complete:
        return f"{kept}: all that can matter"
    if not selection.exhaustive:
        return f"{kept}: the most promising ones"
    larger = ", and the most promising larger ones" if selection.table.max_parents > selection.exhaustive else ""
    most = f"{selection.exhaustive} parent{'' if selection.exhaustive == 1 else 's'}"
    return f"{kept}: all of up to {most}{larger}"
