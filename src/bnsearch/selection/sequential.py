"""Sequential selection: every parent set up to a size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.knowledge.constraints import Constraints
from bnsearch.scores.extender import Extender
from bnsearch.selection.best_first import search_each_variable
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.candidates import best_candidates
from bnsearch.selection.lattice_search import LatticeSearch
from bnsearch.selection.report import Selection
from bnsearch.selection.search_pool import StartSearch
from bnsearch.selection.walk import Walk

NONE_REQUIRED = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Sequential(Builder):
    """
    All parent sets of up to `max_parents` variables, by exhaustive enumeration.

    Parameters
    ----------
    max_parents : int, default 3
        Size of the largest parent set; None means the largest size that can improve a local score.
    candidates : int, optional
        Number of candidate parents of each variable: those with the best scores as its only parent. All that tie
        with the last of them are candidates, too. None means all variables.
    seconds
        Time budget; the sets found until then are returned.
    seconds_per_variable
        Time budget of each variable; time that a variable does not use is not given to others.
    evaluations
        Maximum number of families to score; a size that does not fit as a whole is not enumerated. If each variable
        is enumerated separately, each has an equal share.
    max_sets
        Maximum number of sets kept for a variable, the best ones; the empty set is kept in addition.
    memory
        Bytes for counts and for the best scores of smaller sets.
    pruning
        Names of the pruning rules; the enumeration ends when they exclude all larger sets.

    References
    ----------
    Perez & Maua (2016), section 3.1: breadth-first search of the parent lattice to depth k.
    Teyssier & Koller (2005), section 3: `candidates`, after Friedman, Nachman & Pe'er (1999).

    Notes
    -----
    The parent sets of all variables are enumerated together: a set of k + 1 variables is counted once for the k + 1
    families in it. With `candidates` or `seconds_per_variable` each variable is enumerated separately, because it has
    its own sets or its own time budget; then a family takes longer. A family is kept if it scores better than all
    subsets of its parents. The best score over the subsets is passed from size to size.

    The default of 3 parents is ours. Perez & Maua have no limit on the parents and two minutes for each variable
    (`max_parents=None, seconds_per_variable=120`). Teyssier & Koller limit the in-degree to that of the network from
    which the data come. They rank candidates by correlation, and do not say by which measure.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> selection = bnsearch.Sequential(max_parents=2).select(data, bnsearch.BIC())
    >>> selection.kept, selection.complete
    (37, True)
    """

    max_parents: int | None = 3
    candidates: int | None = None

    enumerates_together: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.candidates is not None:
            require("candidates", self.candidates, at_least=1, whole=True)

    @property
    def searches_each_variable(self) -> bool:
        """True if each variable is enumerated separately."""
        return self.candidates is not None or self.seconds_per_variable is not None

    def _build(self, job: Job) -> Selection:
        """Return the table of legal sets; if the number of candidates is limited, find them first."""
        if self.candidates is None:
            return super()._build(job)
        n = job.n
        known = job.constraints or Constraints(
            allowed=~np.eye(n, dtype=np.bool_),
            required=np.zeros((n, n), dtype=np.bool_),
            max_parents=np.full(n, n - 1, dtype=np.int64),
        )
        extender = Extender(job.data, job.score)
        chosen = best_candidates(extender, self.candidates, known.allowed) | known.required
        left_out = np.count_nonzero(known.allowed & ~chosen, axis=1)  # their families of one parent have been scored
        if job.budget.evaluations is not None:
            remaining = max(1, job.budget.evaluations - int(left_out.sum()))
            job = replace(job, budget=job.budget.part(evaluations=remaining))
        found = super()._build(replace(job, constraints=replace(known, allowed=chosen)))
        return replace(
            found,
            scored_of=found.scored_of + left_out,
            depth=0 if left_out.any() else found.depth,
            complete=found.complete and not left_out.any(),
        )

    def build(self, job: Job) -> Selection:
        """Enumerate the sets of all variables together or separately, then make the table."""
        if self.searches_each_variable:
            return search_each_variable(self, job, self._prepare(job), self.seconds_per_variable)
        walk = self.make_walk(job, job.max_parents)
        stop = walk.run(evaluations=job.budget.evaluations)
        table = walk.table(only_best=job.budget.stop_reason is not None)
        seconds = np.full(job.n, job.budget.elapsed / job.n)
        return Selection(table, walk.scored_of, seconds, walk.depth, stop, walk.depth >= job.max_parents)

    def make_walk(self, job: Job, max_parents: int) -> Walk:
        """Return the enumeration of all sets of up to `max_parents` parents."""
        return Walk(job, max_parents, job.budget.memory)

    def _prepare(self, job: Job) -> Callable[[], StartSearch]:
        """Return a function that, called in each thread, returns the function that starts a variable's enumeration."""
        extender = Extender(job.data, job.score)
        memory = job.budget.memory / max(1, min(job.budget.threads, len(job.children)))

        def for_thread() -> StartSearch:
            own = extender.fork()

            def start(child: int, deadline: float) -> LatticeSearch:
                candidates, max_parents = job.candidates(child), job.max_parents_of(child)
                return LatticeSearch(
                    own, child, NONE_REQUIRED, candidates, max_parents, job.bound, job.budget.clock, deadline, memory
                )

            return start

        return for_thread
