"""The legal graphs of a search: limits on the numbers of parents, and knowledge about edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.graph_stacks import (
    Floats,
    Generator,
    Graphs,
    Ints,
    Orders,
    drop_surplus_parents,
    find_positions,
    find_predecessors,
    find_topological_orders,
)
from bnsearch.runs.problem import Problem


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """
    The legal graphs of a search, and operations that make graphs and orderings legal.

    An ordering is legal if the required parents of each variable precede it. Along a legal ordering, any set of allowed
    edges together with the required ones is acyclic. An ordering that a legal graph follows is legal.

    Attributes
    ----------
    max_parents : int64[n]   maximum number of parents of each variable
    allowed, required : bool[child, parent]   None without knowledge
    """

    max_parents: Ints
    allowed: NDArray[np.bool_] | None = None
    required: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, problem: Problem, max_parents: int) -> SearchSpace:
        """
        Return the space of a problem.

        `max_parents` applies to variables without a limit in the knowledge. A variable has more parents if these are
        required.
        """
        limits = np.full(problem.size, max_parents, dtype=np.int64)
        known = problem.constraints
        if known is None:
            return cls(limits)
        limits = np.where(known.max_parents < problem.size - 1, known.max_parents, limits)
        limits = np.maximum(limits, known.required.sum(axis=1))
        return cls(limits, known.allowed, known.required)

    def legalise(self, graphs: Graphs, merit: Floats | Generator) -> Graphs:
        """
        Return graphs along legal orderings without illegal edges and surplus parents, and with all required edges.

        merit : which surplus parents are dropped, see `drop_surplus_parents`; required ones never are
        """
        if self.allowed is None or self.required is None:
            return drop_surplus_parents(graphs, self.max_parents, merit)
        return drop_surplus_parents(graphs & self.allowed | self.required, self.max_parents, merit, self.required)

    def repair(self, graphs: Graphs, rng: Generator) -> Graphs:
        """Return any graphs made legal: self-loops, surplus parents and random edges of cycles are removed."""
        from bnsearch.genetic.kernels_graphs import break_cycles

        n = graphs.shape[1]
        repaired = self.legalise(graphs & ~np.eye(n, dtype=bool), rng).copy()
        kept = np.zeros((n, n), dtype=bool) if self.required is None else self.required
        break_cycles(repaired, kept, rng.integers(2**63, size=1).astype(np.uint64))
        return repaired

    def legalise_orders(self, orders: Orders) -> Orders:
        """Return the orderings with required parents moved before their children, and otherwise unchanged."""
        if self.required is None:
            return orders
        required = np.broadcast_to(self.required, (len(orders), *self.required.shape))
        return find_topological_orders(required, -find_positions(orders))

    def draw_graphs(self, orders: Orders, rng: Generator) -> Graphs:
        """Return a random graph along each ordering, with about as many edges as variables."""
        number, n = orders.shape
        chosen = rng.random((number, n, n)) < 2 / max(1, n - 1)
        return self.legalise(find_predecessors(orders) & chosen, rng)

    def mask_information(self, information: Floats) -> Floats:
        """Return the information of pairs, with zero for pairs that no edge may join."""
        return information if self.allowed is None else np.where(self.allowed | self.allowed.T, information, 0.0)

    def find_room(self, graphs: Graphs) -> NDArray[np.bool_]:
        """Return [graph, variable]: True if the variable may have one more parent."""
        room: NDArray[np.bool_] = graphs.sum(axis=2) < self.max_parents
        return room

    def find_addable(self, candidates: Graphs) -> Graphs:
        """Return the candidate edges that knowledge allows to be added."""
        return candidates if self.allowed is None else candidates & self.allowed

    def find_deletable(self, graphs: Graphs) -> Graphs:
        """Return the edges that knowledge allows to be deleted."""
        return graphs if self.required is None else graphs & ~self.required

    def find_reversible(self, graphs: Graphs) -> Graphs:
        """Return the edges that knowledge allows to be reversed."""
        return graphs if self.allowed is None else self.find_deletable(graphs) & self.allowed.T
