"""The outcome of branch and cut: the best network, an upper bound, and the data from which both can be checked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component
from bnsearch.exact.cuts import CutPool


@dataclass(frozen=True, eq=False)
class Step:
    """
    Multipliers of some cuts, which bound the score of a node and drop parent sets.

    Attributes
    ----------
    cuts : int64[k], numbers of the cuts
    multipliers : float64[k], positive
    """

    cuts: NDArray[np.int64]
    multipliers: NDArray[np.float64]


@dataclass(eq=False)
class ProofNode:
    """
    A node of the search tree.

    Attributes
    ----------
    parent : number of its parent node; -1 for the root
    decision : (u, v) if the node has the networks of its parent in which u precedes v; None for the root
    steps : applied one after the other to the parent sets that are left in the parent node. A step drops a parent set
        if all networks with it score at most as much as the incumbent. After the decision, and after each step, the
        consequences of the precedences are drawn (`propagate_precedence`)
    bound : upper bound of the node's networks; the target if the node is closed
    is_open : True if the node was not finished: its networks may score up to `bound`
    """

    parent: int
    decision: tuple[int, int] | None
    steps: list[Step] = field(default_factory=list)
    bound: float = float("inf")
    is_open: bool = True


@dataclass(frozen=True, eq=False)
class Proof:
    """
    The best network of a component and an upper bound.

    Attributes
    ----------
    component : variables and parent sets
    choice : int64[n], the parent set of each variable in the best network
    score : score of this network
    bound : upper bound of the score of all networks of the component
    nodes : the search tree
    pool : the cuts that the steps refer to
    n_processed : number of nodes that were processed
    n_sets_left : number of parent sets that the root node did not exclude
    """

    component: Component
    choice: NDArray[np.int64]
    score: float
    bound: float
    nodes: list[ProofNode]
    pool: CutPool
    n_processed: int
    n_sets_left: int

    @property
    def is_complete(self) -> bool:
        """Whether no network scores higher."""
        return self.bound <= self.score
