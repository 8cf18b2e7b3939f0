"""Strongly connected components of the graph of all candidate parents, with their parent sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.table import ParentSets


@dataclass(frozen=True, eq=False)
class Component:
    """
    A strongly connected component of the graph of all candidate parents, with its parent sets.

    The parent sets are restricted to members of the component, because other parents are on no cycle. The sets that
    score less than the best one without members in the component are left out. So the last set of every variable is
    empty, as in `ParentSets`.

    Attributes
    ----------
    variables : int64[n], ascending; below, a variable is an index into this array
    begin : int64[n + 1]; the parent sets of variable v are begin[v]:begin[v + 1], best first
    scores : float64[sets], local scores
    rows : int64[sets], rows of the candidate table
    first, members : int64[sets + 1], int32[...]; the members of set s are members[first[s]:first[s + 1]]
    """

    variables: NDArray[np.int64]
    begin: NDArray[np.int64]
    scores: NDArray[np.float64]
    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    members: NDArray[np.int32]

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @property
    def n_sets(self) -> int:
        """Number of parent sets."""
        return len(self.scores)

    @property
    def relaxed_score(self) -> float:
        """The sum of the best local scores, an upper bound on the score of all networks."""
        return math.fsum(self.scores[self.begin[:-1]])

    @cached_property
    def child(self) -> NDArray[np.int32]:
        """The variable of each parent set."""
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.begin))

    @cached_property
    def masks(self) -> NDArray[np.uint64]:
        """The members of each parent set as bits: bit v % 64 of word v // 64."""
        masks = np.zeros((self.n_sets, (self.size + 63) // 64), dtype=np.uint64)
        rows = np.repeat(np.arange(self.n_sets), np.diff(self.first))
        words, bits = np.divmod(self.members, 64)
        np.bitwise_or.at(masks, (rows, words), np.uint64(1) << bits.astype(np.uint64))
        return masks

    @cached_property
    def small_masks(self) -> NDArray[np.int64]:
        """The members of each parent set as bits of one number, in a component of at most 63 variables."""
        return self.masks[:, 0].astype(np.int64)

    def make_table(self) -> ParentSets:
        """Return the parent sets as a candidate table of the component's variables."""
        names = [str(v) for v in range(self.size)]
        return ParentSets.build(names, self.child, self.scores, self.first, self.members)

    def find_best(self, v: int, allowed: int) -> int:
        """Return a variable's best parent set whose members are all in the mask `allowed`, for at most 63 variables."""
        start, stop = self.begin[v : v + 2]
        return int(start + np.argmin(self.small_masks[start:stop] & ~allowed != 0))

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """The argument `table` of kernels."""
        return self.begin, self.first, self.members, self.masks


def label_components(table: ParentSets) -> NDArray[np.int32]:
    """Return int32[n], the strongly connected component of each variable in the graph of all candidate parents."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = table.n_variables
    is_parent = np.zeros((n, n), dtype=bool)
    is_parent[table.members, np.repeat(table.child, table.sizes)] = True
    label: NDArray[np.int32] = connected_components(csr_array(is_parent), directed=True, connection="strong")[1]
    return label


def find_largest_size(table: ParentSets) -> int:
    """Return the number of variables of the largest component of a table."""
    return int(np.bincount(label_components(table)).max())


def split_into_components(table: ParentSets) -> list[Component]:
    """
    Return the components of a candidate table, the smallest first.

    No cycle contains variables of two components, so each component can be solved independently.
    """
    label = label_components(table)
    children = np.repeat(table.child, table.sizes)
    inside = label[table.members] == label[children]
    n_inside = np.add.reduceat(np.append(inside, False).astype(np.int64), table.first[:-1]) * (table.sizes > 0)
    place = np.empty(table.n_variables, dtype=np.int32)
    components = []
    for number in np.argsort(np.bincount(label), kind="stable").tolist():
        variables = np.flatnonzero(label == number)
        place[variables] = np.arange(len(variables))
        components.append(_make_component(table, variables, inside, n_inside, place))
    return components


def _make_component(
    table: ParentSets,
    variables: NDArray[np.int64],
    inside: NDArray[np.bool_],
    n_inside: NDArray[np.int64],
    place: NDArray[np.int32],
) -> Component:
    """Return the component of some variables; inside : True for members of a row in the component of its child."""
    parts = []
    for v in variables.tolist():
        stop = table.begin[v] + np.argmax(n_inside[table.begin[v] : table.begin[v + 1]] == 0)
        parts.append(np.arange(table.begin[v], stop + 1))
    rows = np.concatenate(parts)
    sizes = table.sizes[rows]
    entries = np.arange(sizes.sum()) + np.repeat(table.first[rows] - np.cumsum(sizes) + sizes, sizes)
    entries = entries[inside[entries]]
    return Component(
        variables=variables,
        begin=np.cumsum([0] + [len(part) for part in parts]),
        scores=table.scores[rows],
        rows=rows,
        first=np.concatenate(([0], np.cumsum(n_inside[rows]))),
        members=place[table.members[entries]],
    )
