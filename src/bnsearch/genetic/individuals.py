"""The individuals of MIIGA: an ordering, the connections along it, and a binding parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.families import Families
from bnsearch.genetic.graphs import Generator, Graphs, Numbers, Orders, Reals, precedes
from bnsearch.genetic.information import related, strongest_partners
from bnsearch.genetic.space import Space, topological_orders


@dataclass(frozen=True, eq=False)
class Individuals:
    """
    A population in arrays.

    Attributes
    ----------
    orders : int64[number, n]   orderings
    graphs : bool[number, n, n]   [child, parent]; every parent stands before the child in the ordering
    alpha : float64[number]   the binding parameters
    local, penalty : float64[number, n]   the families' scores, and what of them is penalty (Eq. 12)
    """

    orders: Orders
    graphs: Graphs
    alpha: Reals
    local: Reals
    penalty: Reals

    @classmethod
    def priced(cls, orders: Orders, graphs: Graphs, alpha: Reals, families: Families) -> Individuals:
        """Make individuals, asking for the parts of their scores."""
        return cls(orders, graphs, alpha, *families.parts(graphs))

    def __len__(self) -> int:
        return len(self.alpha)

    @property
    def scores(self) -> Reals:
        """The score of each."""
        scores: Reals = self.local.sum(axis=1)
        return scores

    @property
    def fit(self) -> Reals:
        """The families' maximised log-likelihoods."""
        return self.local + self.penalty

    def take(self, chosen: Numbers | NDArray[np.bool_]) -> Individuals:
        """Return some of them."""
        return Individuals(
            self.orders[chosen], self.graphs[chosen], self.alpha[chosen], self.local[chosen], self.penalty[chosen]
        )

    def joined(self, others: Individuals) -> Individuals:
        """Return these and others."""
        return Individuals.concatenated([self, others])

    @classmethod
    def concatenated(cls, groups: Sequence[Individuals]) -> Individuals:
        """Return the individuals of several groups, in their order."""
        return cls(
            np.concatenate([group.orders for group in groups]),
            np.concatenate([group.graphs for group in groups]),
            np.concatenate([group.alpha for group in groups]),
            np.concatenate([group.local for group in groups]),
            np.concatenate([group.penalty for group in groups]),
        )


def informed_orders(information: Reals, number: int, rng: Generator) -> Orders:
    """
    Return orderings from the maximum mutual information of each variable (section 3.2.1).

    The edges between each variable and its strongest partner are directed at random; a random ordering that agrees
    with all of them is drawn.
    """
    n = len(information)
    forest = np.stack([strongest_partners(information, rng) for _ in range(number)])
    upper = np.triu(rng.random((number, n, n)) < 0.5, 1)
    after = np.where(np.tri(n, dtype=bool).T, upper, ~upper.transpose(0, 2, 1)) & forest  # [child, parent]
    return topological_orders(after, rng.random((number, n)))


def informed_graphs(orders: Orders, alpha: Reals, information: Reals, space: Space) -> Graphs:
    """Return the graphs of all pairs that Eq. 4 relates, along the orderings; with the strongest parents only."""
    return space.legal(related(information, alpha) & precedes(orders), information)
