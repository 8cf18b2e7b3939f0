"""The first population of a genetic algorithm, made in batches that look at the clock."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bnsearch.genetic.families import Families
from bnsearch.genetic.graphs import Generator, Graphs, Orders, Reals, random_orders
from bnsearch.genetic.space import Space

BATCH = 1_000  # members at most
BATCH_CELLS = 1 << 24  # cells of adjacency matrices at most, of 8 bytes each while they are drawn


def batch_sizes(number: int, n: int, families: Families) -> Iterator[int]:
    """
    Yield the sizes of the batches in which a population of graphs over n variables is made.

    Raises `Halted` before any batch but the first if the run is to stop: the first one gives it a network to return.
    """
    size = max(1, min(BATCH, BATCH_CELLS // (n * n)))
    for begin in range(0, number, size):
        if begin:
            families.check_halted()
        yield min(size, number - begin)


def random_population(number: int, space: Space, families: Families, rng: Generator) -> tuple[Orders, Graphs, Reals]:
    """Return random orderings, a random graph along each, and the graphs' scores, the best of which are offered."""
    n = len(space.most)
    orders, graphs, scores = [], [], []
    for size in batch_sizes(number, n, families):
        orders.append(space.ordered(random_orders(size, n, rng)))
        graphs.append(space.random_graphs(orders[-1], rng))
        scores.append(families.offered(graphs[-1]))
    return np.concatenate(orders), np.concatenate(graphs), np.concatenate(scores)
