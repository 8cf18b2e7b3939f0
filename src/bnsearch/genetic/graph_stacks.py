"""Stacks of graphs and orderings: arrays with one graph or ordering for each individual of a population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Graphs = NDArray[np.bool_]  # [individual, child, parent]
Orders = NDArray[np.int64]  # [individual, position]: the variable at that position
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Generator = np.random.Generator


def draw_orders(number: int, n: int, rng: Generator) -> Orders:
    """Return random orderings of n variables."""
    return rng.permuted(np.tile(np.arange(n), (number, 1)), axis=1)


def find_positions(orders: Orders) -> Orders:
    """Return the position of each variable in each ordering, [individual, variable]."""
    return np.argsort(orders, axis=1)


def find_predecessors(orders: Orders) -> Graphs:
    """Return, for each ordering, [child, parent]: True if the parent precedes the child."""
    position = find_positions(orders)
    return position[:, None, :] < position[:, :, None]


def find_topological_orders(graphs: Graphs, priority: Floats | Ints) -> Orders:
    """
    Return, for each acyclic graph, an ordering with parents before children.

    priority : [individual, variable]; the variable with the highest one, among those whose parents are placed, is next
    """
    from bnsearch.genetic.kernels_graphs import order_topologically

    orders = np.empty(priority.shape, dtype=np.int64)
    order_topologically(np.ascontiguousarray(graphs), priority.astype(np.float64), orders)
    return orders


def drop_surplus_parents(
    graphs: Graphs, max_parents: Ints, merit: Floats | Generator, kept: NDArray[np.bool_] | None = None
) -> Graphs:
    """
    Return the graphs in which variables with too many parents keep only the best ones.

    Parameters
    ----------
    graphs : the graphs, which are not changed
    max_parents : int64[n], the maximum number of parents of each variable
    merit : float64, of the shape of the graphs or [child, parent]; a generator draws it
    kept : bool[child, parent], edges that always stay
    """
    too_many = np.nonzero(graphs.sum(axis=2) > max_parents)
    if not len(too_many[0]):
        return graphs
    rows = graphs[too_many]
    if isinstance(merit, Generator):
        merits = merit.random(rows.shape)
    else:
        merits = np.broadcast_to(merit, graphs.shape)[too_many]
    if kept is not None:
        merits = np.where(kept[too_many[1]], np.inf, merits)
    best = np.argsort(-np.where(rows, merits, -np.inf), axis=1, kind="stable")
    np.put_along_axis(rows, best, np.arange(graphs.shape[2]) < max_parents[too_many[1], None], axis=1)
    fewer = graphs.copy()
    fewer[too_many] = rows
    return fewer
