"""Parents and children, and Markov blankets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Oracle, dags, skeleton

from bnsearch.data import Dataset
from bnsearch.independence import GTest, InformationTest, PairTester, markov_blankets
from bnsearch.independence.neighbourhoods import (
    compute_free_strengths,
    find_blanket,
    find_max_min_neighbours,
    find_mutual_pairs,
)
from bnsearch.networks import load_network
from bnsearch.runs.run import Run
from reference_independence import blanket_of, max_min_set
from strategies import examples, tables


@given(tables(min_variables=2, max_variables=5, max_rows=200), st.sampled_from([1, 2, 4]), st.booleans())
@examples(60)
def test_max_min_finds_what_its_definition_finds(table, most, by_information):
    """The weakest dependences, updated at each step, equal those computed again over all conditions."""
    rule = InformationTest(threshold=0.02) if by_information else GTest()
    tester = PairTester(table.dataset, rule)

    def strength(x, y, condition):
        return tester.strengths([(x, y)], [condition])[0]

    for target in range(len(table.columns)):
        candidates = np.delete(np.arange(len(table.columns)), target)
        found = find_max_min_neighbours(tester, target, candidates, most)
        assert set(found) == max_min_set(strength, target, candidates.tolist(), most)


@given(dags())
@examples(60)
def test_no_parent_or_child_is_missed(parents):
    """With tests that are always right, all parents and children are found, possibly with other variables."""
    oracle = Oracle(parents)
    for v, true in enumerate(skeleton(parents)):
        candidates = np.delete(np.arange(len(parents)), v)
        assert true <= set(find_max_min_neighbours(oracle, v, candidates, max_condition=6))


@given(dags())
@examples(60)
def test_blankets_hold_parents_and_children(parents):
    """With tests that cannot err, no parent or child is missed: nothing separates it from the target."""
    oracle = Oracle(parents)
    for v, true in enumerate(skeleton(parents)):
        candidates = np.delete(np.arange(len(parents)), v)
        assert true <= set(find_blanket(oracle, v, candidates))


@pytest.mark.parametrize(
    "parents",
    [[[], [0], [1], [2]], [[], [0], [0], [0]], [[], [], [0, 1], [2]], [[], [0], [0], [1, 2]], [[], [0], [], [2], [2]]],
    ids=["chain", "fork", "collider", "diamond", "two parts"],
)
def test_blankets_by_hand(parents):
    """Parents, children and spouses; no more, no less."""
    oracle = Oracle(parents)
    for v in range(len(parents)):
        candidates = np.delete(np.arange(len(parents)), v)
        assert set(find_blanket(oracle, v, candidates)) == blanket_of(parents, v)


def test_max_min_by_hand_on_a_chain():
    """In a -> b -> c the first enters c's set, and leaves it given b; in b's set both stay."""
    oracle = Oracle([[], [0], [1]])
    assert find_max_min_neighbours(oracle, 2, np.array([0, 1]), 3) == [1]
    assert sorted(find_max_min_neighbours(oracle, 1, np.array([0, 2]), 3)) == [0, 2]
    assert find_max_min_neighbours(oracle, 1, np.array([0, 2]), 3, halted=lambda: True) == []


@pytest.fixture
def copied() -> Dataset:
    """Return x, a copy of it, y that agrees with x in 320 of 400 rows, and z that agrees with y in 320, evenly."""
    x = np.repeat([0, 1], 200)
    y = np.where(np.arange(400) % 5 == 0, 1 - x, x)
    z = np.where(np.arange(400) // 5 % 5 == 0, 1 - y, y)
    return Dataset.from_codes(np.stack([x, x, y, z], axis=1), arities=[2] * 4)


def test_a_copy_hides_no_neighbour_from_max_min(copied):
    """
    Variables 0 and 1 are copies, 2 depends on them, 3 on 2.

    Given 1, a test of 0 and 2 has no degrees of freedom: it does not separate them, so 2 is in the sets of both.
    """
    tester = PairTester(copied, GTest())
    sets = [set(find_max_min_neighbours(tester, v, np.delete(np.arange(4), v), 3)) for v in range(4)]
    assert sets == [{1, 2}, {0, 2}, {0, 1, 3}, {2}]


def test_a_copy_hides_no_neighbour_from_a_blanket(copied):
    """As above: 1 enters the blanket of 0 first; then 2 is tested without it, and 3 given 2, which separates it."""
    assert markov_blankets(copied, GTest(), threads=1) == ((1, 2), (0, 2), (0, 1, 3), (2,))


def test_strengths_with_degrees_of_freedom(copied):
    """Given its copy 1 and 2, variable 0 has none with 3: given 2 it has; what the rows cannot tell stays untold."""
    tester = PairTester(copied, GTest())
    plain = tester.strengths([(0, 3)], [[2]])[0]
    assert np.isnan(tester.strengths([(0, 3)], [[1, 2]])[0])
    assert compute_free_strengths(tester, 0, [3], [1, 2])[0] == plain < 0
    strict = PairTester(copied, GTest(rows_per_degree=150))  # 400 rows are enough for 2 cells of a condition, not for 4
    assert np.isnan(compute_free_strengths(strict, 0, [3], [1, 2])[0])


def test_blankets_of_a_sampled_network():
    """Twenty thousand rows of the greenhouse network show most of its blankets, and little else."""
    network = load_network("greenhouse")
    data = network.sample(20_000, seed=1)
    found = markov_blankets(data)
    true = [blanket_of(network.dag.parents, v) for v in range(len(network.names))]
    shared = sum(len(set(f) & t) for f, t in zip(found, true, strict=True))
    assert shared >= 0.7 * sum(map(len, true))
    assert shared >= 0.8 * sum(map(len, found))
    assert all(v in found[w] for v, members in enumerate(found) for w in members)


@pytest.mark.parametrize("threads", [1, 3])
def test_only_what_is_mutual_stays(threads):
    """0 has 1 and 2 in its set, 1 has 0, and 2 has none: the pair 0, 1 stays; tests are counted."""
    data = load_network("asia").sample(50, seed=1).select(["asia", "tub", "smoke"])
    named = {0: [1, 2], 1: [0], 2: []}

    def local(tester, target, candidates):
        assert sorted([*candidates.tolist(), target]) == [0, 1, 2]
        tester.strengths([(target, candidates[0])])
        return named[target]

    run = Run(threads=threads)
    found = find_mutual_pairs(data, GTest(), local, run)
    assert np.argwhere(found).tolist() == [[0, 1], [1, 0]]
    assert run.progress.evaluations == 3
