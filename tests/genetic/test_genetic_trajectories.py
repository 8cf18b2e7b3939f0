"""The loops of MIIGA, CGA, DGA and BNC-PSO over scripted operators: selection, breeding, survival and offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scripted_draws import ScriptedGenerator
from stacks import random_problem

import bnsearch.genetic.bncpso as bncpso_module
import bnsearch.genetic.miiga as miiga_module
import bnsearch.genetic.rank_based as rank_based_module
from bnsearch.genetic.bncpso import BNCPSO
from bnsearch.genetic.cga import CGA
from bnsearch.genetic.dga import DGA
from bnsearch.genetic.individuals import Individuals
from bnsearch.genetic.miiga import MIIGA, BestSoFar, draw_half
from bnsearch.genetic.rank_based import RankBasedGA
from bnsearch.runs.run import Run

PROBLEM = random_problem(2, 30, seed=1)


@dataclass(frozen=True, kw_only=True)
class Labelled(RankBasedGA):
    """A genetic algorithm over labels: mothers and fathers are recorded, offspring come from a script."""

    crossover: float = 0.5
    mutation: float = 0.5

    def encode(self, orders, graphs):
        """Return two stacks: letters, and the labels in place of graphs."""
        return orders, graphs

    def breed(self, mothers, fathers, space, rng):
        """Return the next offspring of the script."""
        SEEN.append([*(stack.tolist() for stack in (*mothers, *fathers))])
        labels = np.array(OFFSPRING.pop(0))
        return np.array([chr(ord("a") + label) for label in labels]), labels


SEEN: list = []
OFFSPRING: list = []


def test_the_generations_of_cga_and_dga(monkeypatch):
    """
    Two individuals, 0 (-5) and 1 (-3); a label's score is given below.

    Generation 1: four are drawn by rank: mothers 1, 0 and fathers 1, 1. Their offspring 2 (-4) and 3 (-9) compete with
    0 and 1: the best two are 1 (-3) and 2 (-4). Generation 2: offspring 4 (-3) and 5 (-1): 5 (-1) and 4 survive; of
    the equal -3 the offspring comes first. Generation 3 draws from those.
    """
    score = np.array([-5.0, -3.0, -4.0, -9.0, -3.0, -1.0, -7.0, -7.0])
    SEEN.clear()
    OFFSPRING[:] = [[2, 3], [4, 5], [6, 7]]
    requests, offered = [], []

    class Scores:
        def __init__(self, problem, run):
            pass

        def score_and_offer(self, labels):
            offered.append(labels.tolist())
            return score[labels]

    def draw(scores, number, rng):
        requests.append((scores.tolist(), number))
        return np.array([1, 0, 1, 1])

    monkeypatch.setattr(rank_based_module, "FamilyScores", Scores)
    monkeypatch.setattr(rank_based_module, "draw_by_rank", draw)
    first = np.array(["a", "b"]), np.array([0, 1]), score[:2]
    monkeypatch.setattr(rank_based_module, "draw_population", lambda number, *tools: first)
    run = Run(seed=1)
    Labelled(population=2, generations=3).search(PROBLEM, run)
    assert requests == [([-5.0, -3.0], 4), ([-3.0, -4.0], 4), ([-1.0, -3.0], 4)]
    assert SEEN == [
        [["b", "a"], [1, 0], ["b", "b"], [1, 1]],
        [["c", "b"], [2, 1], ["c", "c"], [2, 2]],
        [["e", "f"], [4, 5], ["e", "e"], [4, 4]],
    ]
    assert offered == [[2, 3], [4, 5], [6, 7]]
    assert run.progress.iterations == 3


@pytest.mark.parametrize("population", [2, 3])
def test_the_size_of_the_first_population(monkeypatch, population):
    """As many individuals are drawn as the population has."""
    asked = []

    def draw(number, space, scores, rng):
        asked.append((number, space.max_parents.tolist()))
        return np.array([[0, 1]] * number), np.zeros((number, 2, 2), dtype=bool), np.zeros(number)

    monkeypatch.setattr(rank_based_module, "draw_population", draw)
    monkeypatch.setattr(bncpso_module, "draw_population", draw)
    for kind in (CGA, DGA, BNCPSO):
        kind(population=population, max_parents=3, generations=1).search(PROBLEM, Run(seed=1))
    assert asked == [(population, [3, 3])] * 3


def individuals(labels, scores, penalties) -> Individuals:
    """Return individuals over two variables, identified by alpha; variable 0 has the whole score and penalty."""
    number = len(labels)
    local, penalty = np.zeros((number, 2)), np.zeros((number, 2))
    local[:, 0], penalty[:, 0] = scores, penalties
    return Individuals(
        np.array([[0, 1]] * number).reshape(number, 2),
        np.zeros((number, 2, 2), dtype=bool),
        np.array(labels, dtype=float),
        local,
        penalty,
    )


class ScriptedOperators:
    """Operators of MIIGA that record what they are given, and return what the script says."""

    recombined: ClassVar[list] = []  # labels, scores, penalties, mask of the better ones
    mutants: ClassVar[list] = []  # labels, scores, penalties
    seen: ClassVar[list] = []

    def __init__(self, settings, information, space, family_scores, rng):
        pass

    def initialise(self):
        """Return four individuals, 0 to 3."""
        return individuals([0, 1, 2, 3], [-10, -8, -12, -9], [5, 6, 7, 8])

    def recombine(self, old, former):
        """Record the pairs."""
        self.seen.append(("recombine", old.alpha.tolist(), former.alpha.tolist()))
        *made, better = self.recombined.pop(0)
        return individuals(*made), np.array(better, dtype=bool)

    def mutate(self, old, best_penalty):
        """Record the individuals, and the penalty of the best."""
        self.seen.append(("mutate", old.alpha.tolist(), best_penalty))
        return individuals(*self.mutants.pop(0))


def test_the_generations_of_miiga(monkeypatch):
    """
    Four individuals 0 (-10), 1 (-8), 2 (-12), 3 (-9), with penalties 5, 6, 7, 8; tournaments of two.

    Line 12: the tournaments 0-1, 2-3, 0-2, 3-0 are won by 1, 3, 0, 3. The best is 1, whose penalty is 6.

    Generation 1: the permutation 3, 0, 2, 1 picks the second and the fourth, 3 and 3; the former ones, drawn from
    pop(0), are 2 and 0. Recombination gives 10 (-7, penalty 9), which is better, and 3. So 1, 0 and 3 are mutated with
    the best penalty so far, 6, into 11 (-20), 12 (-7.5) and 13 (-8). Offspring 10, 11, 12, 13 and pop(1) = 1, 3, 0, 3
    compete: -7, -7.5, -8 (13, before 1, since offspring come first), -8. The tournaments 0-3, 1-2, 3-2, 2-2 among
    these are won by 10, 12, 1, 13: the entrant that comes first wins a tie.

    Generation 2: 0, 1 pick 10 and 12; former ones are drawn from pop(1) = 1, 3, 0, 3: 3 and 0. Nothing is better. The
    penalty of the best, 10, is 9.
    """
    rng = ScriptedGenerator(
        [[0, 1], [2, 3], [0, 2], [3, 0]],  # line 12
        [3, 0, 2, 1], [2, 0], [[0, 3], [1, 2], [3, 2], [2, 2]],
        [0, 1, 2, 3], [1, 2], [[0, 0]] * 4,
    )  # fmt: skip
    operators = ScriptedOperators
    operators.seen = []
    operators.recombined = [
        ([10, 3], [-7, -9], [9, 8], [True, False]),
        ([10, 12], [-7, -7.5], [9, 1], [False, False]),
    ]
    operators.mutants = [
        ([11, 12, 13], [-20, -7.5, -8], [1, 1, 1]),
        ([14, 15, 16, 17], [-30] * 4, [1] * 4),
    ]
    offered = []

    class Scores:
        def __init__(self, problem, run):
            pass

        def offer_best(self, graphs, local):
            offered.append(local.sum(axis=1).max())

    monkeypatch.setattr(miiga_module, "Operators", operators)
    monkeypatch.setattr(miiga_module, "FamilyScores", Scores)
    run = Run(seed=1)
    run.rng = rng
    MIIGA(population=4, generations=2).search(PROBLEM, run)
    assert operators.seen == [
        ("recombine", [3, 3], [2, 0]),
        ("mutate", [1, 0, 3], 6),
        ("recombine", [10, 12], [3, 0]),
        ("mutate", [1, 13, 10, 12], 9),
    ]
    assert offered == [-7, -30]
    assert not rng.draws


def test_half_of_an_odd_number():
    """Of five, two: those that the permutation numbers 0 and 1."""
    assert draw_half(5, ScriptedGenerator([4, 1, 2, 0, 3])).tolist() == [False, True, False, True, False]


def test_the_best_so_far():
    """The first of equally good ones stays; a better one replaces it, with its penalty."""
    best = BestSoFar()
    best.update(individuals([0, 1], [-5, -4], [1, 2]))
    assert (best.score, best.penalty) == (-4, 2)
    best.update(individuals([2, 3], [-4, -9], [3, 4]))
    assert (best.score, best.penalty) == (-4, 2)
    best.update(individuals([4], [-3], [5]))
    assert (best.score, best.penalty) == (-3, 5)


def test_the_generations_of_bncpso(monkeypatch):
    """
    Two particles: the number of edges identifies a position; 0 and 1 at first, with scores -5 and -3.

    Generation 1 of 3: weights .95, .82, .4; each is attracted by its own best position and by that of the swarm, 1.
    The new positions 2 (-4) and 3 (-3) follow: 2 beats 0, and 3 only equals 1, which stays. Generation 2: the weights
    are the means; own best positions are 2 and 1, that of the swarm is 1; 4 (-2) and 5 (-9) follow. Generation 3: 4 and
    1; that of the swarm is 4.
    """
    score = np.array([-5.0, -3.0, -4.0, -3.0, -2.0, -9.0, -9.0, -9.0])
    later = [[2, 3], [4, 5], [6, 7]]
    seen = []

    def stack(labels):
        graphs = np.zeros((len(labels), 3, 3), dtype=bool)
        for matrix, label in zip(graphs, labels, strict=True):
            matrix.ravel()[:label] = True
        return graphs

    def labels(graphs):
        return graphs.sum(axis=(1, 2)).tolist()

    class Scores:
        def __init__(self, problem, run):
            pass

        def score_and_offer(self, graphs):
            return score[labels(graphs)]

    class Space:
        @classmethod
        def of(cls, problem, max_parents):
            return cls()

        def repair(self, graphs, rng):
            seen.append(("repair", labels(graphs)))
            return stack(later.pop(0))

    def mutate(graphs, rate, space, rng):
        seen.append(("mutate", labels(graphs), round(rate, 6)))
        return graphs

    def copied(graphs, better, rate, rng):
        seen.append(("copy", labels(graphs), labels(better), round(rate, 6)))
        return graphs

    monkeypatch.setattr(bncpso_module, "FamilyScores", Scores)
    monkeypatch.setattr(bncpso_module, "SearchSpace", Space)
    monkeypatch.setattr(bncpso_module, "mutate_edges", mutate)
    monkeypatch.setattr(bncpso_module, "copy_parent_sets", copied)
    first = None, stack([0, 1]), score[:2]
    monkeypatch.setattr(bncpso_module, "draw_population", lambda *tools: first)
    BNCPSO(population=2, generations=3).search(PROBLEM, Run(seed=1))
    assert seen == [
        ("mutate", [0, 1], 0.95), ("copy", [0, 1], [0, 1], 0.82), ("copy", [0, 1], [1, 1], 0.4), ("repair", [0, 1]),
        ("mutate", [2, 3], 0.675), ("copy", [2, 3], [2, 1], 0.66), ("copy", [2, 3], [1, 1], 0.615), ("repair", [2, 3]),
        ("mutate", [4, 5], 0.4), ("copy", [4, 5], [4, 1], 0.5), ("copy", [4, 5], [4, 4], 0.83), ("repair", [4, 5]),
    ]  # fmt: skip
