"""Information-driven mutation of MIIGA: an edge is added, deleted or reversed (Dai et al. 2020, section 3.2.4)."""

from __future__ import annotations

import numpy as np

from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.graph_stacks import Floats, Generator, Graphs, Ints, Orders, find_predecessors
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.genetic.selection import draw_by_merit, draw_ranks, find_candidates_of_rank

Edges = tuple[Ints, Ints, Ints]  # graph, child, parent
ADD, DELETE, REVERSE = range(3)


def mutate_by_information(
    orders: Orders,
    graphs: Graphs,
    information: Floats,
    space: SearchSpace,
    family_scores: FamilyScores,
    rng: Generator,
    within: Graphs | None = None,
) -> tuple[Orders, Graphs]:
    """
    Return each ordering and graph after one random mutation: one edge is added, deleted or reversed.

    A graph without an edge for the kind of mutation that was drawn stays as it is.

    Parameters
    ----------
    orders, graphs : the individuals, which are not changed
    information : mutual information of pairs of variables
    space : the legal graphs
    family_scores : local scores
    rng : random numbers
    within : bool[graph, n, n], symmetric, the pairs between which an edge may be added or reversed; None means all
    """
    orders, graphs = orders.copy(), graphs.copy()
    kind = rng.integers(3, size=len(graphs))
    adding, deleting, reversing = kind == ADD, kind == DELETE, kind == REVERSE
    to_add, to_reverse = (None if within is None else within[rows] for rows in (adding, reversing))
    graphs[adding] = add_edges(orders[adding], graphs[adding], information, space, rng, to_add)
    graphs[deleting] = delete_edges(graphs[deleting], space, family_scores, rng)
    orders[reversing], graphs[reversing] = reverse_edges(
        orders[reversing], graphs[reversing], space, family_scores, rng, to_reverse
    )
    return orders, graphs


def add_edges(
    orders: Orders,
    graphs: Graphs,
    information: Floats,
    space: SearchSpace,
    rng: Generator,
    within: Graphs | None = None,
) -> Graphs:
    """Return each graph with one more edge along its ordering; pairs with more information are more likely."""
    number, n, _ = graphs.shape
    absent = find_predecessors(orders) & ~graphs & space.find_room(graphs)[:, :, None]
    candidates = restrict_to(space.find_addable(absent), within).reshape(number, n * n)
    pairs = np.argsort(-information, axis=None, kind="stable")
    edge = find_candidates_of_rank(candidates, pairs, draw_ranks(candidates.sum(axis=1), rng))
    grown = graphs.copy()
    mutant = np.flatnonzero(edge >= 0)
    grown[mutant, edge[mutant] // n, edge[mutant] % n] = True
    return grown


def delete_edges(graphs: Graphs, space: SearchSpace, family_scores: FamilyScores, rng: Generator) -> Graphs:
    """Return each graph without one of its edges; deletions that score higher are more likely."""
    edges = list_edges(space.find_deletable(graphs))
    graph, child, parent = draw_edges(edges, compute_gains(graphs, edges, family_scores), len(graphs), rng)
    shrunk = graphs.copy()
    shrunk[graph, child, parent] = False
    return shrunk


def reverse_edges(
    orders: Orders,
    graphs: Graphs,
    space: SearchSpace,
    family_scores: FamilyScores,
    rng: Generator,
    within: Graphs | None = None,
) -> tuple[Orders, Graphs]:
    """
    Return each ordering and graph after the reversal of one edge; reversals that score higher are more likely.

    The ordering changes so that the new parent precedes its new child.
    """
    from bnsearch.genetic.kernels_graphs import find_reversible, put_before

    acyclic = np.empty_like(graphs)
    find_reversible(graphs, orders, acyclic)
    candidates = restrict_to(space.find_reversible(acyclic) & space.find_room(graphs)[:, None, :], within)
    edges = graph, child, parent = list_edges(candidates)
    deletion_gains = compute_gains(graphs, edges, family_scores)
    gains = deletion_gains + compute_gains(graphs, (graph, parent, child), family_scores)
    graph, child, parent = draw_edges(edges, gains, len(graphs), rng)
    moved, reversed_graphs = orders[graph], graphs.copy()
    put_before(graphs[graph], moved, child, parent)
    orders = orders.copy()
    orders[graph] = moved
    reversed_graphs[graph, child, parent] = False
    reversed_graphs[graph, parent, child] = True
    return orders, reversed_graphs


def restrict_to(edges: Graphs, within: Graphs | None) -> Graphs:
    """Return the edges between the pairs of `within`; None means all."""
    return edges if within is None else edges & within


def compute_gains(graphs: Graphs, edges: Edges, family_scores: FamilyScores) -> Floats:
    """Return the change of each child's local score if the edge is deleted (if present) or added (if absent)."""
    graph, child, parent = edges
    before = graphs[graph, child]
    after = before.copy()
    after[np.arange(len(child)), parent] ^= True
    return family_scores.score_families(child, after) - family_scores.score_families(child, before)


def list_edges(graphs: Graphs) -> Edges:
    """Return the edges of all graphs, graph by graph."""
    graph, child, parent = np.nonzero(graphs)
    return graph.astype(np.int64, copy=False), child.astype(np.int64, copy=False), parent.astype(np.int64, copy=False)


def draw_edges(edges: Edges, merit: Floats, number: int, rng: Generator) -> Edges:
    """Return one edge of each graph that has any; edges of higher merit are more likely."""
    index = draw_by_merit(edges[0], merit, number, rng)
    index = index[index >= 0]
    return edges[0][index], edges[1][index], edges[2][index]
