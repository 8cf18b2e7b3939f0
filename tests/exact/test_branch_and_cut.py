"""Branch and cut: compared with the definition, its proofs checked, its stops and its limits."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.exact import Exact, method
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.components import Component, split_into_components
from bnsearch.exact.proof import Proof, Step
from bnsearch.learning.search import search
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from candidate_tables import candidate_tables, random_candidates, table_of
from clocks import Clock
from knowledge_cases import random_knowledge
from reference_exact import best_score
from reference_proof import check_proof
from strategies import examples

pytest.importorskip("highspy")


def solve_component(component: Component, **options) -> Proof:
    """Return the proof of a component, starting from the network without edges."""
    return BranchAndCut(component, component.begin[1:] - 1, **options).solve()


def solve(table: ParentSets) -> tuple[float, list[Proof]]:
    """Return the best score by branch and cut, after a check of the network, and the proofs of the components."""
    proofs = [solve_component(component) for component in split_into_components(table)]
    rows = np.empty(table.n_variables, dtype=np.int64)
    for proof in proofs:
        assert proof.is_complete
        assert proof.score == math.fsum(proof.component.scores[proof.choice])
        rows[proof.component.variables] = proof.component.rows[proof.choice]
    table.network(rows)  # raises an error if there is a cycle
    return math.fsum(table.scores[rows]), proofs


@examples(100)
@given(candidate_tables())
def test_no_network_scores_higher(table):
    """Tables with many ties have the best score of the definition, and their proofs hold."""
    score, proofs = solve(table)
    assert score == pytest.approx(best_score(table), abs=1e-9)
    for proof in proofs:
        check_proof(proof)


@examples(100)
@given(st.integers(2, 12), st.integers(1, 40), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_agrees_with_the_definition(n, sets, max_parents, seed):
    """A plain recursion over all subsets gives the same score."""
    table = random_candidates(n, sets, max_parents, seed)
    assert solve(table)[0] == pytest.approx(best_score(table), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_proofs_hold(seed):
    """Tables that need local cuts and branching have proofs that an independent program accepts."""
    _, proofs = solve(random_candidates(9, 30, 4, seed))
    for proof in proofs:
        check_proof(proof)


def find_branched_proof() -> Proof:
    """Return a proof with several nodes."""
    for seed in range(100):
        for component in split_into_components(random_candidates(11, 40, 4, seed)):
            proof = solve_component(component)
            if len(proof.nodes) > 2:
                return proof
    raise AssertionError("no table needs branching")


def test_a_damaged_proof_is_rejected():
    """Without the multipliers of the root, or with one child only, a proof does not hold."""
    proof = find_branched_proof()
    check_proof(proof)
    kept = [node.steps for node in proof.nodes]
    for node in proof.nodes:
        node.steps = [Step(np.zeros(0, dtype=np.int64), np.zeros(0))]
    with pytest.raises(AssertionError):
        check_proof(proof)
    for node, steps in zip(proof.nodes, kept, strict=True):
        node.steps = steps
    proof.nodes.pop()
    with pytest.raises(AssertionError):
        check_proof(proof)


@pytest.mark.parametrize("calls", [0, 1, 5, 20, 50, 200, 1000])
def test_stopped_early_it_returns_a_bound(calls):
    """The search stops at the n-th call of `halted`: score and bound enclose the best score, and the proof holds."""
    table = random_candidates(12, 60, 4, seed=3)
    (component,) = split_into_components(table)
    left = iter(range(calls))
    proof = solve_component(component, halted=lambda: next(left, None) is None)
    best = best_score(table)
    assert proof.score <= best + 1e-9
    assert best <= proof.bound + 1e-9
    check_proof(proof)


def test_little_memory():
    """With memory for one open node, the newest node comes first, and cuts are few: the score is the same."""
    table = random_candidates(9, 40, 3, seed=3)
    (component,) = split_into_components(table)
    search = BranchAndCut(component, component.begin[1:] - 1, memory=40_000)
    search._max_open = 1
    proof = search.solve()
    assert proof.is_complete
    assert proof.score == pytest.approx(best_score(table), abs=1e-9)


@examples(30)
@given(st.integers(3, 8), st.integers(0, 2**32 - 1))
def test_knowledge(n, seed):
    """With knowledge, branch and cut and dynamic programming agree, also if no network is legal."""
    table = random_candidates(n, 20, 3, seed)
    problem = Problem(table=table, knowledge=random_knowledge(table.names, seed))
    with suppress(InputError):
        restricted = problem.parent_sets
        assert solve(restricted)[0] == pytest.approx(best_score(restricted), rel=1e-9)


def make_ring(n: int) -> ParentSets:
    """Return a table of variables in a ring, each with the next one as its best parent."""
    return table_of([{frozenset[int](): -2.0, frozenset({(v + 1) % n}): -1.0} for v in range(n)])


def test_exact_search_has_no_limit_on_variables():
    """A ring of 200 variables is one component; one variable has no parent."""
    result = search(Problem(table=make_ring(200)), Exact(memory=1 << 20), seed=1, threads=1)
    assert (result.optimal, result.stop) == (True, "complete")
    assert result.score == -201.0
    assert result.bound == -201.0


def test_exact_search_stops_at_the_deadline():
    """The clock moves with each reading, and is read a few times at most after the deadline; a bound exists by then."""
    table = random_candidates(40, 300, 4, seed=1)
    run = Run(Seconds(3), seed=1, threads=1, clock=Clock(tick=0.001))
    Exact().search(Problem(table=table), run)
    assert run.seconds < 3.05
    assert not run.going()
    assert (run.optimal, run.reason) == (False, "seconds")
    assert run.bound is not None
    assert run.progress.score < run.bound < math.fsum(table.scores[table.begin[:-1]]) + 1e-9


def test_components_of_both_kinds(monkeypatch):
    """A ring of 5 variables is solved by dynamic programming, one of 8 by the order graph, within one table."""
    monkeypatch.setattr(method, "MAX_DYNAMIC", 6)
    sets = [{frozenset[int](): -2.0, frozenset({(v + 1) % 5}): -1.0} for v in range(5)]
    sets += [{frozenset[int](): -2.0, frozenset({5 + (v + 1) % 8}): -1.0, frozenset({0}): -1.9} for v in range(8)]
    result = search(Problem(table=table_of(sets)), Exact(), seed=1, threads=1)
    assert result.optimal
    assert result.score == pytest.approx(-6.0 - 8.9, abs=1e-12)


def test_dynamic_programming_takes_over(monkeypatch):
    """If the order graph has no time, dynamic programming solves a component that fits into memory."""
    monkeypatch.setattr(method, "MAX_DYNAMIC", 6)
    monkeypatch.setattr(method, "DYNAMIC_SHARE", 0.0)
    table = random_candidates(12, 60, 4, seed=3)
    result = search(Problem(table=table), Exact(), stop=Seconds(60), seed=1, threads=1)
    assert result.optimal
    assert result.score == pytest.approx(best_score(table), abs=1e-9)
    assert result.evaluations >= 12 << 12
