"""Sequential selection: every parent set up to a size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bnsearch.errors import require
from bnsearch.knowledge.constraints import Constraints
from bnsearch.scores.extender import Extender
from bnsearch.selection.best_first import search_each_variable
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.candidates import best_candidates
from bnsearch.selection.lattice import Lattice
from bnsearch.selection.report import Selection
from bnsearch.selection.variable_searches import Begin
from bnsearch.selection.walk import Walk

NONE_REQUIRED = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Sequential(Builder):
    """
    All parent sets of up to `max_parents` variables, by exhaustive enumeration.

    Parameters
    ----------
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    candidates : make sets only of this many partners of each variable, the strongest by the score of the variable with
        that one parent, and those that tie with the last of them; None means all
    seconds : stop when this much time has passed; what is there is returned
    seconds_per_variable : the same for each variable by itself: what one does not need is not given to others
    evaluations : families scored in all; a size that does not fit as a whole is left out, and where each variable is
        enumerated by itself, an equal share for each
    max_sets : the most sets kept of a variable, the best ones; the empty set comes on top
    memory : the most bytes for counts and for the best scores of smaller sets
    pruning : sound bounds to use; the walk ends when they say that no larger set matters

    References
    ----------
    Perez & Maua (2016), section 3.1: breadth-first search of the parent lattice to depth k.
    Teyssier & Koller (2005), section 3: `candidates`, after Friedman, Nachman & Pe'er (1999).

    Notes
    -----
    The lattices of all variables are walked at once: a set of k + 1 variables is counted once for the k + 1 families in
    it. With `candidates` or `seconds_per_variable` each variable is enumerated by itself, since it has its own sets or
    its own time; a family takes longer then. A family is kept if no subset of its parents scores as well; the best
    score over the subsets is carried from size to size.

    The default of 3 parents is ours. Perez & Maua set no limit, and two minutes for each variable
    (`max_parents=None, seconds_per_variable=120`). Teyssier & Koller bound the in-degree by that of the network the
    data come from, and measure the strength of partners by correlation, without saying which.
    """

    max_parents: int | None = 3
    candidates: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.candidates is not None:
            require("candidates", self.candidates, at_least=1, whole=True)

    @property
    def searches_lattices(self) -> bool:
        """Whether each variable is enumerated by itself."""
        return self.candidates is not None or self.seconds_per_variable is not None

    def _build(self, job: Job) -> Selection:
        """Build the table; first find the candidates, where their number is limited."""
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
        passed_over = np.count_nonzero(known.allowed & ~chosen, axis=1)
        if job.budget.evaluations is not None:
            left = max(1, job.budget.evaluations - int(passed_over.sum()))
            job = replace(job, budget=job.budget.part(evaluations=left))
        found = super()._build(replace(job, constraints=replace(known, allowed=chosen)))
        return replace(
            found,
            scored_of=found.scored_of + passed_over,
            exhaustive=0 if passed_over.any() else found.exhaustive,
            complete=found.complete and not passed_over.any(),
        )

    def build(self, job: Job) -> Selection:
        """Walk the lattices, all at once or one by one, then make the table."""
        if self.searches_lattices:
            return search_each_variable(self, job, self._prepare(job), self.seconds_per_variable)
        walk = Walk(job, job.max_parents, job.budget.memory)
        stop = walk.go(evaluations=job.budget.evaluations)
        table = walk.table(soon=job.budget.stop_reason is not None)
        seconds = np.full(job.n, job.budget.elapsed / job.n)
        return Selection(table, walk.scored_of, seconds, walk.complete, stop, walk.complete >= job.max_parents)

    def _prepare(self, job: Job) -> Callable[[], Begin]:
        """Return what makes, for each thread, the function that begins the enumeration of a variable."""
        extender = Extender(job.data, job.score)
        room = job.budget.memory / max(1, min(job.budget.threads, len(job.children)))

        def for_thread() -> Begin:
            own = extender.fork()

            def begin(child: int, until: float) -> Lattice:
                candidates, most = job.candidates(child), job.max_parents_of(child)
                return Lattice(own, child, NONE_REQUIRED, candidates, most, job.bound, job.budget.clock, until, room)

            return begin

        return for_thread
