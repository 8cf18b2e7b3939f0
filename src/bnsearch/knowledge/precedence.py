"""Required edges as a demand on orderings: parents before their children."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

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
        self._children: dict[int, list[int]] = {}
        for below, above in zip(child.tolist(), parent.tolist(), strict=True):
            self._children.setdefault(above, []).append(below)

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
        position = np.argsort(order).tolist()
        waiting = np.bincount(self._child, minlength=len(order)).tolist()
        bound = sorted({*self._child.tolist(), *self._parent.tolist()}, key=position.__getitem__)
        free = [position[v] for v in bound if waiting[v] == 0]
        heapify(free)
        after = order.copy()
        for v in bound:
            chosen = int(order[heappop(free)])
            after[position[v]] = chosen
            for child in self._children.get(chosen, ()):
                waiting[child] -= 1
                if waiting[child] == 0:
                    heappush(free, position[child])
        return after
