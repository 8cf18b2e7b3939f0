"""BNC-PSO: particle swarm optimisation over graphs, with genetic operators for velocities."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.genetic.families import Families, Halted
from bnsearch.genetic.first_population import random_population
from bnsearch.genetic.graphs import Generator, Graphs, generations, of_rank
from bnsearch.genetic.space import Space
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class BNCPSO:
    """
    Particle swarm optimisation over graphs: inertia is mutation, attraction is crossover with a better position.

    Parameters
    ----------
    population : particles
    generations : how many at most; the weights go linearly from their first to their last value over them
    inertia : w, the probability of a mutation, at first
    inertia_end : the same, at last
    cognition : c1, the probability of a crossover with the particle's best position, at first
    cognition_end : the same, at last
    society : c2, the probability of a crossover with the swarm's best position, at first
    society_end : the same, at last
    max_parents : parents of a variable at most

    References
    ----------
    Gheisari & Meybodi (2016). BNC-PSO: structure learning of Bayesian networks by particle swarm optimization.

    Notes
    -----
    Written after what others say of the method, not after the paper itself: that velocities are genetic operators, with
    inertia as mutation and the two attractions as crossovers, and weights that change linearly, the social one
    growing, the others shrinking. The weights are those usual for such swarms, and may not be the paper's.

    Fixed here: a mutation adds, deletes or reverses a random edge; a crossover takes the parent sets of a random run of
    variables (between two cuts) from the better position; cycles lose random edges after each update; the first
    graphs are random, with about as many edges as variables; surplus parents are dropped at random. One iteration is
    one generation; the first swarm is found at iteration 0.
    """

    name: ClassVar[str] = "bncpso"
    population: int = 100
    generations: int = 500
    inertia: float = 0.95
    inertia_end: float = 0.4
    cognition: float = 0.82
    cognition_end: float = 0.5
    society: float = 0.4
    society_end: float = 0.83
    max_parents: int = 5

    def __post_init__(self) -> None:
        require("population", self.population, at_least=2, whole=True)
        require("generations", self.generations, at_least=1, whole=True)
        for weight in ("inertia", "inertia_end", "cognition", "cognition_end", "society", "society_end"):
            require(weight, getattr(self, weight), at_least=0, at_most=1)
        require("max_parents", self.max_parents, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Search for the given number of generations, or until the run is told to stop."""
        families, space, rng = Families(problem, run), Space.of(problem, self.max_parents), run.rng
        with suppress(Halted):
            _, graphs, own_scores = random_population(self.population, space, families, rng)
            own = graphs
            for generation in generations(self.generations, run):
                inertia, cognition, society = self.weights(generation)
                swarm = own[own_scores.argmax()]
                graphs = mutate_edges(graphs, inertia, space, rng)
                graphs = take_run(graphs, own, cognition, rng)
                graphs = take_run(graphs, np.broadcast_to(swarm, graphs.shape), society, rng)
                graphs = space.repaired(graphs, rng)
                scores = families.offered(graphs)
                better = scores > own_scores
                own = np.where(better[:, None, None], graphs, own)
                own_scores = np.where(better, scores, own_scores)

    def weights(self, generation: int) -> tuple[float, float, float]:
        """Return w, c1 and c2 of a generation."""
        done = (generation - 1) / max(1, self.generations - 1)
        return (
            self.inertia + done * (self.inertia_end - self.inertia),
            self.cognition + done * (self.cognition_end - self.cognition),
            self.society + done * (self.society_end - self.society),
        )


def take_run(graphs: Graphs, better: Graphs, rate: float, rng: Generator) -> Graphs:
    """Return the graphs, some with the parent sets of a random run of variables as in better ones."""
    number, n, _ = graphs.shape
    cuts = rng.integers(n + 1, size=(2, number, 1))
    inside = (cuts.min(axis=0) <= np.arange(n)) & (np.arange(n) < cuts.max(axis=0)) & (rng.random((number, 1)) < rate)
    return np.where(inside[:, :, None], better, graphs)


def mutate_edges(graphs: Graphs, rate: float, space: Space, rng: Generator) -> Graphs:
    """Return the graphs, some with a random edge added, deleted or reversed."""
    number, n, _ = graphs.shape
    free = ~(graphs | graphs.transpose(0, 2, 1) | np.eye(n, dtype=bool))
    kind = rng.integers(3, size=len(graphs))
    candidates = np.where((kind == 0)[:, None, None], space.addable(free), space.deletable(graphs))
    candidates[kind == 2] = space.reversible(graphs[kind == 2])
    candidates = candidates.reshape(number, n * n)
    ranks = (rng.random(number) * candidates.sum(axis=1)).astype(np.int64)
    chosen = of_rank(candidates, np.arange(n * n), ranks)
    mutant = np.flatnonzero((rng.random(number) < rate) & (chosen >= 0))
    child, parent = chosen[mutant] // n, chosen[mutant] % n
    mutated = graphs.copy()
    mutated[mutant, child, parent] = kind[mutant] == 0
    turned = kind[mutant] == 2
    mutated[mutant[turned], parent[turned], child[turned]] = True
    return mutated
