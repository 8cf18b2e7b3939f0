"""Knowledge about edges, and the results of methods whose time runs out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Oracle

from bnsearch import Knowledge
from bnsearch.graphs import DAG
from bnsearch.independence import BNPC, MMHC, GTest, IK2vMB
from bnsearch.independence.bnpc import DependencyAnalysis
from bnsearch.independence.neighbourhoods import find_mutual_pairs, limit_to_half_the_time
from bnsearch.independence.orientation import accept_v_structures, orient_skeleton
from bnsearch.independence.tester import PairTester
from bnsearch.learning.search import search
from bnsearch.networks import random_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from knowledge_cases import random_knowledge
from strategies import Table, examples, tables

METHODS = [MMHC(restarts=1), BNPC(), IK2vMB()]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


@every_method
@examples(30)
@given(table=tables(max_variables=6, max_rows=130), seed=st.integers(0, 10_000))
def test_results_are_legal(method, table: Table, seed):
    """For any data and any knowledge, the network is legal, and its score is right."""
    data = table.dataset
    problem = Problem(data=data, score=BIC(), knowledge=random_knowledge(data.names, seed))
    result = search(problem, method, seed=seed, threads=1)
    assert problem.constraints.permits(result.dag)
    assert result.score == pytest.approx(problem.scorer.network(result.dag), rel=1e-9, abs=1e-7)


@every_method
def test_knowing_nothing_changes_nothing(method):
    """Knowledge without content finds the same network."""
    data = random_network(12, 1.2, 3, seed=3).sample(1000, seed=1)
    first, second = (
        search(Problem(data=data, score=BIC(), knowledge=known), method, seed=1, threads=1)
        for known in (None, Knowledge())
    )
    assert first.dag == second.dag


@pytest.mark.parametrize(
    ("known", "edges"),
    [
        ({"required": [("c", "b")]}, {("c", "b"), ("b", "a")}),
        ({"tiers": [["a"], ["b", "c"]]}, {("a", "b"), ("b", "c")}),
        ({"forbidden": [("a", "b"), ("b", "a")]}, {("b", "c")}),
        ({"roots": ["a", "c"]}, {("a", "b"), ("c", "b")}),
        ({"max_parents": 0}, set()),
    ],
    ids=["required", "tiers", "forbidden", "roots", "limits"],
)
def test_skeletons_are_directed_as_known(known, edges):
    """A chain a - b - c: without new v-structures where that can be, with one where both ends must be roots."""
    constraints = Knowledge(**known).constraints("abc")
    assert set(orient_skeleton("abc", [{1}, {0, 2}, {1}], [], range(3), constraints).edges) == edges


def test_known_directions_come_before_v_structures():
    """The edge c -> b is required and a -> d forbidden: b -> c <- d and a -> d <- c fall, a -> b <- c stands."""
    known = Knowledge(required=[("c", "b")], forbidden=[("a", "d")]).constraints("abcd")
    triples = [(1, 2, 3), (0, 3, 2), (0, 1, 2)]
    assert accept_v_structures(triples, 4, [], known) == [set(), {0, 2}, set(), set()]
    assert accept_v_structures([], 4, [(0, 3)], known) == [{3}, {2}, set(), set()]


def test_analyses_join_what_must_and_only_what_may_be():
    """Of a chain 0 - 1 - 2 - 3 the pair 1, 2 may not be joined, and 0 -> 3, which nothing shows, is required."""
    names = "abcd"
    known = Knowledge(required=[("a", "d")], forbidden=[("b", "c"), ("c", "b")]).constraints(names)
    analysis = DependencyAnalysis(Oracle([[], [0], [1], [2]]), Run(), 3, known)
    analysis.thicken(analysis.draft())
    analysis.thin()
    assert 3 in analysis.neighbours[0]
    assert 2 not in analysis.neighbours[1]
    dag = orient_skeleton(names, analysis.neighbours, [], range(4), known)
    assert known.permits(DAG(names, dag.parents))


def test_half_of_the_time():
    """Of 10 seconds 2 are gone: a stage ends at 6, and what follows it at 10; without a limit nothing ends."""
    now = 0.0
    run = Run(Seconds(10), clock=lambda: now)
    now = 2.0
    with limit_to_half_the_time(run):
        now = 5.9
        assert not run.halted()
        now = 6.0
        assert run.halted()
    assert not run.halted()
    free = Run()
    with limit_to_half_the_time(free):
        assert not free.halted()


@pytest.mark.parametrize("unknown_pairs", [False, True])
def test_the_sets_of_tested_variables_decide_for_untested_ones(unknown_pairs):
    """Time for 0 and 1 alone, 0 having chosen 1 and 2, and 1 both 0 and 3: neither was tested of the pair 2, 3."""
    data = random_network(4, 1, 2, seed=1).sample(20, seed=1)
    now = 0.0

    def local(tester, target, candidates):
        nonlocal now
        now += 2.0
        return [[1, 2], [0, 3], [], []][target]

    run = Run(Seconds(10), clock=lambda: now)  # half of it lasts for two targets: the third ends too late
    found = find_mutual_pairs(data, GTest(), local, run, unknown_pairs=unknown_pairs)
    pairs = {(x, y) for x, y in np.argwhere(found).tolist() if x < y}
    assert pairs == {(0, 1), (0, 2), (1, 3)} | ({(2, 3)} if unknown_pairs else set())
    assert "2 of 4 variables" in run.notes[0]


@pytest.mark.parametrize("method", [MMHC(), IK2vMB()], ids=["mmhc", "ik2vmb"])
def test_tests_leave_time_for_the_search(method, monkeypatch):
    """Tests that take a second a batch, and 20 seconds: their time runs out, and edges are found all the same."""
    problem = Problem(data=random_network(12, 1.2, 3, seed=3).sample(2000, seed=1), score=BIC())
    quick, now = PairTester.strengths, 0.0

    def slow(*arguments):
        nonlocal now
        now += 1.0
        return quick(*arguments)

    monkeypatch.setattr(PairTester, "strengths", slow)
    run = Run(Seconds(20), seed=1, clock=lambda: now)
    method.search(problem, run)
    assert "ran out" in run.notes[0]
    assert len(run.best().edges) >= 3
    assert run.progress.score > problem.base_score
