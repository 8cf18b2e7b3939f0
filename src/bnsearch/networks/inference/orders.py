"""Orders in which inference eliminates variables."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

MAX_LOG_CELLS = 45 * math.log(2)
"""Natural logarithm of a number of cells that no table can have; the cost of a larger table is not computed."""

Cost = tuple[float, float, int]


def iterate_elimination_order(
    scopes: Iterable[Collection[int]], sizes: Sequence[int], kept: Collection[int] = ()
) -> Iterator[int]:
    """
    Yield the variables of some tables, without those in `kept`, in the order in which to eliminate them.

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
    while heap:
        cost = heappop(heap)
        x = cost[-1]
        if costs.get(x) != cost:  # the cost has changed since this entry was made
            continue
        if cost[0] == math.inf:  # no order of the remaining variables is possible, so any order will do
            yield from sorted(costs)
            return
        del costs[x]
        yield x
        near = graph.neighbours[x]
        changed = {y: (costs[y][0] - less, *costs[y][1:]) for y, less in graph.eliminate(x).items() if y in costs}
        changed |= {y: graph.compute_cost(y) for y in near if y in costs}
        costs |= changed
        for cost in changed.values():
            heappush(heap, cost)


class _Graph:
    """
    The graph of variables that occur together in a table.

    `neighbours` are sets. `masks` are the same sets as integers, with the bit of the variable itself, so that the
    missing edges of a neighbourhood can be counted many at a time. `possible` has the bits of the variables whose
    clique is not too large.
    """

    def __init__(self, scopes: Iterable[Collection[int]], sizes: Sequence[int]) -> None:
        self.neighbours: dict[int, set[int]] = {}
        for scope in scopes:
            for x in scope:
                self.neighbours.setdefault(x, set()).update(scope)
        self.masks = {x: sum(1 << y for y in near) for x, near in self.neighbours.items()}
        for x, near in self.neighbours.items():
            near.discard(x)
        self.possible = 0
        self._sizes = sizes
        self._with_size: dict[int, int] = {}  # the variables of each size, as an integer
        for x in self.neighbours:
            self._with_size[sizes[x]] = self._with_size.get(sizes[x], 0) | 1 << x

    def compute_cost(self, x: int) -> Cost:
        """Return the weighted fill-in of a variable, the logarithm of the size of its clique, and the variable."""
        mask = self.masks[x]
        counts = {size: (mask & variables).bit_count() for size, variables in self._with_size.items()}
        log_cells = math.fsum(count * math.log(size) for size, count in counts.items())
        if log_cells > MAX_LOG_CELLS:
            self.possible &= ~(1 << x)
            return math.inf, log_cells, x
        self.possible |= 1 << x
        twice = 0
        for y in self.neighbours[x]:
            missing = mask & ~self.masks[y]
            if missing:
                weights = [size * (missing & variables).bit_count() for size, variables in self._with_size.items()]
                twice += self._sizes[y] * sum(weights)
        return twice // 2, log_cells, x

    def eliminate(self, x: int) -> dict[int, int]:
        """
        Remove a variable and connect its neighbours.

        Return the decrease of the weighted fill-in of the other variables that have a possible clique: the weights of
        the new edges between two of their neighbours. The costs of the neighbours of the variable must be computed
        again.
        """
        near, mask = self.neighbours.pop(x), self.masks.pop(x)
        self.possible &= ~(1 << x)
        decreases: dict[int, int] = {}
        for y in near:
            for z in near - self.neighbours[y]:
                if y < z:
                    weight = self._sizes[y] * self._sizes[z]
                    for both in _list_bits(self.masks[y] & self.masks[z] & self.possible & ~mask):
                        decreases[both] = decreases.get(both, 0) + weight
        for y in near:
            self.neighbours[y] |= near
            self.neighbours[y] -= {x, y}
            self.masks[y] = (self.masks[y] | mask) & ~(1 << x)
        return decreases


def _list_bits(mask: int) -> list[int]:
    """Return the positions of the ones of an integer."""
    positions = []
    while mask:
        lowest = mask & -mask
        positions.append(lowest.bit_length() - 1)
        mask ^= lowest
    return positions
