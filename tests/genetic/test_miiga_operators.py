"""The operators of MIIGA on individuals by hand: initialisation, recombination, binding parameters, mutation."""

from __future__ import annotations

import numpy as np
import pytest
from scripted_draws import ScriptedGenerator
from stacks import edges_of, free, graph

import bnsearch.genetic.miiga as miiga_module
from bnsearch.genetic.individuals import Individuals
from bnsearch.genetic.miiga import MIIGA, Operators

# Eq. 4 relates 0-1 and 1-2 for any alpha below 1, and 0-2 for alpha below .2 / .4 = .5.
INFORMATION = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, 0.4], [0.2, 0.4, 0.0]])


class EdgeScores:
    """A local score of -1 and a penalty of 2 for each edge."""

    def __init__(self):
        self.offered = []

    def score_graphs(self, graphs):
        """Return the scores and the penalties."""
        return -1.0 * graphs.sum(axis=2), 2.0 * graphs.sum(axis=2)

    def offer_best(self, graphs, local):
        """Record the best score; the local scores are those of the graphs."""
        assert (local == -1.0 * graphs.sum(axis=2)).all()
        self.offered.append(local.sum(axis=1).max())

    def raise_if_halted(self):
        """Go on."""


def operators_of(settings: MIIGA, *draws) -> Operators:
    """Return the operators over three variables, with scripted random numbers."""
    return Operators(settings, INFORMATION, free(3, 3), EdgeScores(), ScriptedGenerator(*draws))


def individuals(graphs, alpha, penalties) -> Individuals:
    """Return individuals with the ordering 0, 1, 2, whose penalties are those of variable 1."""
    number = len(graphs)
    penalty = np.zeros((number, 3))
    penalty[:, 1] = penalties
    return Individuals(
        np.array([[0, 1, 2]] * number), np.stack(graphs), np.array(alpha), np.zeros((number, 3)), penalty
    )


@pytest.mark.parametrize("mutation", ["any", "related"])
def test_mutation_in_a_renovated_space(monkeypatch, mutation):
    """
    The best penalty is 5, the step .02.

    The first individual is simpler (4): alpha goes from .51 to .49, 0-2 becomes related and is connected. The second
    is more complex (6): alpha goes from .49 to .51, 0-2 is no longer related and loses its edge; 0 -> 1 stays. The
    third has the penalty of the best: alpha and graph stay. Mutation gets these graphs, and in the space of Eq. 4 the
    pairs of the new alpha.
    """
    old = individuals(
        [graph(3), graph(3, (0, 2), (0, 1)), graph(3, (1, 2))], alpha=[0.51, 0.49, 0.49], penalties=[4.0, 6.0, 5.0]
    )
    seen = []

    def mutate(orders, graphs, information, space, family_scores, rng, within):
        seen.append(([edges_of(matrix) for matrix in graphs], within))
        return orders[:, ::-1], np.zeros_like(graphs)

    monkeypatch.setattr(miiga_module, "mutate_by_information", mutate)
    new = operators_of(MIIGA(mutation=mutation)).mutate(old, 5.0)
    ((graphs, within),) = seen
    assert graphs == [{(0, 2)}, {(0, 1)}, {(1, 2)}]
    if mutation == "any":
        assert within is None
    else:
        assert within[:, 0, 2].tolist() == [True, False, True]
        assert within[:, 0, 1].all()
    assert new.alpha == pytest.approx([0.49, 0.51, 0.49])
    assert new.orders.tolist() == [[2, 1, 0]] * 3
    assert not new.graphs.any()
    assert edges_of(old.graphs[1]) == {(0, 2), (0, 1)}


def test_random_binding_parameters():
    """The draws -1, 0, 1 move alpha by a step of .1 down, not at all, and up; it stays between 0 and 1."""
    old = individuals([graph(3)] * 5, alpha=[0.5, 0.5, 0.5, 0.05, 0.95], penalties=[0.0] * 5)
    operators = operators_of(MIIGA(binding="random", step=0.1), [-1, 0, 1, -1, 1])
    assert operators.update_alpha(old, 5.0) == pytest.approx([0.4, 0.5, 0.6, 0.0, 1.0])
    assert operators.rng.requests == [("integers", -1, 2)]


def test_initialisation_by_information():
    """
    Two individuals with alpha .6 and .4; the partners are 0-1 and 1-2.

    Directions are drawn for the pairs above the diagonal: below .5 the second variable of a pair is the parent. The
    first individual has 1 -> 0 and 2 -> 1: the ordering 2, 1, 0. The second has 0 -> 1 and 2 -> 1, and 2 has the
    higher priority: 2, 0, 1. With alpha .6 the pairs 0-1 and 1-2 are connected, with .4 also 0-2.
    """
    directions = np.full((2, 3, 3), 0.9)
    directions[0, 0, 1] = directions[0, 1, 2] = directions[1, 1, 2] = 0.49
    directions[1, 0, 1] = 0.5
    draws = [0.6, 0.4], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3], directions, [[0.1, 0.2, 0.3]] * 2
    operators = operators_of(MIIGA(population=2), *draws)
    first = operators.initialise()
    assert first.alpha.tolist() == [0.6, 0.4]
    assert first.orders.tolist() == [[2, 1, 0], [2, 0, 1]]
    assert [edges_of(matrix) for matrix in first.graphs] == [{(2, 1), (1, 0)}, {(2, 1), (0, 1), (2, 0)}]
    assert first.scores.tolist() == [-2, -3]
    assert operators.family_scores.offered == [-2]


def test_initialisation_in_batches(monkeypatch):
    """Five individuals in batches of two: each batch offers its best, and all five are returned."""
    monkeypatch.setattr("bnsearch.genetic.initialisation.BATCH", 2)
    operators = Operators(
        MIIGA(population=5, binding="fixed"), INFORMATION, free(3, 3), EdgeScores(), np.random.default_rng(1)
    )
    first = operators.initialise()
    assert len(first) == 5
    assert operators.family_scores.offered == [-2] * 3  # alpha .9 connects 0-1 and 1-2
    assert first.alpha.tolist() == [0.9] * 5


def test_each_batch_offers_its_own_networks(monkeypatch):
    """One individual in each batch: alpha .6 connects 0-1 and 1-2 (-2), alpha .4 also 0-2 (-3)."""
    monkeypatch.setattr("bnsearch.genetic.initialisation.BATCH", 1)
    rest = [0.1, 0.2, 0.3], np.full((1, 3, 3), 0.9), [[0.1, 0.2, 0.3]]
    operators = operators_of(MIIGA(population=2), [0.6], *rest, [0.4], *rest)
    assert operators.initialise().scores.tolist() == [-2, -3]
    assert operators.family_scores.offered == [-2, -3]


def test_conventional_offspring_are_all_accepted():
    """Cut after everything, an offspring is the old individual; both are accepted as new."""
    old = individuals([graph(3, (0, 1)), graph(3, (1, 2))], alpha=[0.3, 0.4], penalties=[1.0, 1.0])
    operators = operators_of(MIIGA(recombination="conventional"), [3, 3], [3, 3])
    new, is_better = operators.recombine(old, old)
    assert is_better.tolist() == [True, True]
    assert [edges_of(matrix) for matrix in new.graphs] == [{(0, 1)}, {(1, 2)}]
    assert new.alpha.tolist() == [0.3, 0.4]
    _, is_better = operators_of(MIIGA()).recombine(old, old)  # by priority nothing is gained
    assert is_better.tolist() == [False, False]


@pytest.mark.parametrize(("recombination", "draws"), [("priority", []), ("conventional", [[3], [3]])])
def test_offspring_descend_from_the_old_individual(recombination, draws):
    """Without a gain, and if cut after everything, the offspring has the graph and alpha of the old individual."""
    old = individuals([graph(3, (0, 1))], alpha=[0.3], penalties=[1.0])
    former = individuals([graph(3, (1, 2))], alpha=[0.4], penalties=[1.0])
    new, _ = operators_of(MIIGA(recombination=recombination), *draws).recombine(old, former)
    assert edges_of(new.graphs[0]) == {(0, 1)}
    assert new.alpha.tolist() == [0.3]
