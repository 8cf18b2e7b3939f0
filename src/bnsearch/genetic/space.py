"""The graphs that a search may visit: how many parents a variable may have, and what is known about edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.graphs import Generator, Graphs, Numbers, Orders, Reals, limited, positions, precedes
from bnsearch.runs.problem import Problem


@dataclass(frozen=True, eq=False)
class Space:
    """
    Legal graphs, and how others become legal.

    An ordering is legal if the parents that a variable must have stand before it. Along such an ordering any set of
    allowed edges together with the required ones is acyclic; and an ordering that a legal graph follows is legal.

    Attributes
    ----------
    most : int64[n]   parents of each variable at most
    allowed, required : bool[n, n]   [child, parent]; None where nothing is known
    """

    most: Numbers
    allowed: NDArray[np.bool_] | None = None
    required: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, problem: Problem, max_parents: int) -> Space:
        """Return the space of a problem; a variable may have more than `max_parents` if these are required."""
        most = np.full(problem.size, max_parents, dtype=np.int64)
        known = problem.constraints
        if known is None:
            return cls(most)
        most = np.maximum(np.minimum(most, known.max_parents), known.required.sum(axis=1))
        return cls(most, known.allowed, known.required)

    def legal(self, graphs: Graphs, merit: Reals | Generator) -> Graphs:
        """
        Return graphs that follow legal orderings with their illegal edges dropped and the required ones added.

        merit : decides which parents a variable with too many keeps, see `limited`; the required ones in any case
        """
        if self.allowed is None or self.required is None:
            return limited(graphs, self.most, merit)
        return limited(graphs & self.allowed | self.required, self.most, merit, self.required)

    def repaired(self, graphs: Graphs, rng: Generator) -> Graphs:
        """Return any graphs made legal, self-loops, surplus parents and cycles broken by taking random edges away."""
        from bnsearch.genetic.kernels_graphs import break_cycles

        n = graphs.shape[1]
        fixed = self.legal(graphs & ~np.eye(n, dtype=bool), rng).copy()
        kept = np.zeros((n, n), dtype=bool) if self.required is None else self.required
        break_cycles(fixed, kept, rng.integers(2**63, size=1).astype(np.uint64))
        return fixed

    def ordered(self, orders: Orders) -> Orders:
        """Return the orderings with required parents put before their children, and otherwise as they are."""
        if self.required is None:
            return orders
        return topological_orders(
            np.broadcast_to(self.required, (len(orders), *self.required.shape)), -positions(orders)
        )

    def random_graphs(self, orders: Orders, rng: Generator) -> Graphs:
        """Return a random graph for each ordering, with about as many edges as variables."""
        number, n = orders.shape
        chosen = rng.random((number, n, n)) < 2 / max(1, n - 1)
        return self.legal(precedes(orders) & chosen, rng)

    def may_join(self, information: Reals) -> Reals:
        """Return the information of pairs without that of pairs which may not be joined."""
        return information if self.allowed is None else np.where(self.allowed | self.allowed.T, information, 0.0)

    def room(self, graphs: Graphs) -> NDArray[np.bool_]:
        """Return which variables may have one more parent, [graph, variable]."""
        enough: NDArray[np.bool_] = graphs.sum(axis=2) < self.most
        return enough

    def addable(self, candidates: Graphs) -> Graphs:
        """Return which of some edges may be added."""
        return candidates if self.allowed is None else candidates & self.allowed

    def deletable(self, graphs: Graphs) -> Graphs:
        """Return the edges that may be taken away."""
        return graphs if self.required is None else graphs & ~self.required

    def reversible(self, graphs: Graphs) -> Graphs:
        """Return the edges that may be turned round, as far as knowledge is concerned."""
        return graphs if self.allowed is None else self.deletable(graphs) & self.allowed.T


def topological_orders(after: Graphs, priority: NDArray[np.float64] | Numbers) -> Orders:
    """
    Return, for each acyclic graph, an ordering that it follows.

    after : bool[number, n, n]   [child, parent]
    priority : [number, n]       of the variables whose parents have all been placed the one with most is next
    """
    number, n = priority.shape
    waiting = after.sum(axis=2)
    every = np.arange(number)
    lowest = priority.min(initial=0) - 1
    orders = np.empty((number, n), dtype=np.int64)
    for at in range(n):
        chosen = np.where(waiting == 0, priority, lowest).argmax(axis=1)
        orders[:, at] = chosen
        waiting[every, chosen] = -1  # placed
        waiting -= after[every, :, chosen]
    return orders
