"""The relaxed solution: every variable's best parent set, cycles allowed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.table import ParentSets


@dataclass(frozen=True, eq=False)
class Relaxed:
    """
    The best parent set graph H* of a candidate table.

    Attributes
    ----------
    names : the variables
    score : the sum of the best local scores, an upper bound on the score of all DAGs over the table's sets
    first : int64[n + 1]
    parents : int32[edges]; the best parents of variable i, ascending, are `parents[first[i]:first[i + 1]]`
    weights : float64[edges], positive; for each edge j -> i the loss in the local score of i without j

    References
    ----------
    Perez & Maua (2016), section 5: H* is Eq. 6, the weights are Eq. 8.

    Notes
    -----
    Eq. 8 compares with Pa_i without j. The table does not hold that set if one of its subsets scores as well. So the
    weights compare with the best of its subsets in the table.
    """

    names: tuple[str, ...]
    score: float
    first: NDArray[np.int64]
    parents: NDArray[np.int32]
    weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        for array in (self.first, self.parents, self.weights):
            array.flags.writeable = False

    @property
    def in_degrees(self) -> NDArray[np.int64]:
        """The number of parents of each variable."""
        return np.diff(self.first)

    @property
    def mean_in_degree(self) -> float:
        """The mean number of parents."""
        return len(self.parents) / len(self.names) if self.names else 0.0

    @property
    def max_in_degree(self) -> int:
        """The largest number of parents."""
        return int(self.in_degrees.max(initial=0))

    def parents_of(self, variable: int) -> dict[int, float]:
        """Return a variable's best parents, each with the weight of its edge."""
        own = slice(self.first[variable], self.first[variable + 1])
        return dict(zip(self.parents[own].tolist(), self.weights[own].tolist(), strict=True))

    def __repr__(self) -> str:
        return f"Relaxed({len(self.names)} variables, {len(self.parents)} edges, score {self.score:.6f})"


def relaxed(table: ParentSets) -> Relaxed:
    """Return the best parent set graph of a table."""
    from bnsearch.parent_sets.kernels_relaxed import take_best

    best = table.begin[:-1]  # candidates are sorted, best first
    edges = int(table.sizes[best].sum())
    first, parents, weights = np.empty(len(best) + 1, np.int64), np.empty(edges, np.int32), np.full(edges, -1.0)
    take_best(table.begin, table.scores, table.first, table.members, first, parents, weights)
    return Relaxed(table.names, math.fsum(table.scores[best]), first, parents, weights)
