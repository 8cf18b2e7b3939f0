"""Compilation or loading of the kernels of upper bounds and of exact search before the clock of a run starts."""

from __future__ import annotations

from functools import cache

import numpy as np

from bnsearch.budgets.budget import Budget
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.branching import branch
from bnsearch.exact.cluster_cuts import find_cluster_cuts
from bnsearch.exact.components import Component
from bnsearch.exact.cuts import Cut, CutPool
from bnsearch.exact.dual_ascent import DualAscent
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.local_cuts import separate_locally
from bnsearch.exact.node_bounds import NodeState
from bnsearch.exact.order_bound import find_maxima
from bnsearch.exact.order_graph import OrderGraph
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.proof import Step
from bnsearch.exact.support import make_support
from bnsearch.parent_sets.table import ParentSets


@cache
def load_bound_kernels() -> None:
    """Compile or load all kernels of the dual ascent, once in a process."""
    table = make_two_cycles()
    PricedAscent(table).improve(Budget(), max_rounds=4)
    cut = find_some_cut() if has_solver() else None
    if cut is not None:
        ascent = DualAscent(table)
        ascent.add_local_cuts([cut])
        ascent.improve(Budget(), max_rounds=4)  # the first round has no clusters, and therefore no steps


def find_some_cut() -> Cut | None:
    """Return a local cut of four variables."""
    size = 4
    return separate_locally(np.full((size, 1 << size), 0.5), np.arange(size))


def make_two_cycles() -> ParentSets:
    """Return a table in which each of four variables has the next one, or the next two, as its best parents."""
    n = 4
    child = np.repeat(np.arange(n, dtype=np.int32), 3)
    sizes = np.tile([0, 1, 2], n)
    members = np.array([(v + i) % n for v in range(n) for i in (1, 1, 2)], dtype=np.int32)
    scores = np.tile([-9.0, -3.0, -1.0], n)
    return ParentSets.build([str(v) for v in range(n)], child, scores, np.cumsum([0, *sizes]), members)


@cache
def load_order_kernels() -> None:
    """Compile or load all kernels of the order graph and of the dual ascent."""
    load_bound_kernels()
    component = make_ring()
    graph = OrderGraph(component, component.begin[1:] - 1)
    cut = find_some_cut() if has_solver() else None
    pool, no_step = CutPool(component.size, 1 << 20), Step(np.zeros(0, dtype=np.int64), np.zeros(0))
    graph.use_bound(pool, no_step)
    graph.grow()
    graph.search(lambda: False)
    if cut is not None:
        find_maxima(cut)


@cache
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
    find_some_cut()


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
