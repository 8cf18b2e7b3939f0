"""BNPC over scripted tests: which pairs are tested when, and what follows from the answers."""

from __future__ import annotations

import pytest
from scripted_tests import ScriptedTester, chain_problem

import bnsearch.independence.bnpc as bnpc_module
from bnsearch import Knowledge
from bnsearch.independence import BNPC, InformationTest
from bnsearch.independence.bnpc import DependencyAnalysis
from bnsearch.runs.run import Run

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


def long_chain():
    """Return the chain 0 - 2 - 3 - 4 - 1; its ends are separated by 2 and 3, and by 3 and 4."""
    alone = {(0, 2): 9.0, (2, 3): 8.0, (3, 4): 7.0, (1, 4): 6.0, (0, 1): 1.0}
    tester = ScriptedTester(5, alone, {((0, 1), (2, 3)): -1.0, ((0, 1), (3, 4)): -1.0})
    analysis = DependencyAnalysis(tester, Run(), 3)
    analysis.draft()
    assert edges(analysis) == {(0, 2), (2, 3), (3, 4), (1, 4)}
    return analysis


@pytest.mark.parametrize(("pair", "separator"), [((0, 1), {2, 3}), ((1, 0), {3, 4})])
def test_of_equal_cut_sets_that_of_the_first_variable_is_tried_first(pair, separator):
    """Both cut-sets have two members; the one at the side of the first variable separates the pair."""
    analysis = long_chain()
    analysis.thicken([pair])
    assert analysis.find_separator(0, 1) == separator


def test_thinning_tries_the_side_of_the_first_variable_first():
    """The edge between the ends is removed, and the cut-set is that of the first variable of the pair."""
    analysis = long_chain()
    analysis.add_edge(0, 1)
    (first,) = (pair[0] for pair in analysis.pairs if set(pair) == {0, 1})
    analysis.thin()
    assert analysis.find_separator(0, 1) == ({2, 3} if first == 0 else {3, 4})


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


def test_bnpc_runs_its_phases_in_order(monkeypatch):
    """Draft, thicken what it returns, thin; one iteration; tests are evaluations; knowledge and parameters arrive."""
    chain, calls = chain_problem(), []

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
    run.budget.request_stop()
    analysis.separate = analysis.separate_thoroughly = lambda x, y: pytest.fail("tested")
    analysis.thicken(rest)
    analysis.thin()
    assert edges(analysis) == {(0, 1), (1, 2), (2, 3), (0, 2)}
