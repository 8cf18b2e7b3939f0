"""Candidate selection as part of a run."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from bnsearch.learning.warm_up import tiny_table
from bnsearch.orderings.asobs import select_acyclic_rows
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import make_starts
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.selection.auto import Auto
from bnsearch.selection.local_sets import LocalSets

if TYPE_CHECKING:
    from bnsearch.parent_sets.table import ParentSets
    from bnsearch.selection.builder import Builder
    from bnsearch.selection.report import Selection

SHARE = 0.55  # maximum share of the remaining time for a selection
# Share of this time after which the growth of larger sets ends; the rest is for enumerating one more whole size.
GROWTH = 0.75
FIRST_SECONDS = 0.2  # maximum time of the selection before the first network
FIRST_SHARE = 0.05  # maximum share of the remaining time for the same
EVALUATIONS = 20_000_000  # budget without a time limit, so that the result depends neither on machine nor threads
PYTHON_EVALUATIONS = 100_000  # the same for a score that is a Python function
TABLE = "candidate table"  # name of the part of a checkpoint
MEMORY_SHARE = 4  # selections use at most a quarter of the run's memory


class CandidateSelector:
    """Selects the candidate table of a problem when a method first needs it, within the budget of its run."""

    def __init__(self) -> None:
        self._selection: Selection | None = None

    def __call__(self, problem: Problem, run: Run) -> ParentSets:
        """Return the candidate table, which is selected by the first call."""
        if self._selection is None:
            # If a resumed run has no time left, its saved network is the result, so no other network is offered.
            is_over = run.halted() and math.isfinite(run.progress.score)
            found = self._take_saved(problem, run)
            if found is None and not is_over:
                found = self._select_first(problem, run)
            found = found or self.select(problem, run, SHARE * run.seconds_left)
            self._selection = found
            self._save(run)
            run.scope = found.scope
            for note in (describe(found), *found.notes):
                run.remark(note)
            if not is_over:
                offer_first_network(found.table, problem, run)
        return self._selection.table

    def _take_saved(self, problem: Problem, run: Run) -> Selection | None:
        """Return the selection of an earlier run that this one continues; None if there is none."""
        part = None if run.checkpoint is None else run.checkpoint.take(TABLE)
        if part is None or run.checkpoint is None:
            return None
        from bnsearch.checkpoints.selections import decode_selection

        with run.checkpoint.damage_reported():
            return decode_selection(problem.names, part)

    def _save(self, run: Run) -> None:
        """Add the selection to the checkpoint of the run, unless a signal has ended the selection."""
        found = self._selection
        if run.checkpoint is not None and found is not None and run.budget.request is None:
            from bnsearch.checkpoints.selections import encode_selection

            run.checkpoint.provide(TABLE, partial(encode_selection, found))

    def _select_first(self, problem: Problem, run: Run) -> Selection | None:
        """Offer a first network after a very short selection, and return the selection if it is complete."""
        if math.isinf(run.seconds_left):
            return None
        found = self.select(problem, run, min(FIRST_SECONDS, FIRST_SHARE * run.seconds_left))
        if found.complete:
            return found
        offer_first_network(found.table, problem, run)
        return None

    def select(self, problem: Problem, run: Run, seconds: float) -> Selection:
        """Return a selection made within some seconds, or within `EVALUATIONS` if these are infinite."""
        limited = math.isfinite(seconds)
        limit = max(0.01, seconds) if limited else None
        if problem.has_python_score:
            evaluations = None if limited else PYTHON_EVALUATIONS
            return select_for_run(LocalSets(seconds=limit, evaluations=evaluations), problem, run)
        evaluations = None if limited else EVALUATIONS
        memory = selection_memory(run)
        return select_for_run(Auto(seconds=limit, evaluations=evaluations, growth=GROWTH, memory=memory), problem, run)


def selection_memory(run: Run) -> int:
    """Return the number of bytes that selections may use."""
    return max(1 << 20, run.budget.memory // MEMORY_SHARE)


def load_selection_kernels(problem: Problem, threads: int) -> None:
    """Compile or load all kernels of a selection and of the first network, so that this takes no time of a run."""
    builder = LocalSets() if problem.has_python_score else Auto()
    builder.load_kernels(problem.needed_data, threads, problem.constraints)
    tiny = Problem(table=tiny_table())
    offer_first_network(tiny.parent_sets, tiny, Run(seed=0))


def select_for_run(builder: Builder, problem: Problem, run: Run) -> Selection:
    """Return the selection that a builder makes for a problem within the budget of a run."""
    return builder.select_within(run.budget, problem.needed_data, problem.needed_score, problem.constraints)


def offer_first_network(table: ParentSets, problem: Problem, run: Run) -> None:
    """Offer a network that takes little time: acyclic selection along an ordering with few feedback arcs (FAS)."""
    rows = select_acyclic_rows(table, make_starts("fas", table, precedence_of(problem))(run.rng))
    run.offer(math.fsum(table.scores[rows]), partial(table.network, rows))


def describe(selection: Selection) -> str:
    """Return a note on a selection for the user."""
    scored = f"scored {selection.scored:,} candidate parent sets in {selection.seconds:.1f} s"
    if selection.complete:
        return f"{scored}; kept {selection.kept:,}: all that can be optimal"
    kept = f"kept {selection.kept:,}: none has a subset with the same or a higher score"
    if not selection.depth:
        return f"{scored}: the most promising ones; {kept}"
    larger = ", and the most promising larger ones" if selection.table.max_parents > selection.depth else ""
    parents = f"{selection.depth} parent{'' if selection.depth == 1 else 's'}"
    return f"{scored}: all with up to {parents}{larger}; {kept}"
