"""BNPC, MMHC and IK2vMB over scripted tests: which pairs are tested when, and what becomes of the answers."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import Oracle

import bnsearch.independence.bnpc as bnpc_module
import bnsearch.independence.ik2vmb as ik2vmb_module
import bnsearch.independence.mmhc as mmhc_module
from bnsearch import Knowledge
from bnsearch.dags import Tabu
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.independence import BNPC, MMHC, GTest, IK2vMB, InformationTest
from bnsearch.independence.bnpc import DependencyAnalysis
from bnsearch.independence.ik2vmb import find_common_effects
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores import BIC


class ScriptedTester(Oracle):
    """Answers by a script: 1 for pairs and conditions that it does not name."""

    def __init__(self, n, alone, given=None):
        super().__init__([[]] * n)
        self.alone = {frozenset(pair): strength for pair, strength in alone.items()}
        self.given = {(frozenset(pair), frozenset(s)): strength for (pair, s), strength in (given or {}).items()}
        self.asked = []

    def strengths(self, pairs, conditions=None):
        """Return the strengths of the script."""
        conditions = [()] * len(pairs) if conditions is None else conditions
        self.tests += len(pairs)
        self.asked += [(*sorted(pair), tuple(sorted(s))) for pair, s in zip(pairs, conditions, strict=True)]
        return np.array(
            [
                self.given.get((frozenset(pair), frozenset(s)), 1.0)
                if len(s)
                else self.alone.get(frozenset(pair), -1.0)
                for pair, s in zip(pairs, conditions, strict=True)
            ]
        )


STRENGTHS = {(0, 1): 5.0, (1, 2): 4.0, (2, 3): 3.0, (0, 2): 2.0, (1, 3): 1.0}


def edges(analysis):
    """Return the edges of an analysis."""
    return {(x, y) for x, around in enumerate(analysis.neighbours) for y in around if x < y}


def test_bnpc_drafts_the_strongest_pairs():
    """0-1 (5), 1-2 (4) and 2-3 (3) are a tree; 0-2 (2) and 1-3 (1) are left, in this order; 0-3 is independent."""
    analysis = DependencyAnalysis(ScriptedTester(4, STRENGTHS), Run(), 3)
    assert [set(pair) for pair in analysis.draft()] == [{0, 2}, {1, 3}]
    assert edges(analysis) == {(0, 1), (1, 2), (2, 3)}


def test_a_strength_of_zero_is_independence():
    """A pair is dependent above zero: 0-1 (0) is not joined, and nothing separates it."""
    analysis = DependencyAnalysis(ScriptedTester(3, {(0, 1): 0.0, (1, 2): 1e-9}), Run(), 3)
    assert analysis.draft() == []
    assert edges(analysis) == {(1, 2)}
    assert analysis.find_separator(0, 1) == set()
    assert analysis.find_separator(1, 2) is None


def test_bnpc_thickens_what_the_draft_does_not_separate():
    """
    0-2 is separated by 1, and stays out; 1-3 is not separated by 2, and is joined; so 1 and 3 have no separator.

    0-2 goes first. A pair that is joined already is not tested.
    """
    tester = ScriptedTester(4, STRENGTHS, {((0, 2), (1,)): -1.0})
    analysis = DependencyAnalysis(tester, Run(), 3)
    rest = analysis.draft()
    del tester.asked[:]
    analysis.thicken([*rest, (0, 1)])
    assert edges(analysis) == {(0, 1), (1, 2), (2, 3), (1, 3)}
    assert tester.asked[0] == (0, 2, (1,))
    assert (0, 1) not in {asked[:2] for asked in tester.asked}
    assert analysis.find_separator(0, 2) == {1}
    assert analysis.find_separator(1, 3) is None
    analysis.add_edge(0, 2)
    assert analysis.find_separator(0, 2) is None
    assert 0 in analysis.neighbours[2]
    analysis.remove_edge(2, 0)
    assert (0, 2) not in edges(analysis)
    assert 2 not in analysis.neighbours[0]


def thinned(separated, thoroughly, required=None):
    """Thin 0-1, 1-2, 0-2 and 2-3 with scripted answers; return the calls, each with the edges at that time, and all."""
    known = None if required is None else Knowledge(required=required).constraints("abcd")
    analysis = DependencyAnalysis(ScriptedTester(4, STRENGTHS), Run(), 3, known)
    for pair in [(0, 1), (1, 2), (2, 3), (0, 2)]:
        analysis.add_edge(*pair)
    calls = []

    def scripted(kind, answers):
        def separate(x, y):
            pair = (min(x, y), max(x, y))
            calls.append((kind, pair, edges(analysis)))
            return pair in answers

        return separate

    analysis.separate, analysis.separate_thoroughly = scripted("cut", separated), scripted("all", thoroughly)
    analysis.thin()
    return calls, edges(analysis)


def test_bnpc_thins_the_weakest_edge_first():
    """
    In the triangle 0-1 (5), 1-2 (4), 0-2 (2) with 2-3 (3), every edge is taken out for its test, the weakest first.

    Nothing but the edge joins 2 and 3, so it is not tested. First cut-sets are tried for all edges, then all
    conditions. Here nothing separates, and all edges stay.
    """
    calls, left = thinned(set(), set())
    every = {(0, 1), (1, 2), (0, 2), (2, 3)}
    weakest_first = [(0, 2), (1, 2), (0, 1)]
    assert calls == [(kind, pair, every - {pair}) for kind in ("cut", "all") for pair in weakest_first]
    assert left == every


def test_bnpc_parts_what_is_separated():
    """If all pairs of the triangle can be separated, the weakest edge goes, and then none is left to be tested."""
    every = {(0, 1), (1, 2), (0, 2)}
    calls, left = thinned(every, every)
    assert [call[:2] for call in calls] == [("cut", (0, 2))]
    assert left == {(0, 1), (1, 2), (2, 3)}
    calls, left = thinned(set(), {(1, 2)})
    assert [call[:2] for call in calls] == [
        ("cut", (0, 2)), ("cut", (1, 2)), ("cut", (0, 1)), ("all", (0, 2)), ("all", (1, 2)),
    ]  # fmt: skip
    assert left == {(0, 1), (0, 2), (2, 3)}


def test_bnpc_never_parts_required_edges():
    """With 2 -> 0 and 1 -> 2 required, only 0-1 is tested, and goes."""
    calls, left = thinned({(0, 1), (1, 2), (0, 2)}, set(), required=[("c", "a"), ("b", "c")])
    assert [call[:2] for call in calls] == [("cut", (0, 1))]
    assert left == {(1, 2), (0, 2), (2, 3)}


def test_bnpc_takes_neighbours_and_theirs_for_a_cut():
    """Along 0-2-1 and 0-3-4-1, the neighbours of 0, 2 and 3, and their neighbour 4 separate 0 from 1."""
    tester = ScriptedTester(6, {}, {((0, 1), (2, 3, 4)): -1.0})
    analysis = DependencyAnalysis(tester, Run(), 3)
    for pair in [(0, 2), (2, 1), (0, 3), (3, 4), (4, 1)]:
        analysis.add_edge(*pair)
    assert analysis.separate(0, 1)
    assert analysis.separated_by == {frozenset((0, 1)): {2, 3, 4}}


def test_bnpc_prefers_the_side_with_fewer_candidates():
    """Along 0-2-3-4-5-1 with 4-6-5, the side of 0 has 2 and 3, the side of 1 has 5, 4 and 6: that of 0 is first."""
    tester = ScriptedTester(7, {(0, 1): 1.0})
    analysis = DependencyAnalysis(tester, Run(), 3)
    for pair in [(0, 2), (2, 3), (3, 4), (4, 5), (5, 1), (5, 6), (6, 4)]:
        analysis.add_edge(*pair)
    assert analysis.strengths[0, 1] == 1.0
    for x, y in ((0, 1), (1, 0)):
        del tester.asked[:]
        assert not analysis.separate(x, y)
        assert tester.asked[0] == (0, 1, (2, 3))


def test_bnpc_tries_every_small_set_of_neighbours_of_either_side():
    """0-2-1 and 0-3-4-1: near 0 are 2, 3, near 1 are 2, 4. With up to two of them, 2 and 4 separate; with one, no."""
    for max_condition, expected in ((1, False), (2, True)):
        tester = ScriptedTester(5, {(0, 1): 1.0}, {((0, 1), (2, 4)): -1.0})
        analysis = DependencyAnalysis(tester, Run(), max_condition)
        for pair in [(0, 2), (2, 1), (0, 3), (3, 4), (4, 1)]:
            analysis.add_edge(*pair)
        del tester.asked[:]
        assert analysis.separate_thoroughly(0, 1) is expected
        assert analysis.separated_by == ({frozenset((0, 1)): {2, 4}} if expected else {})
        sets = [(), (2,), (3,), (2, 3)], [(), (2,), (4,), (2, 4)]
        assert [asked[2] for asked in tester.asked] == [s for side in sets for s in side if len(s) <= max_condition]


def test_least_important_members_leave_first():
    """Importance is the weaker of the two dependences: 2 has min(9, 1), 3 has 5. With room for one, 3 is kept."""
    tester = ScriptedTester(4, {(0, 2): 9.0, (1, 2): 1.0, (0, 3): 5.0, (1, 3): 5.0})
    tester.max_condition_cells = lambda x, y: 2.0  # room for one binary variable
    analysis = DependencyAnalysis(tester, Run(), 3)
    for pair in [(0, 2), (2, 1), (0, 3), (3, 1)]:
        analysis.add_edge(*pair)
    _ = analysis.strengths
    del tester.asked[:]
    analysis.separate(0, 1)
    assert tester.asked[0] == (0, 1, (3,))


@pytest.fixture
def chain() -> Problem:
    """Return 400 rows of a -> b -> c, each a copy of the one before in four rows of five, evenly."""
    x = np.repeat([0, 1], 200)
    y = np.where(np.arange(400) % 5 == 0, 1 - x, x)
    z = np.where(np.arange(400) // 5 % 5 == 0, 1 - y, y)
    return Problem(data=Dataset.from_codes(np.stack([x, y, z], axis=1), arities=[2] * 3, names="abc"), score=BIC())


def test_bnpc_runs_its_phases_in_order(monkeypatch, chain):
    """Draft, thicken what it returns, thin; one iteration; tests are evaluations; knowledge and parameters arrive."""
    calls = []

    class Recorded(DependencyAnalysis):
        def draft(self):
            calls.append(("draft", self.tester.decision, self.max_condition, self.known))
            return super().draft()

        def thicken(self, pairs):
            calls.append(("thicken", [set(pair) for pair in pairs]))
            super().thicken(pairs)

        def thin(self):
            calls.append(("thin", self.tester.tests))
            super().thin()
            calls.append(self.tester)

    monkeypatch.setattr(bnpc_module, "DependencyAnalysis", Recorded)
    run = Run(seed=1)
    BNPC(threshold=0.02, rows_per_degree=4.0, max_condition=2).search(chain, run)
    decision = InformationTest(threshold=0.02, rows_per_degree=4.0)
    assert calls[:3] == [("draft", decision, 2, None), ("thicken", [{0, 2}]), ("thin", 4)]
    assert {frozenset(edge) for edge in run.best().edges} == {frozenset("ab"), frozenset("bc")}
    assert run.progress.iterations == 1
    assert run.progress.evaluations == run.computed == calls[3].tests
    assert run.progress.score == pytest.approx(chain.scorer.network(run.best()))


def test_bnpc_ends_when_it_is_halted():
    """An interrupted run tests no pairs: phases 2 and 3 leave the draft as it is."""
    run = Run()
    analysis = DependencyAnalysis(ScriptedTester(4, STRENGTHS), run, 3)
    rest = analysis.draft()
    analysis.add_edge(0, 2)
    run.interrupt()
    analysis.separate = analysis.separate_thoroughly = lambda x, y: pytest.fail("tested")
    analysis.thicken(rest)
    analysis.thin()
    assert edges(analysis) == {(0, 1), (1, 2), (2, 3), (0, 2)}


def test_mmhc_hands_its_parameters_on(monkeypatch, chain):
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
        max_parents=4,
        length=7,
        patience=8,
        restarts=9,
        perturbation=0.1,
    )
    method.search(chain, Run(seed=1))
    assert seen == [
        (GTest(alpha=0.02, rows_per_degree=3.0), "find_max_min_neighbours", 2, True),
        (Tabu(max_parents=4, length=7, patience=8, restarts=9, perturbation=0.1), 2),
    ]


def test_ik2vmb_by_script(monkeypatch, chain):
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

    def greedy(candidates, max_parents, problem, run):
        seen.append(([some.tolist() for some in candidates], max_parents))

    monkeypatch.setattr(ik2vmb_module, "find_mutual_pairs", find_blankets)
    monkeypatch.setattr(ik2vmb_module, "offer_greedy_network", greedy)
    for effects, candidates in (([(0, 1, 2)], [[2], [2, 0], []]), ([], [[2, 1], [2], []])):
        monkeypatch.setattr(ik2vmb_module, "find_common_effects", lambda tester, found, effects=effects: effects)
        IK2vMB(root="c", alpha=0.02, rows_per_degree=4.0, max_parents=2).search(chain, Run(seed=1))
        assert seen == [(GTest(alpha=0.02, rows_per_degree=4.0), "find_blanket"), (candidates, 2)]
        seen.clear()
    with pytest.raises(InputError, match="the root 'd' is not a variable"):
        IK2vMB(root="d").search(chain, Run(seed=1))


def test_ik2vmb_draws_its_root(chain):
    """Without a name, the generator of the run draws the root among all variables."""
    roots = set()
    for seed in range(12):
        run = Run(seed=seed)
        expected = int(np.random.default_rng(seed).integers(3))
        IK2vMB().search(chain, run)
        named = Run(seed=seed)
        IK2vMB(root="abc"[expected]).search(chain, named)
        assert run.best() == named.best()
        roots.add(expected)
    assert roots == {0, 1, 2}


def test_ik2vmb_counts_its_tests(chain):
    """Three pairs for the tree, the tests of the blankets and of common effects, and local scores."""
    run = Run(seed=1)
    IK2vMB(root="a").search(chain, run)
    counted = run.progress.evaluations
    blankets, scores = Run(seed=1), Run(seed=1)
    found = ik2vmb_module.find_mutual_pairs(chain.needed_data, GTest(alpha=0.01), ik2vmb_module.find_blanket, blankets)
    assert found.sum() == 4
    ik2vmb_module.offer_greedy_network(
        [np.array([], dtype=np.int64), np.array([0]), np.array([1])], None, chain, scores
    )
    assert counted == run.computed == 3 + blankets.progress.evaluations + scores.progress.evaluations
    assert run.progress.iterations == 1


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
