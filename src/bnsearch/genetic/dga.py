"""DGA: the genetic algorithm over orderings and the connections along them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.genetic.coding import connections, cross, graphs_of
from bnsearch.genetic.families import Families, Halted
from bnsearch.genetic.first_population import random_population
from bnsearch.genetic.graphs import (
    Generator,
    Graphs,
    Orders,
    fittest,
    generations,
    ranked,
)
from bnsearch.genetic.space import Space
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class DGA:
    """
    Dual genetic algorithm: a chromosome for the ordering, another for the connections along it.

    Parameters
    ----------
    population : individuals
    generations : how many at most
    crossover : the probability that a pair is crossed
    mutation : the probability that an offspring is mutated
    max_parents : parents of a variable at most

    References
    ----------
    Lee, Chung & Kim (2008). Structure learning of Bayesian networks using dual genetic algorithm.
    Dai et al. (2020), section 4.2, for the rates; see `MIIGA`.

    Notes
    -----
    Connections belong to places of the ordering, not to variables. Fixed here: selection and survival are as in `CGA`;
    both chromosomes are cut at one point, and an ordering goes on with what is missing in the order of the second
    parent; mutation swaps two variables of the ordering and flips one connection; the first graphs are random, with
    about as many edges as variables; surplus parents are dropped at random. One iteration is one generation; the first
    population is found at iteration 0.
    """

    name: ClassVar[str] = "dga"
    population: int = 100
    generations: int = 500
    crossover: float = 0.65
    mutation: float = 0.05
    max_parents: int = 5

    def __post_init__(self) -> None:
        require("population", self.population, at_least=2, whole=True)
        require("generations", self.generations, at_least=1, whole=True)
        require("crossover", self.crossover, at_least=0, at_most=1)
        require("mutation", self.mutation, at_least=0, at_most=1)
        require("max_parents", self.max_parents, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Search for the given number of generations, or until the run is told to stop."""
        families, space, rng = Families(problem, run), Space.of(problem, self.max_parents), run.rng
        with suppress(Halted):
            orders, graphs, scores = random_population(self.population, space, families, rng)
            for _ in generations(self.generations, run):
                mothers, fathers = ranked(scores, 2 * self.population, rng).reshape(2, -1)
                new_orders, children = self.crossed(
                    orders[mothers], graphs[mothers], orders[fathers], graphs[fathers], rng
                )
                new_orders, children = mutate_both(new_orders, children, self.mutation, space, rng)
                children = space.legal(children, rng)
                every_score = np.concatenate([families.offered(children), scores])
                best = fittest(every_score, self.population)
                orders = np.concatenate([new_orders, orders])[best]
                graphs, scores = np.concatenate([children, graphs])[best], every_score[best]

    def crossed(
        self, orders: Orders, graphs: Graphs, other_orders: Orders, other_graphs: Graphs, rng: Generator
    ) -> tuple[Orders, Graphs]:
        """Return offspring of pairs; of those that are not crossed, the first one."""
        new_orders, new_graphs = cross((orders, graphs), (other_orders, other_graphs), rng)
        untouched = rng.random(len(orders)) >= self.crossover
        new_orders[untouched], new_graphs[untouched] = orders[untouched], graphs[untouched]
        return new_orders, new_graphs


def mutate_both(orders: Orders, graphs: Graphs, rate: float, space: Space, rng: Generator) -> tuple[Orders, Graphs]:
    """Return orderings and graphs, some with two variables swapped and one connection flipped; places keep theirs."""
    number, n = orders.shape
    mutant = np.flatnonzero(rng.random(number) < rate)
    if n < 2 or not len(mutant):
        return orders, graphs
    strings = connections(graphs[mutant], orders[mutant])
    every = np.arange(len(mutant))
    a, b = random_pairs(n, len(mutant), rng)
    strings[every, np.maximum(a, b), np.minimum(a, b)] ^= True
    a, b = random_pairs(n, len(mutant), rng)
    orders, graphs = orders.copy(), graphs.copy()
    orders[mutant, a], orders[mutant, b] = orders[mutant, b], orders[mutant, a]
    orders[mutant] = space.ordered(orders[mutant])
    graphs[mutant] = graphs_of(strings, orders[mutant])
    return orders, graphs


def random_pairs(n: int, number: int, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of different numbers below n."""
    first = rng.integers(n, size=number)
    return first, (first + rng.integers(1, n, size=number)) % n
