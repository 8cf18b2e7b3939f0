"""CGA: the genetic algorithm over adjacency matrices, with repair."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.genetic.families import Families, Halted
from bnsearch.genetic.first_population import random_population
from bnsearch.genetic.graphs import (
    Generator,
    Graphs,
    fittest,
    generations,
    ranked,
)
from bnsearch.genetic.space import Space
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class CGA:
    """
    Conventional genetic algorithm: adjacency matrices as strings of bits, made acyclic again after each change.

    Parameters
    ----------
    population : individuals
    generations : how many at most
    crossover : the probability that a pair is crossed
    mutation : the probability that an offspring is mutated
    max_parents : parents of a variable at most

    References
    ----------
    Larranaga, Poza, Yurramendi, Murga & Kuijpers (1996). Structure learning of Bayesian networks by genetic algorithms:
    a performance analysis of control parameters.
    Dai et al. (2020), section 4.2, for the rates; see `MIIGA`.

    Notes
    -----
    The case without an assumed ordering of the variables. Fixed here: a generation has as many offspring as the
    population has members, and the best of both stay; the string is cut at one point; mutation flips one bit, since a
    rate of 0.1 for each bit would leave nothing of a parent; the first graphs are random, with about as many edges as
    variables; surplus parents are dropped at random. Repair takes away random edges of cycles. One iteration is one
    generation; the first population is found at iteration 0.
    """

    name: ClassVar[str] = "cga"
    population: int = 100
    generations: int = 500
    crossover: float = 0.5
    mutation: float = 0.1
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
            _, graphs, scores = random_population(self.population, space, families, rng)
            for _ in generations(self.generations, run):
                mothers, fathers = ranked(scores, 2 * self.population, rng).reshape(2, -1)
                children = cut_strings(graphs[mothers], graphs[fathers], self.crossover, rng)
                children = space.repaired(flip_bits(children, self.mutation, rng), rng)
                everyone = np.concatenate([children, graphs])
                every_score = np.concatenate([families.offered(children), scores])
                best = fittest(every_score, self.population)
                graphs, scores = everyone[best], every_score[best]


def cut_strings(first: Graphs, second: Graphs, rate: float, rng: Generator) -> Graphs:
    """Return offspring of pairs: the first one's bits up to a cut and then the second's, or the first alone."""
    number, n, _ = first.shape
    cut = np.where(rng.random(number) < rate, rng.integers(n * n + 1, size=number), n * n)
    place = np.arange(n * n).reshape(n, n).T  # the string lists a variable's children, then the next one's (Eq. 6)
    return np.where(place < cut[:, None, None], first, second)


def flip_bits(graphs: Graphs, rate: float, rng: Generator) -> Graphs:
    """Return the graphs, some of them with one random bit flipped."""
    number, n, _ = graphs.shape
    flipped = graphs.copy()
    mutant = np.flatnonzero(rng.random(number) < rate)
    child, parent = rng.integers(n, size=(2, len(mutant)))
    flipped[mutant, child, parent] ^= True
    return flipped
