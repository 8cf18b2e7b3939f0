"""MMHC and IK2vMB over scripted parts: the order of their stages, and what each hands to the next."""

from __future__ import annotations

import numpy as np
import pytest
from scripted_tests import ScriptedTester, chain_problem

import bnsearch.independence.ik2vmb as ik2vmb_module
import bnsearch.independence.mmhc as mmhc_module
from bnsearch.dags import Tabu
from bnsearch.errors import InputError
from bnsearch.independence import MMHC, GTest, IK2vMB
from bnsearch.independence.ik2vmb import find_common_effects
from bnsearch.runs.run import Run

CHAIN = chain_problem()


def test_mmhc_hands_its_parameters_on(monkeypatch):
    """The tests have alpha, the rows and the condition, the climb all others; untested pairs are allowed."""
    seen = []

    def find(data, decision, local, run, *, unknown_pairs=False):
        seen.append((decision, local.func.__name__, local.keywords["max_condition"], unknown_pairs))
        assert local.keywords["halted"] == run.halted
        return np.array([[False, True, False], [True, False, False], [False, False, False]])

    monkeypatch.setattr(mmhc_module, "find_mutual_pairs", find)
    monkeypatch.setattr(Tabu, "search_within", lambda climb, allowed, problem, run: seen.append((climb, allowed.sum())))
    method = MMHC(
        alpha=0.02,
        rows_per_degree=3.0,
        max_condition=2,
        length=7,
        patience=8,
        restarts=9,
        perturbation=0.1,
    )
    method.search(CHAIN, Run(seed=1))
    assert seen == [
        (GTest(alpha=0.02, rows_per_degree=3.0), "find_max_min_neighbours", 2, True),
        (Tabu(length=7, patience=8, restarts=9, perturbation=0.1), 2),
    ]


def test_ik2vmb_by_script(monkeypatch):
    """
    The tree a - b, b - c from the root c gives the ordering c, b, a; blankets join a and c besides.

    With a and c the causes of b, b has to wait for a: c, a, b. So c has no candidates, a has c (in its blanket), and
    b has both.
    """
    blankets = np.zeros((3, 3), dtype=bool)
    blankets[0, 2] = blankets[2, 0] = True
    seen = []

    def find_blankets(data, decision, local, run):
        seen.append((decision, local.func.__name__))
        return blankets

    def greedy(candidates, problem, run):
        seen.append([some.tolist() for some in candidates])

    monkeypatch.setattr(ik2vmb_module, "find_mutual_pairs", find_blankets)
    monkeypatch.setattr(ik2vmb_module, "offer_greedy_network", greedy)
    for effects, candidates in (([(0, 1, 2)], [[2], [2, 0], []]), ([], [[2, 1], [2], []])):
        monkeypatch.setattr(ik2vmb_module, "find_common_effects", lambda tester, found, effects=effects: effects)
        IK2vMB(root="c", alpha=0.02, rows_per_degree=4.0).search(CHAIN, Run(seed=1))
        assert seen == [(GTest(alpha=0.02, rows_per_degree=4.0), "find_blanket"), candidates]
        seen.clear()
    with pytest.raises(InputError, match="the root 'd' is not a variable"):
        IK2vMB(root="d").search(CHAIN, Run(seed=1))


def test_ik2vmb_draws_its_root():
    """Without a name, the generator of the run draws the root among all variables."""
    roots = set()
    for seed in range(12):
        run = Run(seed=seed)
        expected = int(np.random.default_rng(seed).integers(3))
        IK2vMB().search(CHAIN, run)
        named = Run(seed=seed)
        IK2vMB(root="abc"[expected]).search(CHAIN, named)
        assert run.best() == named.best()
        roots.add(expected)
    assert roots == {0, 1, 2}


def test_ik2vmb_counts_its_tests():
    """Three pairs for the tree, the tests of the blankets and of common effects, and local scores."""
    run = Run(seed=1)
    IK2vMB(root="a").search(CHAIN, run)
    counted = run.progress.evaluations
    blankets, scores = Run(seed=1), Run(seed=1)
    found = ik2vmb_module.find_mutual_pairs(CHAIN.needed_data, GTest(alpha=0.01), ik2vmb_module.find_blanket, blankets)
    assert found.sum() == 4
    ik2vmb_module.offer_greedy_network([np.array([], dtype=np.int64), np.array([0]), np.array([1])], CHAIN, scores)
    assert counted == run.computed == 3 + blankets.progress.evaluations + scores.progress.evaluations
    assert run.progress.iterations == 1


def test_ik2vmb_counts_the_tests_of_common_effects(monkeypatch):
    """Two tests more than without common effects are two evaluations more."""
    without = Run(seed=1)
    IK2vMB(root="a").search(CHAIN, without)

    def find_nothing(tester, blankets):
        tester.strengths([(0, 1), (1, 2)])
        return []

    monkeypatch.setattr(ik2vmb_module, "find_common_effects", find_nothing)
    run = Run(seed=1)
    IK2vMB(root="a").search(CHAIN, run)
    assert run.progress.evaluations == without.progress.evaluations + 2
    assert run.computed == without.computed + 2


def test_common_effects_are_sorted_by_strength():
    """
    0, 1, 2, 3 are all in each other's blankets; 0-1 and 2-3 alone are independent without a condition.

    Given 2, 0-1 depend by 3; given 3, by 5; given 0, 2-3 depend by 4; given 1, not (0). A strength of 0 without a
    condition is independence.
    """
    blankets = ~np.eye(4, dtype=bool)
    alone = {(0, 2): 1.0, (0, 3): 1.0, (1, 2): 1.0, (1, 3): 1.0, (0, 1): 0.0, (2, 3): -1.0}
    given = {((0, 1), (2,)): 3.0, ((0, 1), (3,)): 5.0, ((2, 3), (0,)): 4.0, ((2, 3), (1,)): 0.0}
    found = find_common_effects(ScriptedTester(4, alone, given), blankets)
    assert found == [(0, 3, 1), (2, 0, 3), (0, 2, 1)]
