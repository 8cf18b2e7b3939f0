"""Growth of parent sets in several slices of time, between which a search continues."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.data import Dataset
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.rows import Families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.bounds import bound_of, max_useful_parents
from bnsearch.scores.score import TOLERANCE, Score
from bnsearch.selection.auto import count_partners
from bnsearch.selection.builder import Job
from bnsearch.selection.growth_stage import GrowthPlan, GrowthStage


class ContinuedGrowth:
    """
    Best-first growth of all variables' parent sets (`GrowthStage`), which continues in each slice of time.

    It starts from the enumerated sets of the largest complete size. If a larger size is complete later, it starts from
    the sets of this size, and the sets found so far are kept.

    Parameters
    ----------
    data, score : data and local score
    constraints : legal parents; None means that all are legal. The sets of variables with required parents do not grow
    memory : bytes for the sets

    Attributes
    ----------
    table : the sets found so far, and the empty sets; None before the first slice
    depth : size of the sets from which it started
    is_complete : True if no set is left that could be extended, or no memory
    """

    def __init__(self, data: Dataset, score: Score, constraints: Constraints | None, memory: int) -> None:
        self._data, self._score, self._constraints, self._memory = data, score, constraints, memory
        required = np.zeros(data.n_variables, dtype=np.bool_) if constraints is None else constraints.has_required
        self._children = np.flatnonzero(~required)
        self._limit = max_useful_parents(data, score, None)
        self._bound = bound_of(data, score)
        self._stage: GrowthStage | None = None
        self._earlier: ParentSets | None = None  # sets found from smaller seeds
        self.table: ParentSets | None = None
        self.depth = 0
        self.is_complete = False

    def grow(self, budget: Budget, seconds: float, enumerated: ParentSets, depth: int) -> None:
        """
        Grow sets for some seconds.

        enumerated : table with all useful sets of up to `depth` parents
        """
        job = Job(
            data=self._data,
            score=self._score,
            children=self._children,
            max_parents=self._limit,
            bound=self._bound,
            constraints=self._constraints,
            budget=budget.part(seconds, memory=self._memory),
        )
        if self._stage is None or depth > self.depth:
            plan = GrowthPlan(depth=depth, partners=count_partners(job.n), evaluations=None, memory=self._memory)
            self._stage, self.depth, self._earlier = GrowthStage(job, enumerated, plan), depth, self.table
        reason = self._stage.resume(job)
        self.is_complete = reason in ("complete", "memory")
        empty = enumerated.scores[enumerated.begin[1:] - 1]
        self.table = self._make_table(enumerated.names, empty, budget.threads)

    def _make_table(self, names: tuple[str, ...], empty: NDArray[np.float64], threads: int) -> ParentSets:
        """Return the table of all sets found so far and of the empty sets."""
        assert self._stage is not None
        n = len(names)
        empty_sets = Families(np.arange(n, dtype=np.int32), empty, np.zeros(n, dtype=np.int64), np.empty(0, np.int32))
        parts = [empty_sets, *self._stage.list_found()]
        if self._earlier is not None:
            parts.append(self._earlier.families)
        return ParentSets.from_families(names, parts, threads=threads)

    def has_found(self, child: int, score: float) -> bool:
        """Return True if a set with this local score was found for a variable."""
        if self.table is None:
            return False
        scores = self.table.scores[self.table.begin[child] : self.table.begin[child + 1] - 1]
        return bool(np.abs(scores - score).min(initial=inf) < TOLERANCE)
