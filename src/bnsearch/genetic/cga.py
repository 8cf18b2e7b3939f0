"""CGA: the conventional genetic algorithm over adjacency matrices, with repair of cycles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.genetic.graph_stacks import Generator, Graphs, Orders
from bnsearch.genetic.rank_based import Chromosomes, RankBasedGA
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.runs.method import Needs


@dataclass(frozen=True, kw_only=True)
class CGA(RankBasedGA):
    """
    Conventional genetic algorithm: adjacency matrices as strings of bits, made acyclic again after each change.

    Parameters
    ----------
    population
        Number of individuals.
    generations
        Maximum number of generations.
    crossover : float, default 0.5
        Probability that a pair is crossed.
    mutation : float, default 0.1
        Probability that an offspring is mutated.
    max_parents
        Maximum number of parents of a variable, unless `learn` or the knowledge has another limit.

    References
    ----------
    Larranaga, Poza, Yurramendi, Murga & Kuijpers (1996). Structure learning of Bayesian networks by genetic algorithms:
    a performance analysis of control parameters.
    Dai et al. (2020), section 4.2, for the rates; see `MIIGA`.

    Notes
    -----
    The paper of 1996 has two cases; this is the one without a given ordering of the variables. Choices of this
    implementation:

    - A generation has as many offspring as the population has members, and the best of both survive.
    - The string is cut at one point.
    - Mutation flips one bit, since a rate of 0.1 for each bit would leave nothing of a parent.
    - The first graphs are random, with about as many edges as variables.
    - Surplus parents are dropped at random. Repair removes random edges of cycles.

    One iteration is one generation; the first population is offered at iteration 0.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.CGA(population=10)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -518.37
    """

    name: ClassVar[str] = "cga"
    space: ClassVar[str] = "populations of DAGs"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "baseline of Dai et al. (2020)"
    purpose: ClassVar[str] = "to reproduce published results"
    crossover: float = 0.5
    mutation: float = 0.1

    def encode(self, orders: Orders, graphs: Graphs) -> Chromosomes:
        """Return the graphs alone: the encoding has no ordering."""
        return (graphs,)

    def breed(self, mothers: Chromosomes, fathers: Chromosomes, space: SearchSpace, rng: Generator) -> Chromosomes:
        """Return one offspring of each pair: crossed, mutated and repaired."""
        (first,), (second,) = mothers, fathers
        crossed = cross_strings(first, second, self.crossover, rng)
        return (space.repair(flip_bits(crossed, self.mutation, rng), rng),)


def cross_strings(first: Graphs, second: Graphs, rate: float, rng: Generator) -> Graphs:
    """
    Return one offspring of each pair: the bits of the first graph up to a random cut, then those of the second.

    rate : probability that a pair is crossed; otherwise the offspring is the first graph
    """
    number, n, _ = first.shape
    cut = np.where(rng.random(number) < rate, rng.integers(n * n + 1, size=number), n * n)
    place = np.arange(n * n).reshape(n, n).T  # the string lists the children of each variable in turn (Eq. 6)
    return np.where(place < cut[:, None, None], first, second)


def flip_bits(graphs: Graphs, rate: float, rng: Generator) -> Graphs:
    """Return copies of the graphs; each has one random bit flipped with probability `rate`."""
    number, n, _ = graphs.shape
    flipped = graphs.copy()
    mutant = np.flatnonzero(rng.random(number) < rate)
    child, parent = rng.integers(n, size=(2, len(mutant)))
    flipped[mutant, child, parent] ^= True
    return flipped
