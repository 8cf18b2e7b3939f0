"""How MIIGA recombines two individuals: by priority, or conventionally."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.coding import cross
from bnsearch.genetic.families import Families
from bnsearch.genetic.graphs import Generator
from bnsearch.genetic.individuals import Individuals
from bnsearch.genetic.space import Space
from bnsearch.scores.score import tie_margins


def recombine_by_priority(old: Individuals, former: Individuals) -> tuple[Individuals, NDArray[np.bool_]]:
    """
    Take over parent sets of the former individuals that fit better (Algorithm 1).

    Returns the new individuals, and which of them have a higher log-likelihood than both that they are made of; the
    others are as they were.
    """
    from bnsearch.genetic.kernels_recombine import recombine

    gains = former.fit - old.fit  # Eq. 15
    orders = old.orders.copy()
    taken = np.empty(gains.shape, dtype=bool)
    margin = tie_margins(old.fit.sum(axis=1))
    recombine(orders, former.graphs, gains, np.argsort(-gains, axis=1, kind="stable"), taken, margin)
    needed = np.maximum(0.0, gains.sum(axis=1)) + margin
    better = np.where(taken, gains, 0.0).sum(axis=1) > needed  # lines 19-23
    taken &= better[:, None]
    new = Individuals(
        np.where(better[:, None], orders, old.orders),
        np.where(taken[:, :, None], former.graphs, old.graphs),
        old.alpha,
        np.where(taken, former.local, old.local),
        np.where(taken, former.penalty, old.penalty),
    )
    return new, better


def recombine_conventionally(
    old: Individuals, former: Individuals, space: Space, families: Families, rng: Generator
) -> Individuals:
    """Return offspring by a cut of the ordering and of the connections, made legal."""
    orders, graphs = cross((old.orders, old.graphs), (former.orders, former.graphs), rng)
    graphs = space.legal(graphs, rng)
    return Individuals.priced(orders, graphs, old.alpha, families)
