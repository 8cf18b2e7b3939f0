"""Branching on the order of two variables, and the choice of the pair by trial."""

from __future__ import annotations

from collections.abc import Iterator
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

    Both children exclude parent sets, and the consequences grow with the number of precedences: the order is transitive.
    The pair is chosen by strong branching: some iterations of the linear program of each child.
    """
    pairs = _rank_pairs(bounds.support.weights, state)
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


def iterate_open(children: list[Child]) -> Iterator[Child]:
    """Yield the children that are not closed."""
    return (child for child in children if not child.state.is_closed)
