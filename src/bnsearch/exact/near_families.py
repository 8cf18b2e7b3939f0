"""The parent sets that networks near the optimum can contain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.rows import Families
from bnsearch.runs.problem import Problem
from bnsearch.selection.subset_walk import Limits, SubsetWalk


@dataclass(frozen=True, eq=False)
class MaskedSets:
    """
    Parent sets of one variable as masks: bit v is variable v.

    Attributes
    ----------
    masks, scores : int64[k], float64[k]
    """

    masks: NDArray[np.int64]
    scores: NDArray[np.float64]

    def keep_near(self, loss: float, n: int) -> MaskedSets:
        """
        Return the sets that score at most `loss` below their best subset, best first.

        A network with another set is not near the optimum: with the subset instead, it would score higher by more.
        """
        best = np.full(1 << n, -np.inf)
        np.maximum.at(best, self.masks, self.scores)
        for v in range(n):
            halves = best.reshape(-1, 2, 1 << v)
            np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
        kept = np.flatnonzero(self.scores >= best[self.masks] - loss)
        kept = kept[np.lexsort((self.masks[kept], -self.scores[kept]))]
        return MaskedSets(self.masks[kept], self.scores[kept])


def list_all_sets(problem: Problem, threads: int, is_spent: Callable[[], bool]) -> list[MaskedSets] | None:
    """Return all legal parent sets of each variable, scored on the data of a problem; None if the time is spent."""
    data, n = problem.needed_data, problem.size
    walk = SubsetWalk(data, problem.needed_score, Limits(n, np.inf, 1 << 62))
    values = walk.values(threads, is_spent, lambda done, total: None)
    if values is None:
        return None
    place = np.empty(1 << n, dtype=np.int64)  # the mask of the walk for each mask
    place[0] = 0
    for v in range(n):
        place[1 << v : 2 << v] = place[: 1 << v] + walk.bit_of[v]
    subsets = np.arange(1 << n)
    found = []
    for v in range(n):
        masks = subsets[(subsets >> v & 1) == 0]
        if problem.constraints is not None:
            masks = masks[_are_legal(masks, v, problem.constraints)]
        scores = values[0][place[masks | 1 << v]] - values[walk.classes[v]][place[masks]]
        found.append(MaskedSets(masks, scores))
    return found


def list_given_sets(families: Families, n: int, constraints: Constraints | None) -> list[MaskedSets]:
    """Return the legal ones of given parent sets, those of each variable."""
    owner = np.repeat(np.arange(len(families.child)), families.sizes)
    masks = np.zeros(len(families.child), dtype=np.int64)
    np.bitwise_or.at(masks, owner, 1 << families.members.astype(np.int64))
    found = []
    for v in range(n):
        rows = np.flatnonzero(families.child == v)
        if constraints is not None:
            rows = rows[_are_legal(masks[rows], v, constraints)]
        found.append(MaskedSets(masks[rows], families.scores[rows]))
    return found


def _are_legal(masks: NDArray[np.int64], child: int, constraints: Constraints) -> NDArray[np.bool_]:
    """Return True for the legal parent sets of a variable."""
    bits = 1 << np.arange(constraints.size)
    allowed, required = (int(bits[edges[child]].sum()) for edges in (constraints.allowed, constraints.required))
    is_small = np.bitwise_count(masks) <= constraints.max_parents[child]
    legal: NDArray[np.bool_] = is_small & (masks & ~allowed == 0) & (masks & required == required)
    return legal


def join_sets(sets: list[MaskedSets]) -> Component:
    """Return the parent sets of all variables as one component."""
    n = len(sets)
    masks = np.concatenate([own.masks for own in sets])
    row, members = np.nonzero(masks[:, np.newaxis] >> np.arange(n) & 1)
    return Component(
        variables=np.arange(n),
        begin=np.cumsum([0] + [len(own.masks) for own in sets]),
        scores=np.concatenate([own.scores for own in sets]),
        rows=np.arange(len(masks)),
        first=np.searchsorted(row, np.arange(len(masks) + 1)),
        members=members.astype(np.int32),
    )
