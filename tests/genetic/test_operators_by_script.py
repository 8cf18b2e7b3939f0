"""The operators of CGA, DGA and BNC-PSO with scripted random numbers: what each draw decides."""

from __future__ import annotations

import numpy as np
import pytest
from scripted_draws import ScriptedGenerator
from stacks import edges_of, free, graph

from bnsearch.genetic.bncpso import BNCPSO, copy_parent_sets, mutate_edges
from bnsearch.genetic.cga import CGA, cross_strings, flip_bits
from bnsearch.genetic.dga import DGA, draw_pairs, mutate_both
from bnsearch.genetic.encoding import cross_both


def test_cga_crosses_below_its_rate():
    """
    With rate .5 the first pair (.49) is crossed, the second (.5) is not.

    Cut after 1 of 4 bits, listed parent by parent: the first pair keeps the bit of 0 -> 0 alone.
    """
    ones, zeros = np.ones((2, 2, 2), dtype=bool), np.zeros((2, 2, 2), dtype=bool)
    rng = ScriptedGenerator([0.49, 0.5], [1, 2])
    crossed = cross_strings(ones, zeros, 0.5, rng)
    assert crossed.transpose(0, 2, 1).reshape(2, 4).tolist() == [[True, False, False, False], [True] * 4]
    assert rng.requests == [("random",), ("integers", 0, 5)]  # a cut before any of the 4 bits, or after the last


def test_cga_flips_below_its_rate():
    """With rate .1 the first graph (.09) gets 1 -> 0, the second (.1) stays, the third (0) loses 1 -> 0."""
    rng = ScriptedGenerator([0.09, 0.1, 0.0], [[0, 0], [1, 1]])
    flipped = flip_bits(np.stack([graph(3), graph(3), graph(3, (1, 0))]), 0.1, rng)
    assert [edges_of(matrix) for matrix in flipped] == [{(1, 0)}, set(), set()]
    assert rng.requests[1] == ("integers", 0, 3)


def test_cga_breeds_at_its_own_rates():
    """
    Two mothers 0 -> 1, two fathers 1 -> 0 and 2 -> 1; crossover .5, mutation .1.

    The first pair is cut after 4 of 9 bits: 0 -> 1 (bit 1) of the mother, 2 -> 1 (bit 7) of the father. It is not
    mutated (.1). The second is not crossed (.5), and mutated (.09): 1 -> 2 is flipped.
    """
    mothers, fathers = (np.repeat(some[None], 2, axis=0) for some in (graph(3, (0, 1)), graph(3, (1, 0), (2, 1))))
    rng = ScriptedGenerator([0.4, 0.5], [4, 9], [0.1, 0.09], [[2], [1]], [5])
    (offspring,) = CGA().breed((mothers,), (fathers,), free(3, 3), rng)
    assert [edges_of(matrix) for matrix in offspring] == [{(0, 1), (2, 1)}, {(0, 1), (1, 2)}]
    assert not rng.draws


def test_cga_repairs_its_offspring():
    """The father's 1 -> 0 (bit 3) after the mother's 0 -> 1 (bit 1) is a cycle, which loses one of the two edges."""
    mother, father = graph(2, (0, 1))[None], graph(2, (1, 0))[None]
    (offspring,) = CGA().breed((mother,), (father,), free(2, 2), ScriptedGenerator([0.0], [2], [0.9], [[], []], [5]))
    assert edges_of(offspring[0]) in ({(0, 1)}, {(1, 0)})


def test_pairs_of_different_numbers():
    """The second number lies 1 to n - 1 steps behind the first, counted in a circle: 2 + 2 is 1 of 3."""
    rng = ScriptedGenerator([0, 2], [1, 2])
    assert [drawn.tolist() for drawn in draw_pairs(3, 2, rng)] == [[0, 2], [1, 1]]
    assert rng.requests == [("integers", 0, 3), ("integers", 1, 3)]


def test_dga_mutates_below_its_rate():
    """
    With rate .5 the first individual (.5) stays; the second (.49) has the ordering 0, 1, 2 and the edge 0 -> 1.

    The connection of the third place with the second is flipped: 1 -> 2 is added. Then the first two places are
    swapped: 1, 0, 2 with 1 -> 0 and 0 -> 2.
    """
    orders = np.array([[2, 0, 1], [0, 1, 2]])
    graphs = np.stack([graph(3, (2, 1)), graph(3, (0, 1))])
    rng = ScriptedGenerator([0.5, 0.49], [2], [2], [0], [1])
    new_orders, new = mutate_both(orders, graphs, 0.5, free(3, 3), rng)
    assert new_orders.tolist() == [[2, 0, 1], [1, 0, 2]]
    assert [edges_of(matrix) for matrix in new] == [{(2, 1)}, {(1, 0), (0, 2)}]


def test_dga_needs_two_variables_and_a_mutant():
    """Without mutants, and with one variable, nothing more is drawn; two variables are enough."""
    orders, graphs = np.array([[0]]), np.zeros((1, 1, 1), dtype=bool)
    assert mutate_both(orders, graphs, 1.0, free(1, 1), ScriptedGenerator([0.5]))[0] is orders
    orders, graphs = np.array([[0, 1]]), np.zeros((1, 2, 2), dtype=bool)
    assert mutate_both(orders, graphs, 0.1, free(2, 1), ScriptedGenerator([0.5]))[0] is orders
    new_orders, new = mutate_both(orders, graphs, 1.0, free(2, 1), ScriptedGenerator([0.5], [0], [1], [1], [1]))
    assert (new_orders.tolist(), edges_of(new[0])) == ([[1, 0]], {(1, 0)})


def test_dga_crosses_orderings_and_connections():
    """
    Orderings 0, 1, 2 and 2, 1, 0, each with the edges along its ordering.

    Cut after 1 place: 0, then 2, 1. The first has all of its connections, the second none: cut after 2 of 3, the
    connections a12 and a13 are left, which are 0 -> 2 and 0 -> 1.
    """
    first = np.array([[0, 1, 2]]), graph(3, (0, 1), (0, 2), (1, 2))[None]
    second = np.array([[2, 1, 0]]), graph(3)[None]
    rng = ScriptedGenerator([1], [2])
    orders, graphs = cross_both(first, second, rng)
    assert orders.tolist() == [[0, 2, 1]]
    assert edges_of(graphs[0]) == {(0, 2), (0, 1)}
    assert rng.requests == [("integers", 0, 4), ("integers", 0, 4)]  # 3 places, 3 connections


def test_dga_breeds_at_its_own_rates():
    """
    Two pairs of 0, 1 with 0 -> 1 and 1, 0 without edges; crossover .65, mutation .05.

    Cut before everything, an offspring is the second member. The first pair (.64) is crossed and not mutated (.05); the
    second (.65) is not crossed, and mutated (.04): its edge is flipped away and the ordering swapped.
    """
    mothers = np.array([[0, 1]] * 2), np.repeat(graph(2, (0, 1))[None], 2, axis=0)
    fathers = np.array([[1, 0]] * 2), np.zeros((2, 2, 2), dtype=bool)
    rng = ScriptedGenerator([0, 0], [0, 0], [0.64, 0.65], [0.05, 0.04], [0], [1], [0], [1])
    orders, graphs = DGA().breed(mothers, fathers, free(2, 2), rng)
    assert orders.tolist() == [[1, 0], [1, 0]]
    assert [edges_of(matrix) for matrix in graphs] == [set(), set()]
    assert mothers[0].tolist() == [[0, 1]] * 2


def test_dga_drops_surplus_parents():
    """With one parent allowed, 2 keeps the one of the higher draw: 1."""
    stack = np.array([[0, 1, 2]]), graph(3, (0, 2), (1, 2))[None]
    rng = ScriptedGenerator([3], [3], [0.9], [0.9], [[0.1, 0.7, 0.9]])
    _, graphs = DGA().breed(stack, stack, free(3, 1), rng)
    assert edges_of(graphs[0]) == {(1, 2)}


def test_bncpso_copies_between_two_cuts():
    """With rate .5: cuts 2 and 1 copy variable 1 (.49); cuts 0 and 3 copy nothing (.5); cuts 1 and 1 neither."""
    better, graphs = np.ones((3, 3, 3), dtype=bool), np.zeros((3, 3, 3), dtype=bool)
    rng = ScriptedGenerator([[[2], [0], [1]], [[1], [3], [1]]], [[0.49], [0.5], [0.0]])
    copied = copy_parent_sets(graphs, better, 0.5, rng)
    assert copied.all(axis=2).tolist() == [[False, True, False], [False] * 3, [False] * 3]
    assert copied.sum() == 3
    assert rng.requests == [("integers", 0, 4), ("random",)]


def test_bncpso_adds_deletes_and_reverses():
    """
    Four times 0 -> 1, 1 -> 2: one edge added, one deleted, one reversed, and a reversal that is not made (.5).

    Candidates are listed child by child. Only 0 - 2 is absent: 2 -> 0 and 0 -> 2; the draw .5 of 2 is the second. Of
    the two edges the draw .49 is the first, 0 -> 1, and .5 the second, 1 -> 2.
    """
    graphs = np.repeat(graph(3, (0, 1), (1, 2))[None], 4, axis=0)
    rng = ScriptedGenerator([0, 1, 2, 2], [0.5, 0.49, 0.5, 0.0], [0.0, 0.49, 0.49, 0.5])
    mutated = mutate_edges(graphs, 0.5, free(3, 3), rng)
    assert [edges_of(matrix) for matrix in mutated] == [
        {(0, 1), (1, 2), (0, 2)},
        {(1, 2)},
        {(0, 1), (2, 1)},
        {(0, 1), (1, 2)},
    ]
    assert rng.requests[0] == ("integers", 0, 3)


@pytest.mark.parametrize(("generations", "expected"), [(1, [0.95]), (2, [0.95, 0.4]), (3, [0.95, 0.675, 0.4])])
def test_the_weights_of_bncpso_reach_their_last_values(generations, expected):
    """The inertia falls from 0.95 in the first generation to 0.4 in the last one, in equal steps."""
    method = BNCPSO(generations=generations)
    assert [method.compute_weights(i)[0] for i in range(1, generations + 1)] == pytest.approx(expected)
