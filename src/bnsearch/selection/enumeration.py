"""Enumeration of parent sets in several selections, which alternate with a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from bnsearch.data import Dataset
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.table import ParentSets
from bnsearch.selection.auto import Auto
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.report import Selection
from bnsearch.selection.walk import Walk
from bnsearch.selection.walk_state import WalkState, restore_open_size, restore_sizes

# Largest size of the first selection: the time for single parents says little about that for pairs. A size counts the
# child, so size s means s - 1 parents.
FIRST_SIZE = 3
# Maximum number of rows of each table that is joined after a part of a size. A join takes about 3e-7 s for a row, and a
# signal must not wait for it.
MAX_PART_ROWS = 200_000


@dataclass
class EnumerationState:
    """
    The state that selections continue.

    Attributes
    ----------
    walk : the enumeration
    table : the table of the sets kept so far
    is_cut : True if the table lacks some of them
    earlier_depth : number of parents up to which an earlier run has enumerated all sets, which the table has but the
        walk lacks; None if there was no such run
    saved : state of the enumeration of an earlier run that the walk continues; None if there is none
    assembly_seconds : time for making the table, after the last enumeration
    """

    walk: Walk | None = None
    table: ParentSets | None = None
    is_cut: bool = False
    earlier_depth: int | None = None
    saved: WalkState | None = None
    assembly_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Enumeration(Builder):
    """
    All parent sets of the next size: each selection continues the enumeration of the previous one with the same state.

    The first selection enumerates the sets of up to two parents.

    Parameters
    ----------
    seconds
        Time budget.
    memory
        Bytes for counts and for the best scores of smaller sets, and as many bytes again for the families kept.
    max_rows : int, optional
        Maximum number of rows of the table, unless it is complete. A larger table is cut to each variable's best
        sets.
    whole_size : bool, default True
        True if a size is continued only as long as all of it is expected to fit into the time budget. False enumerates
        a part of it. In both cases the sets scored are kept, and the next selection continues from there.
    seconds_left : float, default infinity
        Number of seconds for this selection and all later ones. A size that cannot be enumerated by then is not begun.
    state : EnumerationState
        State that selections of one dataset share.

    Notes
    -----
    Sizes are enumerated as by `Sequential`. With `whole_size=False`, sets of variables with few states come first. The
    best new sets are then joined with the best earlier ones, so that the time for this is limited.
    """

    max_rows: int | None = None
    whole_size: bool = True
    seconds_left: float = inf
    state: EnumerationState = field(default_factory=EnumerationState, repr=False, compare=False)

    def build(self, job: Job) -> Selection:
        """Continue the enumeration, and return the table of the sets so far."""
        state, budget = self.state, job.budget
        walk = state.walk or Walk(job, 1, budget.memory, resumable=True)
        saved, state.saved = state.saved, None
        if saved is not None:
            restore_sizes(walk, saved)
        earlier_depth = state.earlier_depth or 0
        # One size more than those that are complete; the sizes of an earlier run are enumerated again.
        max_size = max(FIRST_SIZE, max(walk.depth, earlier_depth) + 2)
        walk.resume(job, self.seconds_left, max_size)
        if saved is not None and saved.opened is not None:
            restore_open_size(walk, saved.opened)
        state.walk = walk
        stop = walk.run(share=1.0 if self.whole_size else None, max_size=max_size)
        started = budget.elapsed
        only_best = budget.stop_reason is not None
        complete = walk.depth >= job.max_parents
        fits = self.max_rows is None or walk.kept.number <= self.max_rows
        if complete or (self.whole_size and fits and state.earlier_depth is None):
            table, state.is_cut = walk.table(only_best=only_best), False
        else:
            table = self._join(walk.new_table(only_best=only_best), job)
        state.table, state.assembly_seconds = table, budget.elapsed - started
        seconds = np.full(job.n, budget.elapsed / job.n)
        return Selection(
            table,
            walk.scored_of,
            seconds,
            max(walk.depth, earlier_depth),
            stop,
            complete,
            is_cut=state.is_cut,
            seconds_for_next=walk.seconds_for_next,
        )

    def load_kernels(self, data: Dataset, threads: int, constraints: Constraints | None) -> None:
        """Compile or load all kernels of a selection, which are those of `Auto`."""
        Auto().load_kernels(data, threads, constraints)

    def _join(self, new: ParentSets, job: Job) -> ParentSets:
        """Return the new sets joined with those of the earlier table; after a part of a size, the best ones of both."""
        parts = [new] if self.state.table is None else [self.state.table, new]
        if not self.whole_size:
            parts = [self._cut(part, MAX_PART_ROWS) for part in parts]
        joined = parts[0]
        if len(parts) > 1:
            joined = ParentSets.from_families(new.names, [part.families for part in parts], threads=job.budget.threads)
        return joined if self.max_rows is None else self._cut(joined, self.max_rows)

    def _cut(self, table: ParentSets, max_rows: int) -> ParentSets:
        """Return a table with at most some rows: each variable's best sets."""
        if table.n_sets <= max_rows:
            return table
        self.state.is_cut = True
        return table.best(max(1, max_rows // table.n_variables))
