"""The first population of a genetic algorithm, drawn in batches between which the deadline is checked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.graph_stacks import (
    Floats,
    Generator,
    Graphs,
    Orders,
    draw_orders,
    find_predecessors,
    find_topological_orders,
)
from bnsearch.genetic.information import find_related_pairs, link_strongest_partners
from bnsearch.genetic.search_space import SearchSpace

BATCH = 1_000  # maximum number of individuals in a batch
BATCH_CELLS = 1 << 24  # maximum number of cells of adjacency matrices in a batch, of 8 bytes each while they are drawn


def split_into_batches(number: int, n: int, family_scores: FamilyScores) -> Iterator[int]:
    """
    Yield the sizes of the batches in which a population of graphs over n variables is drawn.

    Raises `RunHalted` before any batch after the first if the run is halted. The first batch is always drawn, so that
    the run has a network to return.
    """
    size = max(1, min(BATCH, BATCH_CELLS // (n * n)))
    for begin in range(0, number, size):
        if begin:
            family_scores.raise_if_halted()
        yield min(size, number - begin)


def draw_population(
    number: int, space: SearchSpace, family_scores: FamilyScores, rng: Generator
) -> tuple[Orders, Graphs, Floats]:
    """Return random orderings, a random graph along each, and their scores; offer the best graph of each batch."""
    n = len(space.max_parents)
    orders, graphs, scores = [], [], []
    for size in split_into_batches(number, n, family_scores):
        orders.append(space.legalise_orders(draw_orders(size, n, rng)))
        graphs.append(space.draw_graphs(orders[-1], rng))
        scores.append(family_scores.score_and_offer(graphs[-1]))
    return np.concatenate(orders), np.concatenate(graphs), np.concatenate(scores)


def draw_informed_orders(information: Floats, number: int, rng: Generator) -> Orders:
    """
    Return orderings from the maximum mutual information of each variable (Dai et al. 2020, section 3.2.1).

    The edges between each variable and its strongest partner are directed at random. An ordering is random, but places
    the parents of these edges before their children.
    """
    n = len(information)
    forest = np.stack([link_strongest_partners(information, rng) for _ in range(number)])
    upper = np.triu(rng.random((number, n, n)) < 0.5, 1)
    # Below the diagonal, the opposite entry decides: each edge has exactly one direction. Entries are [child, parent].
    directed = np.where(np.tri(n, dtype=bool).T, upper, ~upper.transpose(0, 2, 1)) & forest
    return find_topological_orders(directed, rng.random((number, n)))


def connect_related_pairs(orders: Orders, alpha: Floats, information: Floats, space: SearchSpace) -> Graphs:
    """
    Return the graph along each ordering that joins all pairs related by Eq. 4.

    If a variable would have too many parents, only those with the most information are kept.
    """
    return space.legalise(find_related_pairs(information, alpha) & find_predecessors(orders), information)
