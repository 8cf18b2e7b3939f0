"""Information-driven mutation: an edge added, deleted or reversed, promising ones more likely (section 3.2.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.families import Families
from bnsearch.genetic.graphs import Generator, Graphs, Numbers, Orders, Reals, favour, favoured_ranks, of_rank, precedes
from bnsearch.genetic.space import Space

Edges = tuple[Numbers, Numbers, Numbers]  # graph, child, parent


def mutate(
    orders: Orders,
    graphs: Graphs,
    information: Reals,
    space: Space,
    families: Families,
    rng: Generator,
    within: Graphs | None = None,
) -> tuple[Orders, Graphs]:
    """
    Return the graphs with one edge each added, deleted or reversed, as a die decides, where there is one.

    information : of pairs of variables
    space : of legal graphs
    within : bool[number, n, n], symmetric: the pairs between which an edge may be added or reversed; None means all
    """
    orders, graphs = orders.copy(), graphs.copy()
    kind = rng.integers(3, size=len(graphs))
    adding, deleting, reversing = kind == 0, kind == 1, kind == 2
    to_add, to_reverse = (None if within is None else within[some] for some in (adding, reversing))
    graphs[adding] = add_edges(orders[adding], graphs[adding], information, space, rng, to_add)
    graphs[deleting] = delete_edges(graphs[deleting], space, families, rng)
    orders[reversing], graphs[reversing] = reverse_edges(
        orders[reversing], graphs[reversing], space, families, rng, to_reverse
    )
    return orders, graphs


def add_edges(
    orders: Orders, graphs: Graphs, information: Reals, space: Space, rng: Generator, within: Graphs | None = None
) -> Graphs:
    """Return each graph with one edge more along its ordering, those of much information most likely."""
    number, n, _ = graphs.shape
    free = confined(space.addable(precedes(orders) & ~graphs & space.room(graphs)[:, :, None]), within)
    free = free.reshape(number, n * n)
    pairs = np.argsort(-information, axis=None, kind="stable")
    place = of_rank(free, pairs, favoured_ranks(free.sum(axis=1), rng))
    grown = graphs.copy()
    mutant = np.flatnonzero(place >= 0)
    grown[mutant, place[mutant] // n, place[mutant] % n] = True
    return grown


def delete_edges(graphs: Graphs, space: Space, families: Families, rng: Generator) -> Graphs:
    """Return each graph with one edge less, those whose loss scores best most likely."""
    edges = edges_of(space.deletable(graphs))
    graph, child, parent = chosen(edges, change(graphs, edges, families), len(graphs), rng)
    shrunk = graphs.copy()
    shrunk[graph, child, parent] = False
    return shrunk


def reverse_edges(
    orders: Orders, graphs: Graphs, space: Space, families: Families, rng: Generator, within: Graphs | None = None
) -> tuple[Orders, Graphs]:
    """Return each graph with one edge reversed, those whose reversal scores best most likely; orderings follow."""
    from bnsearch.genetic.kernels_graphs import find_reversible, put_before

    reversible = np.empty_like(graphs)
    find_reversible(graphs, orders, reversible)
    turnable = confined(space.reversible(reversible) & space.room(graphs)[:, None, :], within)
    edges = graph, child, parent = edges_of(turnable)
    gain = change(graphs, edges, families) + change(graphs, (graph, parent, child), families)
    graph, child, parent = chosen(edges, gain, len(graphs), rng)
    moved, turned = orders[graph], graphs.copy()
    put_before(graphs[graph], moved, child, parent)
    orders = orders.copy()
    orders[graph] = moved
    turned[graph, child, parent] = False
    turned[graph, parent, child] = True
    return orders, turned


def confined(edges: Graphs, within: Graphs | None) -> Graphs:
    """Return the edges between pairs of a search space; None means all."""
    return edges if within is None else edges & within


def change(graphs: Graphs, edges: Edges, families: Families) -> Reals:
    """Return what the child's score changes by if an edge that is there goes, or one that is not comes."""
    graph, child, parent = edges
    before = graphs[graph, child]
    after: NDArray[np.bool_] = before.copy()
    after[np.arange(len(child)), parent] ^= True
    return families.scores(child, after) - families.scores(child, before)


def edges_of(graphs: Graphs) -> Edges:
    """Return the edges of all graphs."""
    graph, child, parent = np.nonzero(graphs)
    return graph.astype(np.int64, copy=False), child.astype(np.int64, copy=False), parent.astype(np.int64, copy=False)


def chosen(edges: Edges, merit: Reals, number: int, rng: Generator) -> Edges:
    """Return one edge of each graph that has any, better ones more likely."""
    index = favour(edges[0], merit, number, rng)
    index = index[index >= 0]
    return edges[0][index], edges[1][index], edges[2][index]
