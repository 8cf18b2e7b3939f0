"""Candidate parent sets as part of a run: its share of the time, its Ctrl-C, once for all who ask."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING

from bnsearch.parallel import thread_count
from bnsearch.parent_sets.auto import Auto
from bnsearch.parent_sets.bounds import most_parents
from bnsearch.parent_sets.builder import load_kernels
from bnsearch.problem import Problem
from bnsearch.run import Run

if TYPE_CHECKING:
    from bnsearch.parent_sets.selection import Selection
    from bnsearch.parent_sets.table import ParentSets

SHARE = 0.4  # of the time that is left
EVALUATIONS = 20_000_000  # where no time is given: the result then depends on nothing else


class Selecting:
    """
    Selects the candidate parent sets of a problem when a method first asks for them, as part of its run.

    Parameters
    ----------
    max_parents : the largest parent set
    progress : called with (task, done, total)
    """

    def __init__(self, max_parents: int | None, progress: Callable[[str, int, int], None]) -> None:
        self.max_parents, self.progress = max_parents, progress
        self._selection: Selection | None = None
        self._most = 0

    @property
    def exact(self) -> bool:
        """Whether no parent set that could matter was left out; also where none were ever asked for."""
        return self._selection is None or self._selection.exhaustive >= self._most

    def load(self, problem: Problem) -> None:
        """Have the kernels compiled or loaded, so that this takes no time of the run."""
        load_kernels(Auto, problem.needed_data.codes.dtype.itemsize, thread_count(problem.threads) > 1)

    def __call__(self, problem: Problem, run: Run) -> ParentSets:
        """Return the table; selected now, if this is the first call."""
        if self._selection is None:
            limited = isfinite(run.seconds_left)
            builder = Auto(
                seconds=max(0.01, SHARE * run.seconds_left) if limited else None,
                evaluations=None if limited else EVALUATIONS,
                max_parents=self.max_parents,
            )
            self._selection = builder.select(
                problem.needed_data,
                problem.needed_score,
                threads=problem.threads,
                progress=self.progress,
            )
            self._most = most_parents(problem.needed_data, problem.needed_score, self.max_parents, builder.pruning)
            for note in self._selection.notes:
                run.remark(note)
        return self._selection.table
