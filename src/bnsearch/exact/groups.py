"""Groups of variables that can form cycles with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import strong_components
from bnsearch.parent_sets.table import ParentSets


@dataclass(frozen=True, eq=False)
class Group:
    """
    Some variables and their candidate sets, as far as these lie within the group.

    Attributes
    ----------
    variables : int64[n], ascending
    begin : int64[n + 1]; the candidates of the i-th variable are begin[i]:begin[i + 1], best first
    scores : float64[...]
    rows : int64[...], the table's rows
    masks : int64[...], bit i stands for the i-th variable; a group of more than 62 has no use for them
    """

    variables: NDArray[np.int64]
    begin: NDArray[np.int64]
    scores: NDArray[np.float64]
    rows: NDArray[np.int64]
    masks: NDArray[np.int64]

    def best_inside(self, i: int, allowed: int) -> int:
        """Return the place of the i-th variable's best candidate whose members are all allowed."""
        start, stop = self.begin[i : i + 2]
        return int(start + np.argmin(self.masks[start:stop] & ~allowed != 0))


def groups_of(table: ParentSets) -> list[Group]:
    """
    Split a table into the strongly connected components of the graph of all candidate parents.

    No cycle passes through two of them, so whatever sets the variables of one choose, those of another stay free to
    choose.
    """
    n = table.n_variables
    children = np.repeat(np.arange(n), np.add.reduceat(table.sizes, table.begin[:-1]))
    is_parent = np.zeros((n, n), dtype=bool)
    is_parent[table.members, children] = True
    label = strong_components(is_parent)
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])
    masks = _masks(table, children, label, members)
    return [_group(table, variables, masks) for variables in members]


def _masks(
    table: ParentSets, children: NDArray[np.int64], label: NDArray[np.int64], groups: list[NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return for each row of the table the mask of its members within the group of its variable."""
    bit = np.zeros(table.n_variables, dtype=np.int64)
    for variables in groups:
        bit[variables[:62]] = 1 << np.arange(min(62, len(variables)))
    inside = np.where(label[table.members] == label[children], bit[table.members], 0)
    # A mask is the sum of its bits: a difference of two running sums, right even where these overflow.
    sums = np.concatenate(([0], np.cumsum(inside)))
    return sums[table.first[1:]] - sums[table.first[:-1]]


def _group(table: ParentSets, variables: NDArray[np.int64], masks: NDArray[np.int64]) -> Group:
    rows = np.concatenate([np.arange(table.begin[v], table.begin[v + 1]) for v in variables])
    begin = np.concatenate(([0], np.cumsum(np.diff(table.begin)[variables])))
    return Group(variables, begin, table.scores[rows], rows, masks[rows])
