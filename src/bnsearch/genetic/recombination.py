"""Recombination of two individuals in MIIGA: by priority (Dai et al. 2020, section 3.2.2), or conventional."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.encoding import cross_both
from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.graph_stacks import Generator
from bnsearch.genetic.individuals import Individuals
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.scores.score import tie_margins


def recombine_by_priority(old: Individuals, former: Individuals) -> tuple[Individuals, NDArray[np.bool_]]:
    """
    Replace parent sets of the old individuals by those of the former ones that fit better (Algorithm 1).

    Return the new individuals, and a mask of those whose log-likelihood exceeds that of both the old and the former
    individual. All others are the old individuals, unchanged.
    """
    from bnsearch.genetic.kernels_recombination import recombine

    gains = former.fit - old.fit  # Eq. 15, line 1
    orders = old.orders.copy()
    taken = np.empty(gains.shape, dtype=bool)
    margin = tie_margins(old.fit.sum(axis=1))
    recombine(orders, former.graphs, gains, np.argsort(-gains, axis=1, kind="stable"), taken, margin)  # lines 2-18
    # The log-likelihood of a former individual is that of the old one plus the sum of all gains.
    required_gain = np.maximum(0.0, gains.sum(axis=1)) + margin
    is_better = np.where(taken, gains, 0.0).sum(axis=1) > required_gain  # lines 19-23
    taken &= is_better[:, None]
    new = Individuals(
        np.where(is_better[:, None], orders, old.orders),
        np.where(taken[:, :, None], former.graphs, old.graphs),
        old.alpha,
        np.where(taken, former.local, old.local),
        np.where(taken, former.penalty, old.penalty),
    )
    return new, is_better


def recombine_conventionally(
    old: Individuals, former: Individuals, space: SearchSpace, family_scores: FamilyScores, rng: Generator
) -> Individuals:
    """Return legal offspring of one-point crossovers: one random cut of the ordering, one of the connections."""
    orders, graphs = cross_both((old.orders, old.graphs), (former.orders, former.graphs), rng)
    return Individuals.scored(orders, space.legalise(graphs, rng), old.alpha, family_scores)
