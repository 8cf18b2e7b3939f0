"""Search over the order graph: the best network of a component, found by sets of variables and an upper bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component
from bnsearch.exact.cuts import CutPool
from bnsearch.exact.order_bound import OrderBound
from bnsearch.exact.proof import Step
from bnsearch.scores.score import tie_margin

MAX_VARIABLES = 64  # the variables of a node are bits of one word
FIRST_NODES = 1 << 12  # number of nodes for which there is space at first
SLOTS_PER_CALL = 1 << 22  # slots that are allocated between two checks of the deadline, in up to 0.05 s
MOVED_PER_CALL = 1 << 18  # the same for nodes that are moved to a larger hash table
NODES_PER_CALL = 1_000  # maximum number of nodes that are expanded between two checks of the deadline
WORDS_PER_CALL = 1 << 23  # they are fewer if they would read more words of the table, so that a call takes up to 0.05 s
NODE_BYTES = 34 + 4 * 4  # memory of a node and of up to four slots


class OrderGraph:
    """
    Search for a network of a component that is better than the incumbent, or a proof that there is none.

    A node is a set of variables, which come first in an ordering. Its score is that of the best network of these
    variables. Its bound is the score plus a potential for the other variables, which follows from the multipliers of
    cuts (`order_bound.py`). Nodes are expanded in the order of their sizes. Only nodes with a bound above the incumbent
    are kept, so a good bound leaves a small part of all 2^n sets.

    Parameters
    ----------
    component : variables and parent sets, of at most 64 variables
    choice : int64[n], the parent sets of a network, the first incumbent
    memory : maximum number of bytes

    Attributes
    ----------
    choice : int64[n], the parent sets of the incumbent
    target : its score
    is_proven : True if no network is better than the incumbent
    is_full : True if the memory is used up

    References
    ----------
    Yuan & Malone (2013), Learning optimal Bayesian networks: a shortest path perspective: the order graph, and
    admissible heuristics from groups of variables.
    Karan & Zola (2016), Exact structure learning of Bayesian networks by optimal path extension: variables whose best
    parent set is inside a node join it at once.
    """

    def __init__(self, component: Component, choice: NDArray[np.int64], *, memory: int = 1 << 30) -> None:
        self.component, self.choice = component, choice
        self.target = math.fsum(component.scores[choice])
        self.is_proven = self.is_full = False
        self._max_nodes = memory // NODE_BYTES
        self._state = np.zeros(4, dtype=np.int64)
        self._heads = np.full(component.size + 1, -1, dtype=np.int32)
        self._bound: OrderBound | None = None
        self._frontier_bound: float | None = None  # the bound of all open nodes; None if they have changed since
        self._nodes: tuple[NDArray[Any], ...] = make_nodes(FIRST_NODES)
        self._slots = np.full(2 * FIRST_NODES, -1, dtype=np.int32)

    @property
    def n_expanded(self) -> int:
        """Number of nodes that were expanded."""
        from bnsearch.exact.kernels_order_graph import EXPANDED

        return int(self._state[EXPANDED])

    @property
    def n_open(self) -> int:
        """Number of nodes that wait for their expansion."""
        from bnsearch.exact.kernels_order_graph import OPEN

        return int(self._state[OPEN])

    @property
    def n_kept(self) -> int:
        """Number of nodes that were kept so far."""
        from bnsearch.exact.kernels_order_graph import COUNT

        return int(self._state[COUNT])

    @property
    def bound(self) -> float:
        """Upper bound on the score of all networks of the component."""
        from bnsearch.exact.kernels_order_graph import find_frontier_bound

        if self.is_proven:
            return self.target
        if self._frontier_bound is None:
            self._frontier_bound = float(find_frontier_bound(self._nodes, self._heads))
        return max(self.target, self._frontier_bound)

    def take_network(self, choice: NDArray[np.int64]) -> None:
        """Replace the incumbent by a network that is better."""
        score = math.fsum(self.component.scores[choice])
        if score > self.target:
            self.choice, self.target = choice, score

    def use_bound(self, pool: CutPool, step: Step) -> None:
        """Use the multipliers of cuts for the bounds of all nodes from now on; step : the cuts and multipliers."""
        rows = None if self._bound is None else self._bound.rows
        new = OrderBound(self.component, pool, step, self.target + tie_margin(self.target), rows)
        if new.is_closed:
            self.is_proven = True
        elif self._bound is None:
            self._add_root(new.value)
        self._bound, self._frontier_bound = new, None

    def search(self, halted: Callable[[], bool]) -> bool:
        """Search until the best network is found, and return True; False after a stop, or if the memory is used up."""
        from bnsearch.exact.kernels_order_graph import GROUP, LAYER, expand_nodes

        assert self._bound is not None
        n, self._frontier_bound = self.component.size, None
        n_words = 1 + len(self._bound.rows) // 64 * ((n + GROUP - 1) // GROUP)
        nodes_per_call = max(1, min(NODES_PER_CALL, WORDS_PER_CALL // n_words))
        while not self.is_proven and self._state[LAYER] < n:
            if halted():
                return False
            least = self.target + tie_margin(self.target)
            planes = np.empty((n + GROUP - 1) // GROUP, dtype=np.uint64)
            scratch = np.empty(n), np.empty(2), planes
            lists = self._nodes, self._slots, self._heads
            bound = self._bound.table, self._bound.arrays
            has_space = expand_nodes(*bound, *lists, self._state, least, nodes_per_call, scratch)
            if not has_space and not self.grow(halted):
                return False
        if not self.is_proven:
            self._read_network()
        self.is_proven = True
        return True

    def grow(self, halted: Callable[[], bool] = lambda: False) -> bool:
        """
        Make space for more nodes, and return True; False after a stop, or if the memory is used up.

        The slots of all nodes are found again, at random places of the memory. For many nodes this takes seconds.
        """
        from bnsearch.exact.kernels_order_graph import fill_slots

        old, count = self._nodes, self.n_kept
        capacity = 2 * len(old[0])
        self.is_full = capacity > self._max_nodes
        if self.is_full:
            return False
        nodes, slots = make_nodes(capacity), np.empty(2 * capacity, dtype=np.int32)
        for start in range(0, len(slots), SLOTS_PER_CALL):
            if halted():
                return False
            slots[start : start + SLOTS_PER_CALL] = -1
        for start in range(0, count, MOVED_PER_CALL):
            if halted():
                return False
            stop = min(start + MOVED_PER_CALL, count)
            for new, array in zip(nodes, old, strict=True):
                new[start:stop] = array[start:stop]
            fill_slots(nodes[0], start, stop, slots)
        self._nodes, self._slots = nodes, slots
        return True

    def _add_root(self, bound: float) -> None:
        """Add the node without variables."""
        from bnsearch.exact.kernels_order_graph import COUNT, OPEN

        for array, value in zip(self._nodes, (0, 0.0, bound, -1, -1, -1), strict=True):
            array[0] = value
        self._heads[0], self._state[COUNT], self._state[OPEN] = 0, 1, 1

    def _read_network(self) -> None:
        """Read the network of the last node if it was reached: it is better than the incumbent."""
        assert self._bound is not None
        keys, scores, _, parents, added, _ = self._nodes
        node = int(self._heads[-1])
        if node < 0 or scores[node] <= self.target:
            return
        choice = self._bound.rows[self._bound.table[0][:-1]]  # the best parent sets
        while parents[node] >= 0:
            choice[added[node]] = self._bound.find_best(int(added[node]), int(keys[parents[node]]))
            node = int(parents[node])
        self.take_network(choice)


def make_nodes(capacity: int) -> tuple[NDArray[Any], ...]:
    """Return arrays for nodes, without content."""
    return (
        np.empty(capacity, dtype=np.uint64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int8),
        np.empty(capacity, dtype=np.int32),
    )
