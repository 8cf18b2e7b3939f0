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

    A cluster inequality of order k holds for a set of at least k variables, the cluster: in a network without cycles, at
    least k of its members have fewer than k parents inside the cluster, because the first k members in a topological
    order have. Order 1 means that some member has all its parents outside the cluster. The bound is the Lagrangian
    relaxation of such inequalities::

        value = sum over variables v of max over parent sets P of v of
                    [score(v, P) + sum of the multipliers of the clusters that contain v and fewer than k members of P]
                - sum of k * multiplier over all clusters

    Attributes
    ----------
    clusters : uint64[m, words]; bit v of a row, which is bit v % 64 of word v // 64, is 1 if variable v is a member
    orders : int64[m], the order k of each inequality
    multipliers : float64[m], not negative
    value : the upper bound

    References
    ----------
    Jaakkola, Sontag, Globerson & Meila (2010), Learning Bayesian network structure using LP relaxations.
    Cussens (2011), Bayesian network learning with cutting planes.
    """

    clusters: NDArray[np.uint64]
    orders: NDArray[np.int64]
    multipliers: NDArray[np.float64]
    value: float

    def __post_init__(self) -> None:
        for array in (self.clusters, self.orders, self.multipliers):
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
    none = np.zeros(0)
    return ClusterBound(np.zeros((0, words), np.uint64), none.astype(np.int64), none, relaxed(parent_sets).score)
