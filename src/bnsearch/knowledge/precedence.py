"""Required edges as a demand on orderings: parents before their children."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.topological import topological_order

Order = TypeVar("Order", NDArray[np.int32], NDArray[np.int64])


class Precedence:
    """
    Which variables must stand before which in an ordering.

    Parameters
    ----------
    child, parent : int64[...], the ends of the required edges, which form no cycle
    """

    def __init__(self, child: NDArray[np.int64], parent: NDArray[np.int64]) -> None:
        self._child, self._parent = child, parent

    def broken(self, order: NDArray[np.int32] | NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the pairs (parent, child) that stand the wrong way round."""
        position = np.argsort(order)
        wrong = position[self._parent] > position[self._child]
        return list(zip(self._parent[wrong].tolist(), self._child[wrong].tolist(), strict=True))

    def repaired(self, order: Order) -> Order:
        """
        Return an ordering near this one in which every parent stands before its children; this one if it does already.

        Variables of no required edge keep their places. The others share the places that they hold: the next is always
        the one that stands first among those whose parents are placed.
        """
        if not self.broken(order):
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
