"""Exact search over the order graph of a component, with bounds of a dual ascent that improve during the search."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.exact.cluster_bound import ClusterBound, restrict_bound
from bnsearch.exact.components import Component
from bnsearch.exact.cuts import CutPool
from bnsearch.exact.order_graph import OrderGraph
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.proof import Step

ASCENT_SHARE = 0.5  # share of the time for the dual ascent
FIRST_TURN = 1.0  # seconds of the first turn; each turn takes twice as long as the last one


class OrderSearch:
    """
    Search for the best network of a component: dual ascent and expansion of the order graph in turns.

    A better bound leaves fewer nodes, but takes longer. Nodes that were expanded with an earlier bound need not be
    expanded again. There is no ascent if the expansion is expected to end before it would.

    Parameters
    ----------
    component : variables and parent sets, of at most 64 variables
    choice : int64[n], the parent sets of a network, the first incumbent
    memory : maximum number of bytes, half for the clusters and half for the nodes
    start : bound over the candidate table whose multipliers are the start of the dual ascent; None means none

    Attributes
    ----------
    graph : the order graph
    expected_seconds : estimated time until the end of the expansion; infinity while the number of open nodes grows
    """

    def __init__(
        self,
        component: Component,
        choice: NDArray[np.int64],
        *,
        memory: int = 1 << 30,
        start: ClusterBound | None = None,
    ) -> None:
        own = None if start is None else restrict_bound(start, component)
        self.graph = OrderGraph(component, choice, memory=memory // 2)
        self._ascent = PricedAscent(component.make_table(), start=own, memory=memory // 2)
        self._memory = memory // 2
        self._used: float | None = None  # the value of the bound that the graph uses
        self._turn = FIRST_TURN
        self.expected_seconds = math.inf

    @property
    def bound(self) -> float:
        """Upper bound on the score of all networks of the component."""
        if self._used is None:
            return self._ascent.bound.value
        # A bound may be below the score of the best network by rounding errors.
        return max(self.graph.target, min(self._ascent.bound.value, self.graph.bound))

    def search(self, budget: Budget) -> bool:
        """Search until the best network is found, and return True; False at the end of the budget or of the memory."""
        while not (self.graph.is_proven or self.graph.is_full or budget.is_spent()):
            turn = budget.part(self._turn)
            seconds = ASCENT_SHARE * turn.seconds
            if seconds < self.expected_seconds:
                self._ascent.improve(turn.part(seconds), self.graph.target)
                self._update_bound()
            self._expand(turn)
            self._turn *= 2
        return self.graph.is_proven

    def _expand(self, turn: Budget) -> None:
        """
        Expand nodes until the end of a turn, and estimate the time that is left.

        If each node that was taken from the list of open nodes has added q others on average, and q is less than 1,
        about open / (1 - q) nodes are left.
        """
        graph, started = self.graph, turn.clock()
        kept, n_open = graph.n_kept, graph.n_open
        graph.search(turn.is_spent)
        added = graph.n_kept - kept
        taken = added + n_open - graph.n_open
        self.expected_seconds = math.inf
        if added < taken:
            self.expected_seconds = (turn.clock() - started) * graph.n_open / (taken - added)

    def _update_bound(self) -> None:
        """Use the bound of the dual ascent in the order graph if it is better than the last one."""
        bound = self._ascent.bound
        if self._used is None or bound.value < self._used:
            pool = CutPool(self.graph.component.size, self._memory)
            cuts = np.array([pool.add(cut) for cut in bound.list_cuts()], dtype=np.int64)
            self.graph.use_bound(pool, Step(cuts, np.concatenate((bound.multipliers, bound.local_multipliers))))
            self._used = bound.value
