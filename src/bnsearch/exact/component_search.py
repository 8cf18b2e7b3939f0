"""Exact search of a component with many variables: the order graph and branch and cut in turns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.components import Component
from bnsearch.exact.order_graph import MAX_VARIABLES
from bnsearch.exact.order_search import OrderSearch
from bnsearch.exact.proof import Proof

FIRST_TURN = 4.0  # seconds of the first turn of each search; each turn takes twice as long as the last one
MAX_FIRST_SHARE = 0.1  # maximum share of the time for the first turn


class ComponentSearch:
    """
    Search for the best network of a component: the order graph and branch and cut in turns, until one has a proof.

    Which one is faster differs between tables. The order graph has at most 64 variables. Its turn lasts twice as long
    if it is expected to end then.

    Parameters
    ----------
    component : variables and parent sets
    choice : int64[n], the parent sets of a network, the first incumbent
    budget : time budget and stop requests
    memory : maximum number of bytes of each search
    with_cuts : False means that branch and cut is not used, unless the order graph is too large
    report : function that is called with the parent sets of each better network
    observe : function that is called with the upper bound after each node of branch and cut, and after each turn
    seed : seed of the random numbers
    start : bound over the candidate table from which both searches start; None means none

    Attributes
    ----------
    choice : int64[n], the parent sets of the best network so far
    n_expanded : number of nodes of the order graph that were expanded
    """

    def __init__(
        self,
        component: Component,
        choice: NDArray[np.int64],
        budget: Budget,
        *,
        memory: int = 1 << 30,
        with_cuts: bool = True,
        report: Callable[[NDArray[np.int64]], None] = lambda choice: None,
        observe: Callable[[float], None] = lambda bound: None,
        seed: int = 0,
        start: ClusterBound | None = None,
    ) -> None:
        self._component, self._budget, self._observe = component, budget, observe
        self._turn = budget
        self._order: OrderSearch | None = None
        self._cuts: BranchAndCut | None = None
        if component.size <= MAX_VARIABLES:
            self._order = OrderSearch(component, choice, memory=memory, start=start)
        if with_cuts or self._order is None:
            self._cuts = BranchAndCut(
                component,
                choice,
                memory=memory,
                halted=self._is_halted,
                report=report,
                observe=lambda bound: observe(self.bound),
                seed=seed,
                start=start,
            )
        self._report = report
        self.choice = choice

    @property
    def bound(self) -> float:
        """Upper bound on the score of all networks of the component."""
        order = self._component.relaxed_score if self._order is None else self._order.bound
        return order if self._cuts is None or not self._cuts.nodes else min(order, self._cuts.bound)

    @property
    def n_expanded(self) -> int:
        """Number of nodes of the order graph that were expanded."""
        return 0 if self._order is None else self._order.graph.n_expanded

    def _is_halted(self) -> bool:
        """Return True if the turn of branch and cut is over."""
        return self._turn.is_spent()

    def make_proof(self) -> Proof | None:
        """Return the proof of branch and cut; None if it was not used."""
        return self._cuts.make_proof() if self._cuts is not None and self._cuts.nodes else None

    def solve(self) -> bool:
        """Search until the best network is proven, and return True; False at the end of the budget or of the memory."""
        seconds = min(FIRST_TURN, MAX_FIRST_SHARE * self._budget.seconds)
        while not self._budget.is_spent():
            if self._order is not None and self._search_order(seconds):
                return True
            if self._cuts is not None and self._search_cuts(seconds):
                return True
            if self._cuts is None and self._order is not None and self._order.graph.is_full:
                return False
            seconds *= 2
        return False

    def _search_order(self, seconds: float) -> bool:
        """Search over the order graph for some seconds; return True if the best network is proven."""
        assert self._order is not None
        graph = self._order.graph
        graph.take_network(self.choice)
        if graph.is_full:
            return False
        is_alone = self._cuts is None
        is_proven = self._order.search(self._budget.part() if is_alone else self._budget.part(seconds))
        if self._order.expected_seconds <= seconds and not (is_proven or is_alone):  # the end is near
            is_proven = self._order.search(self._budget.part(seconds))
        if graph.choice is not self.choice:
            self.choice = graph.choice
            self._report(self.choice)
            if self._cuts is not None:
                self._cuts.offer(self.choice)
        self._observe(self.bound)
        return is_proven

    def _search_cuts(self, seconds: float) -> bool:
        """Search by branch and cut for some seconds; return True if the best network is proven."""
        assert self._cuts is not None
        is_alone = self._order is None or self._order.graph.is_full
        self._turn = self._budget.part() if is_alone else self._budget.part(seconds)
        proof = self._cuts.solve()
        self.choice = proof.choice
        return proof.is_complete
