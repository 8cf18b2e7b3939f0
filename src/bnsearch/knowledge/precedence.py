"""Required edges as constraints on orderings: parents come before their children."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.topological import topological_order

Order = TypeVar("Order", NDArray[np.int32], NDArray[np.int64])


class Precedence:
    """
    The pairs of variables whose relative order is fixed by required edges.

    Parameters
    ----------
    child, parent : int64[...], the children and the parents of the required edges, which form no cycle
    """

    def __init__(self, child: NDArray[np.int64], parent: NDArray[np.int64]) -> None:
        self._child, self._parent = child, parent

    def find_violations(self, order: NDArray[np.int32] | NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the required edges (parent, child) whose child comes before its parent."""
        position = np.argsort(order)
        wrong = position[self._parent] > position[self._child]
        return list(zip(self._parent[wrong].tolist(), self._child[wrong].tolist(), strict=True))

    def repair(self, order: Order) -> Order:
        """
        Return a similar ordering in which required parents come before their children.

        Variables without required edges keep their positions. The other variables are permuted among their positions:
        the next one is always the earliest in `order` among those whose parents are already placed. An ordering
        without violations is returned unchanged.
        """
        if not self.find_violations(order):
            return order
        position = np.argsort(order)
        constrained = np.union1d(self._child, self._parent)
        parents: list[set[int]] = [set() for _ in constrained]
        for child, parent in np.searchsorted(constrained, [self._child, self._parent]).T.tolist():
            parents[child].add(parent)
        repaired = order.copy()
        after = topological_order(parents, position[constrained].tolist())
        repaired[np.sort(position[constrained])] = constrained[after]
        return repaired
