"""Sequential selection: every parent set up to a size."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from bnsearch.parent_sets.builder import Builder, Job
from bnsearch.parent_sets.selection import Selection
from bnsearch.parent_sets.walk import Walk


@dataclass(frozen=True, kw_only=True)
class Sequential(Builder):
    """
    All parent sets of up to `max_parents` variables, by exhaustive enumeration.

    Parameters
    ----------
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    seconds, seconds_per_variable : stop when this much time has passed; what is there is returned
    evaluations : families scored in all; a size that does not fit as a whole is left out
    max_sets : the most sets kept of a variable, the best ones; the empty set comes on top
    memory : the most bytes for counts and for the best scores of smaller sets
    pruning : sound bounds to use; the walk ends when they say that no larger set matters

    References
    ----------
    Perez & Maua (2016), section 3.1: breadth-first search of the parent lattice to depth k.

    Notes
    -----
    The lattices of all variables are walked at once: a set of k + 1 variables is counted once for the k + 1 families in
    it. A family is kept if no subset of its parents scores as well; the best score over the subsets is carried from
    size to size.
    """

    max_parents: int | None = 3

    def build(self, job: Job) -> Selection:
        """Walk the lattices, then make the table."""
        walk = Walk(job, job.most, self.memory)
        try:
            stop = walk.go(evaluations=self.evaluations)
            table = walk.table(soon=job.halt())
        except KeyboardInterrupt:
            if job.halt():  # asked for already: this one is for the program
                raise
            stop, table = "interrupted", walk.table(soon=True)
        seconds = np.full(job.n, (time.perf_counter() - job.started) / job.n)
        return Selection(table, walk.scored_of, seconds, walk.complete, stop, walk.complete >= job.most)
