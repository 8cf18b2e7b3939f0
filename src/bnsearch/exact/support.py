"""The parent sets that have a positive value in a solution of the linear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component

MIN_VALUE = 1e-7  # smaller values count as zero


@dataclass(frozen=True, eq=False)
class Support:
    """
    The parent sets with a positive value, as flat arrays.

    Attributes
    ----------
    begin : int64[n + 1]; the sets of variable v are begin[v]:begin[v + 1]
    rows : int64[s], the sets of the component
    values : float64[s]
    child : int64[s], the variable of each set
    first, members : int64[s + 1], int64[...]; the members of set s are members[first[s]:first[s + 1]]
    holder_begin, holders : int64[n + 1], int64[...]; the sets that contain u are
        holders[holder_begin[u]:holder_begin[u + 1]]
    weights : float64[n, n]; weights[u, v] is the sum of the values of the sets of v that contain u
    """

    begin: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    child: NDArray[np.int64]
    first: NDArray[np.int64]
    members: NDArray[np.int64]
    holder_begin: NDArray[np.int64]
    holders: NDArray[np.int64]
    weights: NDArray[np.float64]

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """The argument `support` of kernels."""
        return (
            self.begin, self.values, self.child, self.first, self.members, self.holder_begin, self.holders, self.weights
        )  # fmt: skip


def make_support(component: Component, columns: NDArray[np.int64], values: NDArray[np.float64]) -> Support:
    """Return the support of a solution: values of some parent sets."""
    kept = values > MIN_VALUE
    order = np.argsort(columns[kept])
    rows, values = columns[kept][order], values[kept][order]
    child = component.child[rows].astype(np.int64)
    n, variables = component.size, np.arange(component.size + 1)
    sizes = component.first[rows + 1] - component.first[rows]
    first = np.concatenate(([0], np.cumsum(sizes)))
    at = np.arange(first[-1]) + np.repeat(component.first[rows] - first[:-1], sizes)
    members = component.members[at].astype(np.int64)
    owner = np.repeat(np.arange(len(rows)), sizes)
    by_member = np.argsort(members, kind="stable")
    weights = np.zeros((n, n))
    np.add.at(weights, (members, child[owner]), values[owner])
    return Support(
        begin=np.searchsorted(child, variables),
        rows=rows,
        values=values,
        child=child,
        first=first,
        members=members,
        holder_begin=np.searchsorted(members[by_member], variables),
        holders=owner[by_member],
        weights=weights,
    )
