"""BNC-PSO: particle swarm optimisation over graphs, with genetic operators for velocities."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.genetic.family_scores import FamilyScores, RunHalted
from bnsearch.genetic.graph_stacks import Generator, Graphs
from bnsearch.genetic.initialisation import draw_population
from bnsearch.genetic.mutation import ADD, REVERSE
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.genetic.selection import count_generations, find_candidates_of_rank
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class BNCPSO:
    """
    Particle swarm optimisation over graphs: inertia is mutation, attraction is crossover with a better position.

    Parameters
    ----------
    population : int, default 100
        Number of particles.
    generations : int, default 500
        Maximum number of generations; the weights change linearly over them.
    inertia : float, default 0.95
        W, probability of a mutation in the first generation.
    inertia_end : float, default 0.4
        W in the last generation.
    cognition : float, default 0.82
        C1, probability of a crossover with the particle's best position in the first generation.
    cognition_end : float, default 0.5
        C1 in the last generation.
    society : float, default 0.4
        C2, probability of a crossover with the swarm's best position in the first generation.
    society_end : float, default 0.83
        C2 in the last generation.
    max_parents : int, default 5
        Maximum number of parents of a variable, unless `learn` or the knowledge has another limit.

    References
    ----------
    Gheisari & Meybodi (2016). BNC-PSO: structure learning of Bayesian networks by particle swarm optimization.

    Notes
    -----
    This implementation follows descriptions by others, not the paper itself. Velocities are genetic operators: inertia
    is a mutation, and the two attractions are crossovers. The weights change linearly; the social one grows while the
    others shrink. The values of the weights are usual ones of such swarms, and may differ from the paper's. Choices of
    this implementation:

    - A mutation adds, deletes or reverses a random edge.
    - A crossover copies the parent sets of the variables between two random cuts from the better position.
    - After each update, random edges of cycles are removed, and surplus parents are dropped at random.
    - The first graphs are random, with about as many edges as variables.

    One iteration is one generation; the first swarm is offered at iteration 0.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.BNCPSO(population=10)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -513.539
    """

    name: ClassVar[str] = "bncpso"
    space: ClassVar[str] = "populations of DAGs"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "baseline of Dai et al. (2020)"
    purpose: ClassVar[str] = "to reproduce published results"
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
        """Search for the given number of generations, or until the run stops."""
        family_scores, space, rng = FamilyScores(problem, run), SearchSpace.of(problem, self.max_parents), run.rng
        with suppress(RunHalted):
            _, graphs, best_scores = draw_population(self.population, space, family_scores, rng)
            best_graphs = graphs  # best position of each particle
            for generation in count_generations(self.generations, run):
                inertia, cognition, society = self.compute_weights(generation)
                swarm_best = np.broadcast_to(best_graphs[best_scores.argmax()], graphs.shape)
                graphs = mutate_edges(graphs, inertia, space, rng)
                graphs = copy_parent_sets(graphs, best_graphs, cognition, rng)
                graphs = copy_parent_sets(graphs, swarm_best, society, rng)
                graphs = space.repair(graphs, rng)
                scores = family_scores.score_and_offer(graphs)
                is_better = scores > best_scores
                best_graphs = np.where(is_better[:, None, None], graphs, best_graphs)
                best_scores = np.where(is_better, scores, best_scores)

    def compute_weights(self, generation: int) -> tuple[float, float, float]:
        """Return W, C1 and C2 of a generation, counted from 1."""
        done = (generation - 1) / max(1, self.generations - 1)
        return (
            self.inertia + done * (self.inertia_end - self.inertia),
            self.cognition + done * (self.cognition_end - self.cognition),
            self.society + done * (self.society_end - self.society),
        )


def copy_parent_sets(graphs: Graphs, better: Graphs, rate: float, rng: Generator) -> Graphs:
    """
    Return the graphs; some have the parent sets of a random range of variables copied from `better`.

    rate : probability that a graph is changed
    """
    number, n, _ = graphs.shape
    cuts = rng.integers(n + 1, size=(2, number, 1))
    is_inside = (cuts.min(axis=0) <= np.arange(n)) & (np.arange(n) < cuts.max(axis=0))
    is_copied = is_inside & (rng.random((number, 1)) < rate)
    return np.where(is_copied[:, :, None], better, graphs)


def mutate_edges(graphs: Graphs, rate: float, space: SearchSpace, rng: Generator) -> Graphs:
    """
    Return the graphs; some have a random edge added, deleted or reversed, which may close a cycle.

    rate : probability that a graph is changed
    """
    number, n, _ = graphs.shape
    absent = ~(graphs | graphs.transpose(0, 2, 1) | np.eye(n, dtype=bool))
    kind = rng.integers(3, size=len(graphs))
    candidates = np.where((kind == ADD)[:, None, None], space.find_addable(absent), space.find_deletable(graphs))
    candidates[kind == REVERSE] = space.find_reversible(graphs[kind == REVERSE])
    candidates = candidates.reshape(number, n * n)
    ranks = (rng.random(number) * candidates.sum(axis=1)).astype(np.int64)
    edge = find_candidates_of_rank(candidates, np.arange(n * n), ranks)
    mutant = np.flatnonzero((rng.random(number) < rate) & (edge >= 0))
    child, parent = edge[mutant] // n, edge[mutant] % n
    mutated = graphs.copy()
    mutated[mutant, child, parent] = kind[mutant] == ADD
    is_reversed = kind[mutant] == REVERSE
    mutated[mutant[is_reversed], parent[is_reversed], child[is_reversed]] = True
    return mutated
