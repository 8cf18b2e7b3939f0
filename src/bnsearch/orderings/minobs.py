"""MINOBS: memetic insert-neighbourhood search over orderings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil, fsum, inf
from typing import ClassVar

import numpy as np

from bnsearch._tools.registry import require_choice
from bnsearch.errors import require
from bnsearch.orderings.climber import Climber, Placed
from bnsearch.orderings.crossover import CROSSOVERS
from bnsearch.orderings.iinobs import swap_random
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import offer, prepare
from bnsearch.orderings.starts import Ordering, Start, make_starts, require_start
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

Population = list[Placed]

BATCH = 64  # climbs handed out at a time


@dataclass(frozen=True, kw_only=True)
class MINOBS:
    """
    Memetic insert-neighbourhood search over orderings.

    A population of local optima; each generation adds offspring of pairs and mutants, all climbed from, and keeps the
    best. When the average score no longer changes, all but a few members are replaced.

    Parameters
    ----------
    population : N, members
    crossover : ob, cx or rx
    crossovers : c_n, offspring of pairs in a generation
    mutation : m_p, swaps for each variable of a mutant
    mutations : m_n, mutants in a generation
    lookback : d_t, generations to look back for a change of the average score
    change : d_delta, the change of the average score, relative to the earlier one, up to which the population is
        diversified
    survivors : d_n, the best members, which stay then
    start : where the climbs of a new member start: random, dfs or fas

    References
    ----------
    Lee & van Beek (2017), section 5, Algorithm 3 and Table 3.

    Notes
    -----
    Where the paper can be read in two ways, its authors' program (github.com/kkourin/mobs) decides: the change of the
    average score is relative, and members with the score of another one are removed only while the population is
    larger than its size. The number of swaps is rounded up; a mutant has one parent, as in the paper's text. The
    program looks back to the first generation of offspring at the earliest, here also to the first population. One
    iteration is one generation; the first one makes the population.
    """

    name: ClassVar[str] = "minobs"
    population: int = 20
    crossover: str = "ob"
    crossovers: int = 20
    mutation: float = 0.01
    mutations: int = 6
    lookback: int = 32
    change: float = 0.001
    survivors: int = 4
    start: str = "random"

    def __post_init__(self) -> None:
        require("population", self.population, at_least=2, whole=True)
        require_choice("crossover", self.crossover, CROSSOVERS)
        require("crossovers", self.crossovers, at_least=0, whole=True)
        require("mutation", self.mutation, above=0, at_most=1)
        require("mutations", self.mutations, at_least=0, whole=True)
        require("lookback", self.lookback, at_least=1, whole=True)
        require("change", self.change, at_least=0, below=inf)
        require("survivors", self.survivors, at_least=1, at_most=self.population, whole=True)
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""
        index = prepare(problem, run)
        start = make_starts(self.start, index.table)
        run.count(iterations=1)
        population = self.optima(index, self.starts(start, self.population, run), run)  # lines 1-4
        means = [mean_score(population)]
        while run.going():  # line 5
            run.count(iterations=1)
            offspring = self.optima(index, self.offspring(population, run), run)  # lines 6-12
            population = prune(population + offspring, self.population)  # line 13
            means.append(mean_score(population))
            if self.is_stagnant(means):  # line 14
                kept = population[: self.survivors]  # line 15: pruned, so the best come first
                fresh = self.starts(start, self.population - len(kept), run)
                population = kept + self.optima(index, fresh, run)  # lines 16-18
                means = [mean_score(population)]

    def starts(self, start: Start, number: int, run: Run) -> Iterator[Ordering]:
        """Yield the orderings that new members climb from."""
        for _ in range(number):
            yield start(run.rng)

    def offspring(self, population: Population, run: Run) -> Iterator[Ordering]:
        """Yield the orderings of a generation: children of random pairs, and mutants of random members."""
        cross = CROSSOVERS[self.crossover]
        for _ in range(self.crossovers):
            a, b = run.rng.choice(len(population), size=2, replace=len(population) < 2)
            yield cross(population[a].order, population[b].order, run.rng)
        swaps = ceil(self.mutation * len(population[0].order))
        for _ in range(self.mutations):
            yield swap_random(population[run.rng.integers(len(population))].order, swaps, run.rng)

    def optima(self, index: Index, orders: Iterator[Ordering], run: Run) -> Population:
        """
        Return the local optima that climbs from some orderings end in; fewer if the run is to stop.

        The orderings are drawn in batches: a stop ends the work soon, whatever their number.
        """

        def climb(piece: tuple[Ordering, np.random.Generator]) -> Placed | None:
            if run.halted():
                return None
            order, rng = piece
            climber = Climber(index)
            return offer(climber, climber.climb(order, rng, run.halted), run)

        optima: Population = []
        while not run.halted() and (batch := list(islice(orders, BATCH))):
            climbed = run.map(climb, zip(batch, run.spawn(len(batch)), strict=True))
            optima += [optimum for optimum in climbed if optimum is not None]
        return optima

    def is_stagnant(self, means: list[float]) -> bool:
        """Tell whether the average score has hardly changed since the generation `lookback` before."""
        if len(means) <= self.lookback:
            return False
        new, old = means[-1], means[-1 - self.lookback]
        return abs(new - old) <= self.change * abs(old)


def prune(population: Iterable[Placed], size: int) -> Population:
    """Return the best members, best first: those with the score of a kept one go first, while there are too many."""
    members = sorted(population, key=lambda member: -member.score)
    surplus = len(members) - size
    kept: Population = []
    for member in members:
        if surplus > 0 and kept and not improves(kept[-1].score, member.score):
            surplus -= 1
        else:
            kept.append(member)
    return kept[:size]


def mean_score(population: Population) -> float:
    """Return the average score."""
    return fsum(member.score for member in population) / max(1, len(population))
