"""The individuals of MIIGA: an ordering, the connections along it, and a binding parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.graph_stacks import Floats, Graphs, Ints, Orders


@dataclass(frozen=True, eq=False)
class Individuals:
    """
    A population of MIIGA in arrays (Dai et al. 2020, section 3.1).

    Attributes
    ----------
    orders : int64[individual, position]   orderings
    graphs : bool[individual, child, parent]   every parent precedes the child in the ordering
    alpha : float64[individual]   binding parameters
    local : float64[individual, variable]   local scores
    penalty : float64[individual, variable]   penalties of the local scores, dpS in Eq. 12
    """

    orders: Orders
    graphs: Graphs
    alpha: Floats
    local: Floats
    penalty: Floats

    @classmethod
    def scored(cls, orders: Orders, graphs: Graphs, alpha: Floats, family_scores: FamilyScores) -> Individuals:
        """Return individuals with the local scores and penalties of their graphs."""
        return cls(orders, graphs, alpha, *family_scores.score_graphs(graphs))

    @classmethod
    def concatenated(cls, *groups: Individuals) -> Individuals:
        """Return the individuals of several groups, in their order."""
        return cls(
            np.concatenate([group.orders for group in groups]),
            np.concatenate([group.graphs for group in groups]),
            np.concatenate([group.alpha for group in groups]),
            np.concatenate([group.local for group in groups]),
            np.concatenate([group.penalty for group in groups]),
        )

    def __len__(self) -> int:
        return len(self.alpha)

    @property
    def scores(self) -> Floats:
        """The score of each individual."""
        scores: Floats = self.local.sum(axis=1)
        return scores

    @property
    def fit(self) -> Floats:
        """The maximised log-likelihoods of the families, llS in Eq. 12, [individual, variable]."""
        return self.local + self.penalty

    @property
    def total_penalty(self) -> Floats:
        """The penalty of each individual, the sum of dpS over its families."""
        totals: Floats = self.penalty.sum(axis=1)
        return totals

    def take(self, chosen: Ints | NDArray[np.bool_]) -> Individuals:
        """Return the chosen individuals, given by indices or by a mask."""
        return Individuals(
            self.orders[chosen], self.graphs[chosen], self.alpha[chosen], self.local[chosen], self.penalty[chosen]
        )
