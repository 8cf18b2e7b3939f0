"""MIIGA: a genetic algorithm in a search space that mutual information restricts (Dai et al. 2020, Algorithm 3)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.registry import require_choice
from bnsearch.errors import require
from bnsearch.genetic.family_scores import FamilyScores, RunHalted
from bnsearch.genetic.graph_stacks import Floats, Generator, Graphs, Orders, draw_orders, find_predecessors
from bnsearch.genetic.individuals import Individuals
from bnsearch.genetic.information import compute_mutual_information, find_related_pairs
from bnsearch.genetic.initialisation import connect_related_pairs, draw_informed_orders, split_into_batches
from bnsearch.genetic.mutation import mutate_by_information
from bnsearch.genetic.recombination import recombine_by_priority, recombine_conventionally
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.genetic.selection import count_generations, select_by_tournament, select_fittest
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import tie_margin

CHOICES = {
    "start": ("information", "random"),
    "recombination": ("priority", "conventional"),
    "binding": ("adaptive", "fixed", "random"),
    "mutation": ("any", "related"),
}
FIXED_ALPHA = 0.9  # binding parameter of the ablation MIIGA+FixA (section 4.3)


@dataclass(frozen=True, kw_only=True)
class MIIGA:
    """
    Genetic algorithm whose search space is restricted by mutual information, differently for each individual.

    An individual is an ordering, the edges along it, and a binding parameter alpha. Alpha selects the pairs that Eq. 4
    relates: those whose mutual information exceeds alpha times the maximum mutual information of one of the two
    variables (with any other variable). These pairs are joined at the start, and edges are added and removed when alpha
    changes. With `mutation="related"`, mutation is also restricted to them; by default it is not (see Notes).
    Recombination takes parent sets from an individual with another alpha. A generation recombines a random half of the
    population with individuals of the previous generation. All other individuals, and those that recombination does not
    improve, get a new alpha and one mutation. The best of offspring and population survive, and tournaments select the
    next population from them.

    Parameters
    ----------
    population : int, default 100
        Number of individuals.
    generations : int, default 500
        Maximum number of generations.
    tournament : int, default 2
        Number of individuals in a tournament.
    step : float, default 0.02
        Delta alpha, the change of a binding parameter in one generation.
    max_parents : int, default 5
        Maximum number of parents of a variable, unless `learn` or the knowledge has another limit. The paper gives no
        value; this is the choice of the library.
    start : str, default "information"
        First population: "information", or "random" orderings and edges (MIIGA-InitMI).
    recombination : str, default "priority"
        Recombination: "priority", or "conventional" crossover (MIIGA-PR).
    binding : str, default "adaptive"
        Change of the binding parameters: "adaptive", "fixed" at 0.9 (MIIGA+FixA) or "random" (MIIGA+RdA).
    mutation : str, default "any"
        Pairs between which mutation adds and reverses edges: "any", or "related" by Eq. 4.
    distinct : bool, default False
        True if of several individuals with the same score only one survives, unless there are not enough others.

    References
    ----------
    Dai, Ren, Du, Shikhin & Ma (2020). An improved evolutionary approach-based hybrid algorithm for Bayesian network
    structure learning in dynamic constrained search space. Neural Computing and Applications. Algorithms 1-3, sections
    3.2, 4.2 and 4.3.

    Notes
    -----
    The paper leaves some choices open. They were made as follows:

    - When a binding parameter has changed, pairs that become related are connected along the ordering, and edges
      between pairs that are no longer related are removed. Redrawing all connections would discard the result of
      earlier generations.
    - Mutation draws an edge with a probability proportional to 1 / rank. Edges to add are ranked by information, edges
      to delete or reverse by the resulting score.
    - A recombined individual is better if its log-likelihood exceeds that of both individuals from which it was made
      (section 3.2.2). Line 19 of Algorithm 1 compares it with the old individual only.
    - The first orderings agree with the randomly directed edges of maximum information, and are random otherwise. All
      pairs of Eq. 4 are connected, but a variable has only its `max_parents` strongest parents.
    - In the ablations, a random start has random orderings, and about as many edges as variables. The conventional
      crossover cuts ordering and connections at one point each, and all its offspring are accepted. A random binding
      parameter moves one step up, one step down, or not at all.
    - Alpha stays in the interval from 0 to 1. Improvements must exceed the library's tolerance. A graph without an edge
      of the drawn kind of mutation stays unchanged.
    - The penalty of a score other than BIC and AIC is the log-likelihood minus the score.
    - Knowledge: every individual is legal. Orderings have required parents before their children, the information of
      forbidden pairs is zero, and no operator adds a forbidden edge or removes a required one.

    The default differs from the paper in one point. By lines 26 and 27 of Algorithm 3, mutation alters a structure in
    its search space: it adds and reverses edges between pairs that Eq. 4 relates. This is `mutation="related"`. The
    default is "any", because its scores are higher and closer to those of the paper. On alarm (5,000 rows, five seeds)
    the mean BIC is lower than that of the true network by 1,127 with "any" and by 5,452 with "related". In the paper
    the difference is 1,271. The ablation MIIGA+FixA needs "related": with "any", a fixed binding parameter does not fix
    the search space. In both cases mutation may delete any edge.

    As in the paper, copies of the best individual soon fill the population. With `distinct`, other individuals survive,
    too, and the mean score is higher on 13 of the 14 networks of `benchmarks/genetic.py` (equal on asia). With
    `mutation="any"`, the adaptive binding parameter shows no advantage over a random one on insurance and alarm.

    One iteration is one generation. The best network of the first population is offered to the run at iteration 0.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.MIIGA(population=10)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -459.907
    """

    name: ClassVar[str] = "miiga"
    space: ClassVar[str] = "populations of DAGs"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Dai et al. (2020)"
    purpose: ClassVar[str] = "to reproduce published results"
    population: int = 100
    generations: int = 500
    tournament: int = 2
    step: float = 0.02
    max_parents: int = 5
    start: str = "information"
    recombination: str = "priority"
    binding: str = "adaptive"
    mutation: str = "any"
    distinct: bool = False

    def __post_init__(self) -> None:
        require("population", self.population, at_least=2, whole=True)
        require("generations", self.generations, at_least=1, whole=True)
        require("tournament", self.tournament, at_least=1, whole=True)
        require("step", self.step, at_least=0, at_most=1)
        require("max_parents", self.max_parents, at_least=1, whole=True)
        for field, known in CHOICES.items():
            require_choice(field, getattr(self, field), known)

    def search(self, problem: Problem, run: Run) -> None:
        """Search for the given number of generations, or until the run stops (Algorithm 3)."""
        family_scores, space, rng = FamilyScores(problem, run), SearchSpace.of(problem, self.max_parents), run.rng
        with suppress(RunHalted):
            information = space.mask_information(compute_mutual_information(problem, run))  # lines 1-3
            operators = Operators(self, information, space, family_scores, rng)
            previous = operators.initialise()  # lines 4-10: pop(0)
            best = BestSoFar()
            best.update(previous)  # line 11
            current = previous.take(select_by_tournament(previous.scores, self.tournament, rng))  # line 12: pop(1)
            for _ in count_generations(self.generations, run):  # line 13
                picked = draw_half(len(current), rng)  # line 14
                former = previous.take(rng.integers(len(previous), size=picked.sum()))  # line 16
                recombined, is_better = operators.recombine(current.take(picked), former)  # lines 15-23
                to_mutate = Individuals.concatenated(current.take(~picked), recombined.take(~is_better))  # np
                mutants = operators.mutate(to_mutate, best.penalty)  # lines 24-29
                offspring = Individuals.concatenated(recombined.take(is_better), mutants)
                family_scores.offer_best(offspring.graphs, offspring.local)  # line 30
                candidates = Individuals.concatenated(offspring, current)  # line 31
                survivors = select_fittest(candidates.scores, self.population, distinct=self.distinct)
                fittest = candidates.take(survivors)  # line 32: pop'
                best.update(offspring)  # line 33: best
                winners = select_by_tournament(fittest.scores, self.tournament, rng)
                previous, current = current, fittest.take(winners)  # line 33


@dataclass(frozen=True, eq=False)
class Operators:
    """
    The operators of MIIGA on one problem.

    Attributes
    ----------
    settings : the parameters of the method
    information : float64[n, n], the mutual information of pairs
    space : the legal graphs
    family_scores : local scores and penalties
    rng : random numbers
    """

    settings: MIIGA
    information: Floats
    space: SearchSpace
    family_scores: FamilyScores
    rng: Generator

    def initialise(self) -> Individuals:
        """Return the initial population, and offer its best networks (section 3.2.1)."""
        batches = []
        for number in split_into_batches(self.settings.population, len(self.information), self.family_scores):
            batches.append(self._initialise_batch(number))
            self.family_scores.offer_best(batches[-1].graphs, batches[-1].local)
        return Individuals.concatenated(*batches)

    def _initialise_batch(self, number: int) -> Individuals:
        """Return some individuals of the initial population."""
        is_fixed = self.settings.binding == "fixed"
        alpha = np.full(number, FIXED_ALPHA) if is_fixed else self.rng.random(number)  # line 6
        if self.settings.start == "random":
            orders = self.space.legalise_orders(draw_orders(number, len(self.information), self.rng))
            graphs = self.space.draw_graphs(orders, self.rng)
        else:
            orders = self.space.legalise_orders(draw_informed_orders(self.information, number, self.rng))  # line 5
            graphs = connect_related_pairs(orders, alpha, self.information, self.space)  # lines 7-8
        return Individuals.scored(orders, graphs, alpha, self.family_scores)  # line 10

    def recombine(self, old: Individuals, former: Individuals) -> tuple[Individuals, NDArray[np.bool_]]:
        """Return offspring of old and former individuals, and a mask of those that are better (section 3.2.2)."""
        if self.settings.recombination == "priority":
            return recombine_by_priority(old, former)
        crossed = recombine_conventionally(old, former, self.space, self.family_scores, self.rng)
        return crossed, np.ones(len(crossed), dtype=bool)

    def mutate(self, old: Individuals, best_penalty: float) -> Individuals:
        """Return the individuals with a new alpha, edges adapted to it, and one mutation (lines 25-28)."""
        alpha = self.update_alpha(old, best_penalty)  # line 25
        changed, graphs = alpha != old.alpha, old.graphs.copy()
        before, after = (find_related_pairs(self.information, each[changed]) for each in (old.alpha, alpha))
        graphs[changed] = renovate_graphs(
            old.orders[changed], graphs[changed], before, after, self.information, self.space
        )  # line 26
        within = find_related_pairs(self.information, alpha) if self.settings.mutation == "related" else None
        orders, graphs = mutate_by_information(
            old.orders, graphs, self.information, self.space, self.family_scores, self.rng, within
        )  # line 27
        return Individuals.scored(orders, graphs, alpha, self.family_scores)

    def update_alpha(self, old: Individuals, best_penalty: float) -> Floats:
        """Return the new binding parameters (section 3.2.3)."""
        step = self.settings.step
        if self.settings.binding == "fixed":
            return old.alpha
        if self.settings.binding == "random":
            return np.clip(old.alpha + step * self.rng.integers(-1, 2, size=len(old)), 0.0, 1.0)
        return adapt_alpha(old.alpha, old.total_penalty, best_penalty, step)


def adapt_alpha(alpha: Floats, penalties: Floats, best_penalty: float, step: float) -> Floats:
    """
    Return alpha one step lower if an individual is simpler than the best one, one step higher if more complex (Eq. 16).

    penalties : penalty of each individual (the sum of dpS in the paper), which measures its complexity
    best_penalty : penalty of the best individual; individuals with the same penalty keep their alpha
    """
    is_equal = np.abs(penalties - best_penalty) <= tie_margin(best_penalty)
    return np.clip(alpha + np.where(is_equal, 0.0, step * np.sign(penalties - best_penalty)), 0.0, 1.0)


def renovate_graphs(
    orders: Orders, graphs: Graphs, before: Graphs, after: Graphs, information: Floats, space: SearchSpace
) -> Graphs:
    """
    Add edges between pairs that become related, and remove those between pairs that no longer are (line 26).

    before, after : the related pairs under the old and the new alpha, [graph, variable, variable]
    space : if a variable would have too many parents, its new parents of least information are not added
    """
    kept = graphs & ~(before & ~after)
    new = after & ~before & find_predecessors(orders)
    return space.legalise(kept | new, np.where(kept, np.inf, information))


class BestSoFar:
    """The score and the penalty (best_dpS) of the best individual so far."""

    def __init__(self) -> None:
        self.score = self.penalty = -np.inf

    def update(self, individuals: Individuals) -> None:
        """Replace the best individual if one of these has a higher score."""
        best = int(individuals.scores.argmax())
        if individuals.scores[best] > self.score:
            self.score, self.penalty = float(individuals.scores[best]), float(individuals.total_penalty[best])


def draw_half(number: int, rng: Generator) -> NDArray[np.bool_]:
    """Return a random mask of length `number` that is True for half of the entries, rounded down."""
    return rng.permutation(number) < number // 2
