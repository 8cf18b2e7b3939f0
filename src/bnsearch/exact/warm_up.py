"""Compilation or loading of the kernels of branch and cut before the clock of a run starts."""

from __future__ import annotations

import numpy as np

from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.branching import branch
from bnsearch.exact.cluster_cuts import find_cluster_cuts
from bnsearch.exact.components import Component
from bnsearch.exact.local_cuts import separate_locally
from bnsearch.exact.node_bounds import NodeState
from bnsearch.exact.support import make_support


def load_cut_kernels() -> None:
    """Compile or load all kernels of branch and cut."""
    component = make_ring()
    n, sets = component.size, component.n_sets
    search = BranchAndCut(component, component.begin[1:] - 1)
    search.solve()
    state = NodeState(np.zeros((n, n), dtype=bool), np.ones(sets, dtype=bool), search.bounds.target + 1.0)
    branch(search.bounds, state)
    support = make_support(component, np.arange(sets), np.full(sets, 0.5))
    find_cluster_cuts(support, np.zeros(1, dtype=np.uint64), 1, lambda: False)
    size = 4
    separate_locally(np.full((size, 1 << size), 0.5), np.arange(size))


def make_ring() -> Component:
    """Return a component of three variables, each with the next one as its best parent."""
    return Component(
        variables=np.arange(3),
        begin=np.array([0, 2, 4, 6]),
        scores=np.array([-1.0, -3.0] * 3),
        rows=np.arange(6),
        first=np.array([0, 1, 1, 2, 2, 3, 3]),
        members=np.array([1, 2, 0], dtype=np.int32),
    )
