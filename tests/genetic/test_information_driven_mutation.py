"""Information-driven mutation: which edges may change, which are more likely, and how the ordering follows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_draws import ScriptedGenerator
from stacks import edges_of, follows, free, graph, random_individuals, random_problem

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.information import compute_mutual_information, find_related_pairs
from bnsearch.genetic.mutation import add_edges, delete_edges, mutate_by_information, reverse_edges
from bnsearch.genetic.selection import draw_by_merit
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.bic import BIC
from strategies import examples

PROBLEM = random_problem(6, 80, seed=5)
SPACE = free(6, 3)
INFORMATION = compute_mutual_information(PROBLEM, Run())


def test_favour_draws_by_rank():
    """Owner 0 has merits 5, 9, 7: weights 1/3, 1, 1/2, so probabilities 2/11, 6/11, 3/11. Owner 2 has one, 1 none."""
    rng = np.random.default_rng(0)
    owner, merit = np.array([0, 0, 2, 0]), np.array([5.0, 9.0, 1.0, 7.0])
    draws = np.stack([draw_by_merit(owner, merit, 3, rng) for _ in range(1100)])
    assert (draws[:, 1] == -1).all()
    assert (draws[:, 2] == 2).all()
    counts = Counter(draws[:, 0].tolist())
    assert abs(counts[0] - 200) < 50
    assert abs(counts[1] - 600) < 60
    assert abs(counts[3] - 300) < 55


def test_draws_without_candidates():
    """An owner without candidates gets -1."""
    nothing = np.empty(0, dtype=np.int64)
    assert draw_by_merit(nothing, np.empty(0), 2, np.random.default_rng(0)).tolist() == [-1, -1]


def reversible_edges(matrix, order):
    """Return the edges (parent, child) that the kernel finds reversible."""
    from bnsearch.genetic.kernels_graphs import find_reversible

    found = np.empty((1, *matrix.shape), dtype=bool)
    find_reversible(matrix[None], np.array([order]), found)
    return edges_of(found[0])


def test_reversible_edges_by_hand():
    """In 0 -> 1 -> 2, 0 -> 2 the edge 0 -> 2 has another way around: its reversal would close a cycle."""
    assert reversible_edges(graph(3, (0, 1), (1, 2), (0, 2)), [0, 1, 2]) == {(0, 1), (1, 2)}


@examples(40)
@given(st.integers(0, 10_000))
def test_reversible_edges_by_definition(seed):
    """An edge is reversible if and only if the graph with it reversed is acyclic."""
    some, _ = random_individuals(PROBLEM, 1, seed)
    matrix, order = some.graphs[0], some.orders[0]
    found = reversible_edges(matrix, order)
    for parent, child in edges_of(matrix):
        turned = matrix.copy()
        turned[child, parent], turned[parent, child] = False, True
        try:
            DAG.from_adjacency("abcdef", turned.T)
            acyclic = True
        except InputError:
            acyclic = False
        assert ((parent, child) in found) == acyclic


def test_ordering_after_a_reversal():
    """Along 0, 1, 2, 3, 4 the edge 1 -> 4 is reversed: 4 and its parent 3 go in front of 1, 2 stays behind."""
    from bnsearch.genetic.kernels_graphs import put_before

    orders = np.array([[0, 1, 2, 3, 4]])
    put_before(graph(5, (1, 4), (3, 4), (1, 2))[None], orders, np.array([4]), np.array([1]))
    assert orders.tolist() == [[0, 3, 4, 1, 2]]


@pytest.mark.parametrize("kind", ["add", "delete", "reverse"])
def test_one_edge_changes(kind):
    """One edge is added, deleted or reversed; graphs follow their orderings; no variable has too many parents."""
    old, families = random_individuals(PROBLEM, 60, 3)
    rng = np.random.default_rng(0)
    orders, graphs = old.orders, old.graphs
    if kind == "add":
        new = add_edges(orders, graphs, INFORMATION, SPACE, rng)
    elif kind == "delete":
        new = delete_edges(graphs, SPACE, families, rng)
    else:
        orders, new = reverse_edges(orders, graphs, SPACE, families, rng)
    assert all(follows(matrix, order) for matrix, order in zip(new, orders, strict=True))
    assert (new.sum(axis=2) <= 3).all()
    more = {"add": (1, 0), "delete": (0, 1), "reverse": (1, 1)}[kind]
    for before, after in zip(graphs, new, strict=True):
        gone, come = edges_of(before) - edges_of(after), edges_of(after) - edges_of(before)
        assert (len(come), len(gone)) in {more, (0, 0)}
        assert kind != "reverse" or gone == {(child, parent) for parent, child in come}
    assert (new != graphs).any(axis=(1, 2)).sum() > 50


def test_good_deletions_are_favoured():
    """Of a strong edge 0 -> 1 (a copy) and useless ones, deleting the strong one has rank 3 of 3: 2 in 11 draws."""
    rng = np.random.default_rng(0)
    column = rng.integers(2, size=200)
    rows = np.stack([column, column, rng.integers(2, size=200), rng.integers(2, size=200)], axis=1)
    problem = Problem(data=Dataset.from_codes(rows), score=BIC())
    graphs = np.repeat(graph(4, (0, 1), (0, 2), (0, 3))[None], 1100, axis=0)
    new = delete_edges(graphs, free(4, 3), FamilyScores(problem, Run(seed=0)), rng)
    lost = 1100 - new[:, 1, 0].sum()
    assert abs(lost - 200) < 50


@examples(20)
@given(st.integers(0, 10_000))
def test_mutants_follow_their_orderings(seed):
    """Mutants follow their orderings, the input is not changed, and all three kinds of mutation occur."""
    old, families = random_individuals(PROBLEM, 40, seed)
    orders, graphs = old.orders.copy(), old.graphs.copy()
    new_orders, new = mutate_by_information(orders, graphs, INFORMATION, SPACE, families, np.random.default_rng(seed))
    assert np.array_equal(orders, old.orders)
    assert np.array_equal(graphs, old.graphs)
    assert all(follows(matrix, order) for matrix, order in zip(new, new_orders, strict=True))
    change = new.sum(axis=(1, 2)) - graphs.sum(axis=(1, 2))
    assert {-1, 0, 1} == set(change.tolist())


@examples(20)
@given(st.integers(0, 10_000))
def test_mutation_within_related_pairs(seed):
    """Edges are added and reversed only between pairs of the search space; any edge may be deleted."""
    old, families = random_individuals(PROBLEM, 60, seed)
    within = find_related_pairs(INFORMATION, np.linspace(0.2, 1.0, 60))
    _, new = mutate_by_information(
        old.orders, old.graphs, INFORMATION, SPACE, families, np.random.default_rng(seed), within
    )
    assert not (new & ~old.graphs & ~within).any()
    assert (new & ~old.graphs).any()
    assert (old.graphs & ~new & ~within).any()


def test_nothing_to_add_or_reverse_outside_the_space():
    """With an empty search space a third of 300 mutations deletes an edge; the others change nothing."""
    old, families = random_individuals(PROBLEM, 300, 1)
    within = np.zeros_like(old.graphs)
    orders, new = mutate_by_information(
        old.orders, old.graphs, INFORMATION, SPACE, families, np.random.default_rng(1), within
    )
    lost = old.graphs.sum(axis=(1, 2)) - new.sum(axis=(1, 2))
    assert set(lost.tolist()) == {0, 1}
    assert abs(lost.sum() - 100) < 35  # about four deviations
    assert np.array_equal(orders, old.orders)


def test_additions_by_script():
    """
    Along 0, 1, 2 with information .5 of 0-1, .4 of 1-2 and .2 of 0-2, and 0 -> 1 present: 1 -> 2 ranks before 0 -> 2.

    The weights of the two ranks are 1 and 1/2: of their sum, draws below 2/3 take the first.
    """
    information = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, 0.4], [0.2, 0.4, 0.0]])
    orders, graphs = np.array([[0, 1, 2]] * 3), np.repeat(graph(3, (0, 1))[None], 3, axis=0)
    rng = ScriptedGenerator([0.0, 0.66, 0.67])
    new = add_edges(orders, graphs, information, free(3, 3), rng)
    assert [edges_of(matrix) - {(0, 1)} for matrix in new] == [{(1, 2)}, {(1, 2)}, {(0, 2)}]
    full = add_edges(orders[:1], graphs[:1], information, free(3, 1), ScriptedGenerator([0.0]))
    assert edges_of(full[0]) == {(0, 1), (1, 2)}  # with one parent each, 2 has room and 1 has not


def test_additions_need_room():
    """With one parent each and 1 -> 2 present, 0 -> 1 alone can be added, though 0 -> 2 has more information."""
    information = np.array([[0.0, 0.1, 0.9], [0.1, 0.0, 0.5], [0.9, 0.5, 0.0]])
    new = add_edges(np.array([[0, 1, 2]]), graph(3, (1, 2))[None], information, free(3, 1), ScriptedGenerator([0.0]))
    assert edges_of(new[0]) == {(1, 2), (0, 1)}


class GivenScores:
    """Local scores by hand: of a child with each parent set, -10 where nothing is given."""

    def __init__(self, scores: dict[tuple[int, tuple[int, ...]], float]) -> None:
        self.scores = scores

    def score_families(self, children, parents):
        """Return the scores."""
        families = [(int(c), tuple(np.flatnonzero(row).tolist())) for c, row in zip(children, parents, strict=True)]
        return np.array([self.scores.get(family, -10.0) for family in families])


def test_deletions_by_script():
    """
    0 -> 1 and 0 -> 2; without parents 1 scores -3 less and 2 scores 1 more: 0 -> 2 ranks first.

    The draws 0 and .66 of 3/2 take the first, .67 the second.
    """
    scores = GivenScores({(1, ()): -13.0, (2, ()): -9.0})
    graphs = np.repeat(graph(3, (0, 1), (0, 2))[None], 3, axis=0)
    new = delete_edges(graphs, free(3, 3), scores, ScriptedGenerator([0.0, 0.66, 0.67]))
    assert [edges_of(matrix) for matrix in new] == [{(0, 1)}, {(0, 1)}, {(0, 2)}]


def test_reversals_by_script():
    """
    0 -> 1 and 0 -> 2 along 0, 1, 2.

    To reverse 0 -> 1 changes 1 by -3 and 0 (given 1) by 5: 2 in all. To reverse 0 -> 2 changes 2 by 1 and 0 (given 2)
    by -4: -3 in all. So 0 -> 1 ranks first; reversed, 1 stands before 0. With one parent each, 0 has room for one.
    """
    scores = GivenScores({(1, ()): -13.0, (0, (1,)): -5.0, (2, ()): -9.0, (0, (2,)): -14.0})
    orders, graphs = np.array([[0, 1, 2]] * 2), np.repeat(graph(3, (0, 1), (0, 2))[None], 2, axis=0)
    new_orders, new = reverse_edges(orders, graphs, free(3, 1), scores, ScriptedGenerator([0.66, 0.67]))
    assert new_orders.tolist() == [[1, 0, 2], [2, 0, 1]]
    assert [edges_of(matrix) for matrix in new] == [{(1, 0), (0, 2)}, {(2, 0), (0, 1)}]
    assert orders.tolist() == [[0, 1, 2]] * 2


def test_reversals_need_room():
    """In 0 -> 2, 1 -> 0 with one parent each, 0 has its parent: only 1 -> 0 can be reversed."""
    new_orders, new = reverse_edges(
        np.array([[1, 0, 2]]), graph(3, (0, 2), (1, 0))[None], free(3, 1), GivenScores({}), ScriptedGenerator([0.99])
    )
    assert edges_of(new[0]) == {(0, 2), (0, 1)}
    assert new_orders.tolist() == [[0, 1, 2]]


def test_kinds_of_mutation_by_script():
    """Of three graphs 0 -> 1 the first gets an edge, the second loses its edge, the third has it reversed."""
    orders, graphs = np.array([[0, 1, 2]] * 3), np.repeat(graph(3, (0, 1))[None], 3, axis=0)
    information = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, 0.4], [0.2, 0.4, 0.0]])
    rng = ScriptedGenerator([0, 1, 2], [0.0], [0.0], [0.0])
    new_orders, new = mutate_by_information(orders, graphs, information, free(3, 3), GivenScores({}), rng)
    assert [edges_of(matrix) for matrix in new] == [{(0, 1), (1, 2)}, set(), {(1, 0)}]
    assert new_orders.tolist() == [[0, 1, 2], [0, 1, 2], [1, 0, 2]]
    assert rng.requests[0] == ("integers", 0, 3)


def test_kinds_within_pairs_by_script():
    """Each graph has pairs of its own: 0-2 alone may be added in the first, and 0-1 not reversed in the third."""
    orders, graphs = np.array([[0, 1, 2]] * 3), np.repeat(graph(3, (0, 1))[None], 3, axis=0)
    within = np.stack([graph(3, (0, 2), (2, 0)), graph(3), graph(3, (1, 2), (2, 1))])
    rng = ScriptedGenerator([0, 1, 2], [0.0], [0.0], [0.0])
    _, new = mutate_by_information(orders, graphs, np.ones((3, 3)), free(3, 3), GivenScores({}), rng, within)
    assert [edges_of(matrix) for matrix in new] == [{(0, 1), (0, 2)}, set(), {(0, 1)}]
