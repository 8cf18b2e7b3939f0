"""DGA: the dual genetic algorithm over orderings and the connections along them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.genetic.encoding import cross_both, decode_connections, encode_connections
from bnsearch.genetic.graph_stacks import Generator, Graphs, Ints, Orders
from bnsearch.genetic.rank_based import Chromosomes, RankBasedGA
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.runs.method import Needs


@dataclass(frozen=True, kw_only=True)
class DGA(RankBasedGA):
    """
    Dual genetic algorithm: one chromosome for the ordering, another for the connections along it.

    Parameters
    ----------
    population
        Number of individuals.
    generations
        Maximum number of generations.
    crossover : float, default 0.65
        Probability that a pair is crossed.
    mutation : float, default 0.05
        Probability that an offspring is mutated.
    max_parents
        Maximum number of parents of a variable, unless `learn` or the knowledge has another limit.

    References
    ----------
    Lee, Chung & Kim (2008). Structure learning of Bayesian networks using dual genetic algorithm.
    Dai et al. (2020), section 4.2, for the rates; see `MIIGA`.

    Notes
    -----
    A connection joins two positions of the ordering, whatever variables have these positions. Choices of this
    implementation:

    - Selection and survival are those of `CGA`.
    - Both chromosomes are cut at one point. The ordering continues with the missing variables in the order of the
      second parent.
    - Mutation swaps two variables of the ordering and flips one connection.
    - The first graphs are random, with about as many edges as variables. Surplus parents are dropped at random.

    One iteration is one generation; the first population is offered at iteration 0.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.DGA(population=10)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -504.237
    """

    name: ClassVar[str] = "dga"
    space: ClassVar[str] = "populations of DAGs"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "baseline of Dai et al. (2020)"
    purpose: ClassVar[str] = "to reproduce published results"
    crossover: float = 0.65
    mutation: float = 0.05

    def encode(self, orders: Orders, graphs: Graphs) -> Chromosomes:
        """Return the orderings and the graphs; the connections are computed from both when they are needed."""
        return orders, graphs

    def breed(self, mothers: Chromosomes, fathers: Chromosomes, space: SearchSpace, rng: Generator) -> Chromosomes:
        """Return one offspring of each pair: crossed, mutated, and without surplus parents."""
        orders, graphs = self.cross(mothers, fathers, rng)
        orders, graphs = mutate_both(orders, graphs, self.mutation, space, rng)
        return orders, space.legalise(graphs, rng)

    def cross(self, mothers: Chromosomes, fathers: Chromosomes, rng: Generator) -> tuple[Orders, Graphs]:
        """Return one offspring of each pair; that of a pair that is not crossed is its first member."""
        orders, graphs = mothers
        other_orders, other_graphs = fathers
        new_orders, new_graphs = cross_both((orders, graphs), (other_orders, other_graphs), rng)
        uncrossed = rng.random(len(orders)) >= self.crossover
        new_orders[uncrossed], new_graphs[uncrossed] = orders[uncrossed], graphs[uncrossed]
        return new_orders, new_graphs


def mutate_both(
    orders: Orders, graphs: Graphs, rate: float, space: SearchSpace, rng: Generator
) -> tuple[Orders, Graphs]:
    """
    Return orderings and graphs; some have two variables of the ordering swapped and one connection flipped.

    rate : probability that an individual is mutated
    """
    number, n = orders.shape
    mutant = np.flatnonzero(rng.random(number) < rate)
    if n < 2 or not len(mutant):
        return orders, graphs
    connections = encode_connections(graphs[mutant], orders[mutant])
    rows = np.arange(len(mutant))
    a, b = draw_pairs(n, len(mutant), rng)
    connections[rows, np.maximum(a, b), np.minimum(a, b)] ^= True
    a, b = draw_pairs(n, len(mutant), rng)
    orders, graphs = orders.copy(), graphs.copy()
    orders[mutant, a], orders[mutant, b] = orders[mutant, b], orders[mutant, a]
    orders[mutant] = space.legalise_orders(orders[mutant])
    graphs[mutant] = decode_connections(connections, orders[mutant])
    return orders, graphs


def draw_pairs(n: int, number: int, rng: Generator) -> tuple[Ints, Ints]:
    """Return `number` random pairs of two different integers below n."""
    first = rng.integers(n, size=number)
    return first, (first + rng.integers(1, n, size=number)) % n
