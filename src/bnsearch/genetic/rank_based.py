"""The base class of CGA and DGA: parents are drawn by rank, and the best of parents and offspring survive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import require
from bnsearch.genetic.family_scores import FamilyScores, RunHalted
from bnsearch.genetic.graph_stacks import Generator, Graphs, Orders
from bnsearch.genetic.initialisation import draw_population
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.genetic.selection import count_generations, draw_by_rank, select_fittest
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

Chromosomes = tuple[NDArray[Any], ...]  # stacks with one row for each individual; the last one holds the graphs


@dataclass(frozen=True, kw_only=True)
class RankBasedGA(ABC):
    """
    A genetic algorithm with selection by rank; subclasses add the encoding and the operators.

    A generation has as many offspring as the population has members, and the best of both survive. The first graphs are
    random, with about as many edges as variables. `CGA` and `DGA` describe the parameters.
    """

    population: int = 100
    generations: int = 500
    crossover: float
    mutation: float
    max_parents: int = 5

    def __post_init__(self) -> None:
        require("population", self.population, at_least=2, whole=True)
        require("generations", self.generations, at_least=1, whole=True)
        require("crossover", self.crossover, at_least=0, at_most=1)
        require("mutation", self.mutation, at_least=0, at_most=1)
        require("max_parents", self.max_parents, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Search for the given number of generations, or until the run stops."""
        family_scores, space, rng = FamilyScores(problem, run), SearchSpace.of(problem, self.max_parents), run.rng
        with suppress(RunHalted):
            orders, graphs, scores = draw_population(self.population, space, family_scores, rng)
            population = self.encode(orders, graphs)
            for _ in count_generations(self.generations, run):
                drawn = draw_by_rank(scores, 2 * self.population, rng).reshape(2, -1)
                mothers, fathers = (tuple(stack[rows] for stack in population) for rows in drawn)
                offspring = self.breed(mothers, fathers, space, rng)
                all_scores = np.concatenate([family_scores.score_and_offer(offspring[-1]), scores])
                survivors = select_fittest(all_scores, self.population)
                scores = all_scores[survivors]
                population = tuple(
                    np.concatenate([new, old])[survivors] for new, old in zip(offspring, population, strict=True)
                )

    @abstractmethod
    def encode(self, orders: Orders, graphs: Graphs) -> Chromosomes:
        """Return the chromosomes of graphs, in which parents precede children in the orderings."""

    @abstractmethod
    def breed(self, mothers: Chromosomes, fathers: Chromosomes, space: SearchSpace, rng: Generator) -> Chromosomes:
        """Return one legal offspring of each pair, crossed and mutated with the probabilities of the method."""
