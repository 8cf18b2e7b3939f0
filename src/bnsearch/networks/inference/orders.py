"""Orders in which inference eliminates variables."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush

MAX_LOG_CELLS = 45 * math.log(2)
"""Natural logarithm of a number of cells that no table can have; the cost of a larger table is not computed."""

Cost = tuple[float, float, int]


def find_elimination_order(
    scopes: Iterable[Collection[int]], sizes: Sequence[int], kept: Collection[int] = ()
) -> list[int]:
    """
    Return the variables of some tables, without those in `kept`, in the order in which to eliminate them.

    The next variable is the one with the smallest weighted fill-in: the sum of the products of sizes over the pairs of
    neighbours that become adjacent. Ties go to the variable whose clique, the table over the variable and its
    neighbours, is smallest. If the cliques of all remaining variables are too large for any machine, their order is
    arbitrary.

    Parameters
    ----------
    scopes : the variables of each table
    sizes : number of states of each variable
    kept : variables that are not eliminated

    References
    ----------
    Koller & Friedman (2009), "Probabilistic graphical models", section 9.4.3.
    """
    graph = _Graph(scopes, sizes)
    costs = {x: graph.compute_cost(x) for x in graph.neighbours if x not in kept}
    heap = list(costs.values())
    heapify(heap)
    order: list[int] = []
    while heap:
        cost = heappop(heap)
        x = cost[-1]
        if costs.get(x) != cost:  # the cost has changed since this entry was made
            continue
        if cost[0] == math.inf:  # no order of the remaining variables is possible, so any order will do
            return order + sorted(costs)
        del costs[x]
        order.append(x)
        for y in graph.eliminate(x) & costs.keys():
            costs[y] = graph.compute_cost(y)
            heappush(heap, costs[y])
    return order


class _Graph:
    """
    The graph of variables that occur together in a table.

    `neighbours` are sets. `masks` are the same sets as integers, with the bit of the variable itself, so that the
    missing edges of a neighbourhood can be counted many at a time.
    """

    def __init__(self, scopes: Iterable[Collection[int]], sizes: Sequence[int]) -> None:
        self.neighbours: dict[int, set[int]] = {}
        for scope in scopes:
            for x in scope:
                self.neighbours.setdefault(x, set()).update(scope)
        self.masks = {x: sum(1 << y for y in near) for x, near in self.neighbours.items()}
        for x, near in self.neighbours.items():
            near.discard(x)
        self._sizes = sizes
        self._logs = [math.log(size) for size in sizes]
        self._with_size: dict[int, int] = {}  # the variables of each size, as an integer
        for x in self.neighbours:
            self._with_size[sizes[x]] = self._with_size.get(sizes[x], 0) | 1 << x

    def compute_cost(self, x: int) -> Cost:
        """Return the weighted fill-in of a variable, the logarithm of the size of its clique, and the variable."""
        near = self.neighbours[x]
        log_cells = self._logs[x] + sum([self._logs[y] for y in near])
        if log_cells > MAX_LOG_CELLS:
            return math.inf, log_cells, x
        twice = 0
        for y in near:
            missing = self.masks[x] & ~self.masks[y]
            if missing:
                weights = [size * (missing & variables).bit_count() for size, variables in self._with_size.items()]
                twice += self._sizes[y] * sum(weights)
        return twice / 2, log_cells, x

    def eliminate(self, x: int) -> set[int]:
        """Remove a variable, connect its neighbours, and return the variables whose cost may have changed."""
        near = self.neighbours.pop(x)
        mask = self.masks.pop(x) & ~(1 << x)
        changed = set(near)
        for y in near:
            self.neighbours[y].discard(x)
            self.masks[y] &= ~(1 << x)
            if mask & ~self.masks[y]:
                self.masks[y] |= mask
                self.neighbours[y] |= near
                self.neighbours[y].discard(y)
                changed |= self.neighbours[y]
        return changed
