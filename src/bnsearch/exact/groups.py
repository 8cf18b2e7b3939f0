"""Groups of variables that can be on a common cycle: strongly connected components of the candidate graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.table import ParentSets

MAX_MASK_BITS = 62  # variables of a group whose sets fit into an int64


@dataclass(frozen=True, eq=False)
class Group:
    """
    A group of variables and their candidate parent sets, restricted to members of the group.

    Attributes
    ----------
    variables : int64[n], ascending
    begin : int64[n + 1]; the parent sets of the i-th variable are begin[i]:begin[i + 1], best first
    scores : float64[...], local scores of the parent sets
    rows : int64[...], their rows in the candidate table
    masks : int64[...], their members: bit i is the i-th variable. Not valid for groups of more than MAX_MASK_BITS
        variables, which exact search rejects
    """

    variables: NDArray[np.int64]
    begin: NDArray[np.int64]
    scores: NDArray[np.float64]
    rows: NDArray[np.int64]
    masks: NDArray[np.int64]

    def find_best(self, i: int, allowed: int) -> int:
        """Return the entry of the i-th variable's best parent set whose members are all in the mask `allowed`."""
        start, stop = self.begin[i : i + 2]
        return int(start + np.argmin(self.masks[start:stop] & ~allowed != 0))


def split_into_groups(table: ParentSets) -> list[Group]:
    """
    Split a candidate table into the strongly connected components of the graph of all candidate parents.

    No cycle contains variables of two components, so each component can be solved independently.
    """
    label = label_components(table)
    children = np.repeat(np.arange(table.n_variables), np.add.reduceat(table.sizes, table.begin[:-1]))
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])
    masks = _compute_masks(table, children, label, members)
    return [_make_group(table, variables, masks) for variables in members]


def label_components(table: ParentSets) -> NDArray[np.int32]:
    """Return int32[n], the strongly connected component of each variable in the graph of all candidate parents."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = table.n_variables
    children = np.repeat(np.arange(n), np.add.reduceat(table.sizes, table.begin[:-1]))
    is_parent = np.zeros((n, n), dtype=bool)
    is_parent[table.members, children] = True
    label: NDArray[np.int32] = connected_components(csr_array(is_parent), directed=True, connection="strong")[1]
    return label


def _compute_masks(
    table: ParentSets, children: NDArray[np.int64], label: NDArray[np.int32], groups: list[NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return the mask of each row of the table: its members within the group of its variable."""
    bit = np.zeros(table.n_variables, dtype=np.int64)
    for variables in groups:
        bit[variables[:MAX_MASK_BITS]] = 1 << np.arange(min(MAX_MASK_BITS, len(variables)))
    inside = np.where(label[table.members] == label[children], bit[table.members], 0)
    # A mask is the sum of its bits, so a difference of two running sums. It is correct even if these overflow.
    sums = np.concatenate(([0], np.cumsum(inside)))
    return sums[table.first[1:]] - sums[table.first[:-1]]


def _make_group(table: ParentSets, variables: NDArray[np.int64], masks: NDArray[np.int64]) -> Group:
    """Return the group of the given variables."""
    rows = np.concatenate([np.arange(table.begin[v], table.begin[v + 1]) for v in variables])
    begin = np.concatenate(([0], np.cumsum(np.diff(table.begin)[variables])))
    return Group(variables, begin, table.scores[rows], rows, masks[rows])
