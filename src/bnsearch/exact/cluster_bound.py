"""An upper bound on the score of all networks over a candidate table, from cluster inequalities and local cuts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.exact.cluster_pool import ClusterPool
from bnsearch.exact.components import Component
from bnsearch.exact.cuts import Cut, make_cluster_cut, restrict_cuts
from bnsearch.exact.row_masks import RowMasks
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import tie_margin


@dataclass(frozen=True, eq=False)
class ClusterBound:
    """
    An upper bound on the score of all networks over a candidate table.

    A cluster inequality of order k belongs to a set of more than k variables, the cluster. In a network without cycles,
    at least k members have fewer than k parents inside the cluster: the first k members in a topological order. Order 1
    means that some member has all its parents outside the cluster. A local cut is another inequality over a few
    variables (`cuts.Cut`). The bound is the Lagrangian relaxation of such inequalities::

        value = sum over variables v of max over parent sets P of v of
                    [score(v, P) + sum of the multipliers of the clusters that contain v and fewer than k members of P
                     - sum of multiplier * coefficient of (v, P) over all local cuts]
                - sum of k * multiplier over all clusters
                + sum of multiplier * limit over all local cuts

    Attributes
    ----------
    clusters : uint64[m, words]; bit v of a row, which is bit v % 64 of word v // 64, is 1 if variable v is a member
    orders : int64[m], the order k of each inequality
    multipliers : float64[m], not negative
    value : the upper bound
    local_cuts : the local cuts
    local_multipliers : float64[...], their multipliers, not negative

    References
    ----------
    Jaakkola, Sontag, Globerson & Meila (2010), Learning Bayesian network structure using LP relaxations.
    Cussens (2011), Bayesian network learning with cutting planes: inequalities of order k.
    """

    clusters: NDArray[np.uint64]
    orders: NDArray[np.int64]
    multipliers: NDArray[np.float64]
    value: float
    local_cuts: tuple[Cut, ...] = ()
    local_multipliers: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        for array in (self.clusters, self.orders, self.multipliers, self.local_multipliers):
            array.flags.writeable = False

    @classmethod
    def evaluate(
        cls,
        parent_sets: ParentSets,
        clusters: NDArray[np.uint64],
        orders: NDArray[np.int64],
        multipliers: NDArray[np.float64],
    ) -> ClusterBound:
        """Return the bound of given inequalities and multipliers over a candidate table."""
        check_clusters(parent_sets.n_variables, clusters, orders, multipliers)
        return cls(clusters, orders, multipliers, math.inf).evaluate_over(parent_sets)

    def evaluate_over(self, parent_sets: ParentSets) -> ClusterBound:
        """Return the bound of the same inequalities and multipliers over another candidate table."""
        reduced = self.make_pool(RowMasks.of_table(parent_sets)).reduce_costs(parent_sets)
        assert reduced is not None  # there is no time limit
        return replace(self, value=reduced[1])

    def compute_reduced_costs(self, parent_sets: ParentSets) -> NDArray[np.float64]:
        """Return float64[rows]: the amount by which the bound decreases if the variable of a row must take the row."""
        reduced = self.make_pool(RowMasks.of_table(parent_sets)).reduce_costs(parent_sets)
        assert reduced is not None  # there is no time limit
        return reduced[0]

    def make_pool(self, masks: RowMasks) -> ClusterPool:
        """Return a pool of the inequalities with their multipliers."""
        pool = ClusterPool(masks)
        pool.append(*self.unpack(), self.orders, self.multipliers)
        pool.local.append(self.local_cuts, self.local_multipliers)
        return pool

    def sum_bound(self, best: NDArray[np.float64]) -> float:
        """Return the bound over a table, given the best reduced score of each variable."""
        limits = np.array([cut.limit for cut in self.local_cuts])
        return math.fsum((*best, *(-self.orders * self.multipliers), *(limits * self.local_multipliers)))

    def mark_open_rows(self, parent_sets: ParentSets, incumbent: float) -> NDArray[np.bool_]:
        """
        Return bool[rows], True for the rows that a network with a score above the incumbent can contain.

        The rows of the empty sets can be False, too.
        """
        gap = self.value - incumbent + 2 * tie_margin(incumbent)
        return self.compute_reduced_costs(parent_sets) <= gap

    def unpack(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return first and members: the members of cluster c are members[first[c]:first[c + 1]]."""
        return unpack_clusters(self.clusters)

    def list_members(self) -> list[list[int]]:
        """Return the members of each cluster, ascending."""
        first, members = unpack_clusters(self.clusters)
        return [part.tolist() for part in np.split(members, first[1:-1])] if len(self.orders) else []

    def list_cuts(self) -> list[Cut]:
        """Return the inequalities as cuts: first the clusters, then the local cuts."""
        clusters = zip(self.list_members(), self.orders.tolist(), strict=True)
        return [*(make_cluster_cut(np.array(members), order) for members, order in clusters), *self.local_cuts]

    def __repr__(self) -> str:
        return (
            f"ClusterBound({len(self.orders):,} clusters, {len(self.local_cuts):,} local cuts, value {self.value:.6f})"
        )


def restrict_bound(bound: ClusterBound, component: Component) -> ClusterBound:
    """
    Return the inequalities of a bound and their multipliers, for the variables of a component; the value is infinite.

    A cluster keeps its members in the component. A local cut is used if all its members are in the component.
    """
    n = component.size
    members = np.full(bound.clusters.shape[1] * 64, -1, dtype=np.int32)
    members[component.variables] = np.arange(n)
    own = [part[part >= 0] for part in (members[list(each)] for each in bound.list_members())]
    kept = np.array([len(part) for part in own], dtype=np.int64) > bound.orders
    first = np.cumsum([0, *(len(part) for part in compress(own, kept))])
    flat = np.concatenate([np.empty(0, dtype=np.int32), *compress(own, kept)])
    is_inside = [bool(np.all(members[cut.members] >= 0)) for cut in bound.local_cuts]
    return ClusterBound(
        pack_clusters(first, flat, n),
        bound.orders[kept],
        bound.multipliers[kept],
        math.inf,
        tuple(restrict_cuts(bound.local_cuts, component)),
        bound.local_multipliers[is_inside],
    )


def check_clusters(
    n: int, clusters: NDArray[np.uint64], orders: NDArray[np.int64], multipliers: NDArray[np.float64]
) -> None:
    """Raise an InputError if inequalities are not valid for a table of n variables."""
    if clusters.shape != (len(orders), count_words(n)) or len(multipliers) != len(orders):
        raise InputError(
            f"each cluster of {n} variables needs {count_words(n)} words, an order and a multiplier; "
            f"found arrays of shape {clusters.shape}, {orders.shape} and {multipliers.shape}"
        )
    first, members = unpack_clusters(clusters)
    if members.max(initial=-1) >= n:
        raise InputError(f"a cluster has the member {members.max()}, but the variables are 0 to {n - 1}")
    if not np.all((orders >= 1) & (orders <= np.diff(first))):
        raise InputError("the order of a cluster must be at least 1 and at most its number of members")
    if not np.all((multipliers >= 0) & np.isfinite(multipliers)):
        raise InputError("the multipliers of clusters must be finite numbers of at least 0")


def count_words(variables: int) -> int:
    """Return the number of 64-bit words of a cluster."""
    return (variables + 63) // 64


def pack_clusters(first: NDArray[np.int64], members: NDArray[np.int32], variables: int) -> NDArray[np.uint64]:
    """Return clusters as bits, uint64[m, words]."""
    bits = np.zeros((len(first) - 1, count_words(variables)), dtype=np.uint64)
    cluster = np.repeat(np.arange(len(first) - 1), np.diff(first))
    np.bitwise_or.at(bits, (cluster, members >> 6), np.uint64(1) << (members & 63).astype(np.uint64))
    return bits


def unpack_clusters(clusters: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return first and members of clusters, given as bits."""
    octets = clusters.astype("<u8").view(np.uint8).reshape(len(clusters), clusters.shape[1] * 8)
    cluster, members = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
    return np.searchsorted(cluster, np.arange(len(clusters) + 1)), members.astype(np.int32)
