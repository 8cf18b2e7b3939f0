"""Candidate tables of scores that are Python functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations
from typing import ClassVar

import numpy as np

from bnsearch.budgets.events import Event
from bnsearch.data import Dataset
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.legal import legal_table
from bnsearch.parent_sets.rows import Families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.local import make_scorer
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.report import Selection

FAMILIES_PER_EVENT = 1_000
ENUMERATED_SHARE = 0.5  # share of the time after which sets are extended instead of enumerated

Family = tuple[int, tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class LocalSets(Builder):
    """
    Parent sets of a score that is a Python function: all sets of one size after the other, then promising larger ones.

    Notes
    -----
    Sets are enumerated by size until half of the budget is used. Then the best set of each variable that has not been
    extended is extended by every further parent, variables in turn (best-first search). Nothing is known about the
    function, so no set is pruned before it is scored, and the table is complete only if all sets were scored.
    """

    default_seconds: ClassVar[float] = 60.0
    builds_legally: ClassVar[bool] = True

    pruning: tuple[str, ...] = ()

    def load_kernels(self, data: Dataset, threads: int, constraints: Constraints | None) -> None:
        """Compile or load the kernels that make a table."""
        make_table(["a", "b"], {(0, ()): 0.0, (1, ()): 0.0, (1, (0,)): 1.0}, None)

    def build(self, job: Job) -> Selection:
        """Enumerate sets by size, then extend the best ones."""
        search = FamilySearch(job)
        for family in search.enumerate():
            search.score(family)
        if not search.is_spent() and not search.complete:
            for family in search.extend():
                search.score(family)
        table = make_table(job.data.names, search.scores, job.constraints)
        scored = np.bincount([child for child, _ in search.scores], minlength=job.n)
        seconds = np.full(job.n, job.budget.elapsed / job.n)
        stop = "complete" if search.complete else "evaluations" if job.budget.remaining > 0 else "seconds"
        return Selection(table, scored, seconds, search.depth, stop, search.complete)


class FamilySearch:
    """
    The families scored so far, and the next ones.

    Attributes
    ----------
    scores : local scores by family
    depth : number of parents up to which every legal set was scored
    complete : whether all legal sets were scored
    """

    def __init__(self, job: Job) -> None:
        self._job, self._scorer = job, make_scorer(job.data, job.score)
        self._required = [()] * job.n if job.constraints is None else list(job.constraints.required_parents)
        self._free = [sorted({*job.candidates(v).tolist()} - {*self._required[v]}) for v in range(job.n)]
        self.scores: dict[Family, float] = {}
        self.depth, self.complete = 0, False

    def is_spent(self, share: float = 1.0) -> bool:
        """Return True if a share of the time or of the evaluations is used, or a stop was requested."""
        budget = self._job.budget
        if budget.is_spent() or budget.elapsed >= share * budget.seconds:
            return True
        return budget.evaluations is not None and len(self.scores) >= share * budget.evaluations

    def score(self, family: Family) -> float:
        """Return the local score of a family."""
        if family not in self.scores:
            child, parents = family
            self.scores[family] = self._scorer.family(child, parents)
            if len(self.scores) % FAMILIES_PER_EVENT == 0:
                self._report()
        return self.scores[family]

    def enumerate(self) -> Iterator[Family]:
        """Yield the families of all variables, smaller sets first, until a share of the budget is used."""
        children = range(self._job.n)
        yield from ((v, ()) for v in children)  # a table has all empty sets, also those that lack required parents
        for size in range(self._job.n):
            open_children = [v for v in children if self._fits(v, size)]
            if not open_children:
                self.complete = True
                break
            for child in open_children:
                for added in combinations(self._free[child], size):
                    if size > 0 and self.is_spent(ENUMERATED_SHARE):  # every variable needs a set
                        return
                    yield child, tuple(sorted((*self._required[child], *added)))
            self.depth = size
        else:
            self.complete = True

    def extend(self) -> Iterator[Family]:
        """Yield the extensions of the best sets that were not extended yet, variables in turn."""
        heaps: list[list[tuple[float, tuple[int, ...]]]] = [[] for _ in range(self._job.n)]
        for (child, parents), score in self.scores.items():
            if set(self._required[child]) <= set(parents):
                heappush(heaps[child], (-score, parents))
        while any(heaps):
            for child, heap in enumerate(heaps):
                if not heap:
                    continue
                _, parents = heappop(heap)
                if len(parents) >= self._job.max_parents_of(child):
                    continue
                for added in set(self._free[child]) - set(parents):
                    if self.is_spent():
                        return
                    family = child, tuple(sorted((*parents, added)))
                    if family not in self.scores:
                        yield family
                        heappush(heap, (-self.scores[family], family[1]))

    def _fits(self, child: int, size: int) -> bool:
        total = size + len(self._required[child])
        return size <= len(self._free[child]) and (size == 0 or total <= self._job.max_parents_of(child))

    def _report(self) -> None:
        budget = self._job.budget
        total = min(budget.evaluations or float("inf"), len(self.scores) / max(1e-9, budget.elapsed) * budget.seconds)
        budget.report(Event("calling the score", len(self.scores), total, "sets", len(self.scores)))


def make_table(names: Sequence[str], scores: Mapping[Family, float], constraints: Constraints | None) -> ParentSets:
    """Return the candidate table of scored families; sets that are not legal are left out."""
    children, sets = zip(*scores, strict=True)
    families = Families(
        np.array(children, dtype=np.int32),
        np.array(list(scores.values()), dtype=np.float64),
        np.array([len(parents) for parents in sets], dtype=np.int64),
        np.array([p for parents in sets for p in parents], dtype=np.int32),
    )
    if constraints is None:
        return ParentSets.from_families(names, [families])
    return legal_table(names, *families.rows, constraints)
