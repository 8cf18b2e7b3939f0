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
from bnsearch.orderings.crossover import CROSSOVERS
from bnsearch.orderings.iinobs import swap_random_pairs
from bnsearch.orderings.inobs import InsertionClimber
from bnsearch.orderings.restarts import build_index, offer_network
from bnsearch.orderings.starts import Ordering, Start, make_starts, require_start
from bnsearch.orderings.state import ScoredOrdering, StatePool
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

Population = list[ScoredOrdering]

CLIMBS_PER_BATCH = 64  # climbs given to the workers between two checks of the stopping rule


@dataclass(frozen=True, kw_only=True)
class MINOBS:
    """
    Memetic insert-neighbourhood search over orderings.

    The population consists of local optima of INOBS. A generation adds the local optima that are reached from
    crossovers of pairs and from mutants, and keeps the best members. If the average score no longer changes, all but
    the best few members are replaced.

    Parameters
    ----------
    population : int, default 20
        N, size of the population.
    crossover : str, default "ob"
        Crossover operator: ob, cx or rx.
    crossovers : int, default 20
        c_n, number of crossovers in a generation.
    mutation : float, default 0.01
        m_p, number of swaps of a mutation divided by the number of variables.
    mutations : int, default 6
        m_n, number of mutants in a generation.
    lookback : int, default 32
        d_t, number of generations over which the change of the average score is measured.
    change : float, default 0.001
        d_delta, maximum change of the average score, relative to the earlier one; with this change or less, the
        population is diversified.
    survivors : int, default 4
        d_n, number of best members that a diversification keeps.
    start : str, default "random"
        Start of the climb of a new member: random, dfs or fas.

    References
    ----------
    Lee & van Beek (2017), section 5, Algorithm 3 and Table 3.

    Notes
    -----
    Where the paper is ambiguous, its authors' program (github.com/kkourin/mobs) decides. The change of the average
    score is relative. Members with duplicate scores are removed only while the population has more than N members.

    The number of swaps is rounded up. A mutant has one parent, as in the paper's text; Algorithm 3 has two. The
    earliest average score with which a later one is compared is that of the first population; in the program it is
    that of the first offspring.

    One iteration is one generation; the first one creates the population.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.MINOBS(population=5)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "minobs"
    space: ClassVar[str] = "orderings, insertion moves"
    needs: ClassVar[Needs] = Needs.TABLE
    paper: ClassVar[str] = "Lee & van Beek (2017)"
    purpose: ClassVar[str] = "as memetic local search"
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
        """Search until the run stops."""
        index = build_index(problem, run)
        start = make_starts(self.start, index.table)
        climbers = StatePool(lambda: InsertionClimber(index))
        run.count(iterations=1)
        population = self.climb_all(self.draw_starts(start, self.population, run), climbers, run)  # lines 1-4
        means = [mean_score(population)]
        while run.going():  # line 5
            run.count(iterations=1)
            offspring = self.climb_all(self.draw_offspring(population, run), climbers, run)  # lines 6-12
            population = prune(population + offspring, self.population)  # line 13
            means.append(mean_score(population))
            if self.is_stagnant(means):  # line 14
                kept = population[: self.survivors]  # line 15: `prune` sorts the members, best first
                fresh = self.draw_starts(start, self.population - len(kept), run)
                population = kept + self.climb_all(fresh, climbers, run)  # lines 16-18
                means = [mean_score(population)]

    def draw_starts(self, start: Start, number: int, run: Run) -> Iterator[Ordering]:
        """Yield the starting orderings of new members."""
        for _ in range(number):
            yield start(run.rng)

    def draw_offspring(self, population: Population, run: Run) -> Iterator[Ordering]:
        """Yield the starting orderings of a generation: crossovers of random pairs, mutants of random members."""
        cross = CROSSOVERS[self.crossover]
        for _ in range(self.crossovers):
            # A first generation that was stopped early can have a single member, which is then drawn twice.
            a, b = run.rng.choice(len(population), size=2, replace=len(population) < 2)
            yield cross(population[a].order, population[b].order, run.rng)
        swaps = ceil(self.mutation * len(population[0].order))
        for _ in range(self.mutations):
            yield swap_random_pairs(population[run.rng.integers(len(population))].order, swaps, run.rng)

    def climb_all(self, orders: Iterator[Ordering], climbers: StatePool[InsertionClimber], run: Run) -> Population:
        """
        Return the local optima of climbs from the given orderings; fewer if the run stops.

        The orderings are drawn in batches, so that the search stops quickly even if they are many.
        """

        def climb(task: tuple[Ordering, np.random.Generator]) -> ScoredOrdering | None:
            if run.halted():
                return None
            order, rng = task
            with climbers.borrow() as climber:
                return offer_network(climber, climber.climb(order, rng, run.halted), run)

        optima: Population = []
        while not run.halted() and (batch := list(islice(orders, CLIMBS_PER_BATCH))):
            found = run.map(climb, zip(batch, run.spawn(len(batch)), strict=True))
            optima += [optimum for optimum in found if optimum is not None]
        return optima

    def is_stagnant(self, means: list[float]) -> bool:
        """Return True if the average score has hardly changed in the last `lookback` generations."""
        if len(means) <= self.lookback:
            return False
        new, old = means[-1], means[-1 - self.lookback]
        return abs(new - old) <= self.change * abs(old)


def prune(population: Iterable[ScoredOrdering], size: int) -> Population:
    """
    Return the best `size` members, best first.

    Members with the score of a better one are removed first, as long as there are more than `size` members.
    """
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
    """Return the average score of a population; 0 if it is empty."""
    return fsum(member.score for member in population) / max(1, len(population))
