"""Branching on the order of two variables, and the choice of the pair by trial."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.node_bounds import NodeBounds, NodeState

MAX_TRIALS = 8  # pairs that are tried at a node
MAX_WORSE = 4  # trials end after this many pairs that are worse than the best
TRIAL_ITERATIONS = 50  # iterations of the solver in a trial
INTEGRAL = 1e-6  # weights closer to 0 or 1 are integral


@dataclass(eq=False)
class Child:
    """
    A child of a node.

    Attributes
    ----------
    decision : (u, v): u precedes v
    state : its networks
    estimate : estimated bound
    """

    decision: tuple[int, int]
    state: NodeState
    estimate: float


def branch(bounds: NodeBounds, state: NodeState) -> list[Child]:
    """
    Return the two children of a node: u precedes v, and v precedes u. Closed children are included.

    If there are no children, the best parent sets of the node that are left form a network without cycles.

    Both children exclude parent sets. The order is transitive, so each precedence has more consequences than the last.
    The pair is chosen by strong branching: some iterations of the linear program of each child.
    """
    pairs = _rank_pairs(bounds.support.weights, state) or _find_pair(bounds, state)
    basis = bounds.program.get_basis()
    best: list[Child] = []
    best_gain, worse = -1.0, 0
    for u, v in pairs[:MAX_TRIALS]:
        children = [_try_child(bounds, state, decision, basis) for decision in ((u, v), (v, u))]
        gain = _measure_gain(bounds, state, children)
        worse += 1
        if gain > best_gain:
            best, best_gain, worse = children, gain, 0
        if worse == MAX_WORSE or all(child.state.is_closed for child in best) or bounds.halted():
            break
    bounds.program.set_basis(basis)
    return best


def _rank_pairs(weights: NDArray[np.float64], state: NodeState) -> list[tuple[int, int]]:
    """Return pairs of variables whose order is open, the most promising first."""
    smaller, larger = np.minimum(weights, weights.T), np.maximum(weights, weights.T)
    promise = smaller + 0.1 * np.minimum(larger, 1 - larger)
    promise[(promise < INTEGRAL) & (larger > INTEGRAL)] = INTEGRAL  # an integral solution: any pair of an edge
    promise = np.where(np.triu(~(state.before | state.before.T), 1), promise, 0.0)
    pairs = np.argsort(-promise, axis=None, kind="stable")[:MAX_TRIALS]
    pairs = pairs[promise.reshape(-1)[pairs] > 0]
    return [(int(p) // len(weights), int(p) % len(weights)) for p in pairs]


def _find_pair(bounds: NodeBounds, state: NodeState) -> list[tuple[int, int]]:
    """Return a pair whose order is open: a variable and a member of its best parent set; an empty list without one."""
    component = bounds.component
    for v, row in enumerate(find_best_rows(bounds, state)):
        for u in component.members[component.first[row] : component.first[row + 1]].tolist():
            if not state.before[u, v]:
                return [(u, v)]
    return []


def find_best_rows(bounds: NodeBounds, state: NodeState) -> NDArray[np.int64]:
    """Return int64[n], the best parent set of each variable that is left."""
    begin = bounds.component.begin
    return np.array([begin[v] + np.argmax(state.alive[begin[v] : begin[v + 1]]) for v in range(len(begin) - 1)])


def _try_child(bounds: NodeBounds, state: NodeState, decision: tuple[int, int], basis: object) -> Child:
    """Return a child with an estimate of its bound from a few iterations of its linear program."""
    from bnsearch.exact.kernels_precedence import add_precedence, propagate_precedence

    own = NodeState(state.before.copy(), state.alive.copy(), state.bound)
    child = Child(decision, own, state.bound)
    table = bounds.component.arrays
    if not add_precedence(own.before, *decision) or not propagate_precedence(table, own.before, own.alive):
        own.is_closed = True
        return child
    bounds.program.allow(own.alive)
    bounds.program.set_basis(basis)
    bounds.program.solve(TRIAL_ITERATIONS)
    child.estimate = min(child.estimate, bounds.program.objective)
    return child


def _measure_gain(bounds: NodeBounds, state: NodeState, children: list[Child]) -> float:
    """Return the product of the decreases of the bound in both children, each at most the gap."""
    gap = state.bound - bounds.target
    gains = (gap if child.state.is_closed else min(gap, state.bound - child.estimate) for child in children)
    return float(np.prod([max(gain, 1e-6 * gap) for gain in gains]))
