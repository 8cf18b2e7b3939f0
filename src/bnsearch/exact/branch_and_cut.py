"""Branch and cut: the best network of a component with a proof, or with an upper bound when time runs out."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.branching import branch, find_best_rows
from bnsearch.exact.cluster_bound import ClusterBound, restrict_bound
from bnsearch.exact.components import Component
from bnsearch.exact.cuts import CutPool
from bnsearch.exact.node_bounds import NodeBounds, NodeState
from bnsearch.exact.proof import Proof, ProofNode, Step

MAX_CUTS_GROWTH = 2  # cuts that do not bind are removed when the program has this many times the cuts of the root
MIN_CUTS = 200  # and at least this many


@dataclass(eq=False)
class OpenNode:
    """A node that waits for its turn: its number in the proof, its bound, and its arrays as packed bits."""

    number: int
    bound: float
    before: NDArray[np.uint8]
    alive: NDArray[np.uint8]


class BranchAndCut:
    """
    Search for the best network of a component by branch and cut.

    Parameters
    ----------
    component : variables and parent sets
    choice : int64[n], the parent sets of a network, the first incumbent
    memory : maximum number of bytes for cuts and open nodes, half for each
    halted : function that returns True if the search should stop; also called within the solver
    report : function that is called with the parent sets of each better network
    observe : function that is called with the upper bound after each node
    seed : seed of the random numbers
    start : bound over the candidate table whose clusters are cuts from the start; None means none

    Notes
    -----
    Nodes with the highest bounds are processed first. If the open nodes take more than their memory, the newest node is
    processed first, so that their number hardly grows.

    References
    ----------
    Cussens (2011), Bayesian network learning with cutting planes.
    Bartlett & Cussens (2017), Integer linear programming for the Bayesian network structure learning problem.
    """

    def __init__(
        self,
        component: Component,
        choice: NDArray[np.int64],
        *,
        memory: int = 1 << 30,
        halted: Callable[[], bool] = lambda: False,
        report: Callable[[NDArray[np.int64]], None] = lambda choice: None,
        observe: Callable[[float], None] = lambda bound: None,
        seed: int = 0,
        start: ClusterBound | None = None,
    ) -> None:
        self.component, self.choice = component, choice
        self.pool = CutPool(component.size, memory // 2)
        self.bounds = NodeBounds(component, choice, self.pool, halted, seed)
        if start is not None:
            self.bounds.add_cuts(restrict_bound(start, component).list_cuts())
        self.nodes: list[ProofNode] = []
        self.n_processed, self.n_sets_left = 0, component.n_sets
        self._halted, self._report, self._observe = halted, report, observe
        self._open: dict[int, OpenNode] = {}
        self._heap: list[tuple[float, int]] = []
        node_bytes = component.size**2 // 8 + component.n_sets // 8 + 1000
        self._max_open = max(1, memory // 2 // node_bytes)
        self._max_cuts = MIN_CUTS

    @property
    def bound(self) -> float:
        """Upper bound of the score of all networks of the component."""
        return max([self.bounds.target, *(node.bound for node in self._open.values())])

    @property
    def gap(self) -> float:
        """Difference of the upper bound and the score of the incumbent; that of the relaxed bound before the search."""
        bound = self.bound if self.nodes else self.component.relaxed_score
        return bound - self.bounds.target

    def solve(self) -> Proof:
        """Search until the best network is proven or `halted` returns True; a further call continues the search."""
        n, sets = self.component.size, self.component.n_sets
        if not self.nodes:
            state = NodeState(
                np.zeros((n, n), dtype=bool),
                np.ones(sets, dtype=bool),
                self.component.relaxed_score,
                [Step(np.zeros(0, dtype=np.int64), np.zeros(0))],  # proves the bound of the root if no other step does
            )
            self._push(-1, None, state)
        while self._open and not self._halted():
            self._process(self._pop())
            self._observe(self.bound)
        return self.make_proof()

    def make_proof(self) -> Proof:
        """Return the best network so far, its upper bound, and the search tree."""
        return Proof(
            self.component,
            self.choice,
            self.bounds.target,
            self.bound,
            self.nodes,
            self.pool,
            self.n_processed,
            self.n_sets_left,
        )

    def _process(self, node: OpenNode) -> None:
        """Tighten the bound of a node, and replace it by its children if it stays open."""
        record = self.nodes[node.number]
        state = self._unpack(node)
        is_root = node.number == 0
        if not self.bounds.is_closed(state.bound):
            self.bounds.tighten(state, is_root)
            self._offer_rounded()
            self.n_processed += 1
        else:
            state.is_closed = True
        record.steps += state.steps  # after those of an earlier call, if the search was stopped in this node
        record.bound = state.bound
        if is_root:
            self.n_sets_left = int(state.alive.sum())
        if state.is_closed or self.bounds.is_closed(state.bound):
            record.bound, record.is_open = self.bounds.target, False
        elif self._halted():
            self._keep_open(node.number, state)
        else:
            self._drop_from_program(state, is_root)
            self._branch(node.number, state)

    def _branch(self, number: int, state: NodeState) -> None:
        """Replace a node by its children."""
        children = branch(self.bounds, state)
        if not children:  # the order is complete, so the best parent sets form the best network of the node
            self.offer(find_best_rows(self.bounds, state))
            self.bounds.apply_step(state, Step(np.zeros(0, dtype=np.int64), np.zeros(0)))
        self.nodes[number].is_open = False
        for child in children:
            self._push(number, child.decision, child.state)

    def _push(self, parent: int, decision: tuple[int, int] | None, state: NodeState) -> None:
        """Add a node to the proof and, if it is not closed, to the open nodes."""
        number = len(self.nodes)
        bound = self.bounds.target if state.is_closed else state.bound
        self.nodes.append(ProofNode(parent, decision, state.steps, bound, not state.is_closed))
        if not state.is_closed:
            self._keep_open(number, state)

    def _keep_open(self, number: int, state: NodeState) -> None:
        """Add a node to the open nodes."""
        self._open[number] = OpenNode(number, state.bound, np.packbits(state.before), np.packbits(state.alive))
        heapq.heappush(self._heap, (-state.bound, number))

    def _pop(self) -> OpenNode:
        """Remove and return the next node: that with the highest bound, or the newest one if memory is short."""
        if len(self._open) > self._max_open:
            return self._open.popitem()[1]
        while True:
            number = heapq.heappop(self._heap)[1]
            if number in self._open:
                return self._open.pop(number)

    def _unpack(self, node: OpenNode) -> NodeState:
        n, sets = self.component.size, self.component.n_sets
        before = np.unpackbits(node.before, count=n * n).reshape(n, n).astype(bool)
        return NodeState(before, np.unpackbits(node.alive, count=sets).astype(bool), node.bound)

    def _drop_from_program(self, state: NodeState, is_root: bool) -> None:
        """Remove cuts that do not bind from the linear program and, after the root, parent sets that it excludes."""
        program = self.bounds.program
        if is_root:
            program.drop_columns(state.alive)
        if is_root or len(program.cuts) > self._max_cuts:
            program.drop_slack_cuts()
            program.solve()
            self._max_cuts = max(self._max_cuts, MAX_CUTS_GROWTH * len(program.cuts))

    def _offer_rounded(self) -> None:
        """Round the last solution to a network, and keep it if it is better than the incumbent."""
        from bnsearch.exact.kernels_precedence import round_solution

        order, choice = np.empty((2, self.component.size), dtype=np.int64)
        scores = self.component.scores
        round_solution(self.component.arrays, self.bounds.support.arrays, scores, order, choice)
        self.offer(choice)

    def offer(self, choice: NDArray[np.int64]) -> None:
        """Keep the parent sets of a network if it is better than the incumbent."""
        score = math.fsum(self.component.scores[choice])
        if score > self.bounds.target:
            self.choice, self.bounds.target = choice, score
            self._report(choice)
