"""Linear programs and certificates without highspy."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.exact import checker, plain_solver
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.certificate import make_certificate
from bnsearch.exact.components import split_into_components
from bnsearch.exact.linear_program import has_solver, import_solver
from bnsearch.learning.learn import learn
from bnsearch.networks import load_network
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import random_candidates
from reference_exact import best_score
from strategies import examples


@pytest.fixture
def without_highspy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let highspy be absent."""
    monkeypatch.setitem(sys.modules, "highspy", None)
    assert not has_solver()
    assert import_solver() is plain_solver


def list_rows(table: ParentSets) -> dict[str, list[tuple[float, list[str]]]]:
    """Return a table as the checker takes it."""
    rows = [(table.scores[r], table.members[table.first[r] : table.first[r + 1]]) for r in range(table.n_sets)]
    return {
        name: [(float(s), [table.names[u] for u in own]) for s, own in rows[table.begin[v] : table.begin[v + 1]]]
        for v, name in enumerate(table.names)
    }


def solve_both(module, seed: int):
    """Return the value, the values of the columns and the multipliers of a random program that grows and shrinks."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    solver, empty = module.Highs(), np.zeros(0, dtype=np.int32)
    solver.setOptionValue("output_flag", False)
    solver.changeObjectiveSense(module.ObjSense.kMaximize)
    solver.addRows(1, np.ones(1), np.ones(1), 0, np.zeros(1, dtype=np.int32), empty, np.zeros(0))
    start = np.arange(columns, dtype=np.int32)
    upper = np.full(columns, module.kHighsInf)
    index = np.zeros(columns, dtype=np.int32)
    solver.addCols(columns, rng.random(columns), np.zeros(columns), upper, columns, start, index, np.ones(columns))
    for row in range(rows):
        chosen = np.flatnonzero(rng.random(columns) < 0.6).astype(np.int32)
        lower, upper = (-module.kHighsInf, 0.7) if row % 2 else (0.1 if len(chosen) else 0.0, module.kHighsInf)
        bounds = np.array([lower]), np.array([upper])
        solver.addRows(1, *bounds, len(chosen), np.zeros(1, dtype=np.int32), chosen, np.ones(len(chosen)))
    solver.run()
    if columns > 1:
        solver.changeColsBounds(1, np.zeros(1, dtype=np.int32), np.zeros(1), np.full(1, 0.5))
        solver.deleteCols(1, np.ones(1, dtype=np.int32))
        solver.deleteRows(1, np.ones(1, dtype=np.int32))
        solver.run()
    is_optimal = solver.getModelStatus() == module.HighsModelStatus.kOptimal
    solution = solver.getSolution()
    return is_optimal, solver.getObjectiveValue(), np.array(solution.col_value), np.array(solution.row_dual)


@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_the_solutions_of_highspy(seed: int) -> None:
    """Costs are random, so that the optimum is unique: value and columns agree, also after changes of the program."""
    highspy = pytest.importorskip("highspy")
    is_optimal, value, values, duals = solve_both(plain_solver, seed)
    expected = solve_both(highspy, seed)
    assert is_optimal == expected[0]
    if is_optimal:
        assert value == pytest.approx(expected[1])
        assert values == pytest.approx(expected[2], abs=1e-7)
        assert len(duals) == len(expected[3])


@examples(25)
@given(st.integers(2, 8), st.integers(2, 25), st.integers(0, 2**32 - 1))
def test_certificates_by_definition(n: int, sets: int, seed: int) -> None:
    """The bound of a certificate is the best score, and passes the checker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "highspy", None)
        table = random_candidates(n, sets, 4, seed)
        parts = [part for part in split_into_components(table) if part.size > 1]
        certificate = make_certificate(table, [BranchAndCut(part, part.begin[1:] - 1).solve() for part in parts])
    assert checker.check_certificate(list_rows(table), certificate.content) == pytest.approx(best_score(table))


def test_branched_proofs(without_highspy: None) -> None:
    """Some of these tables need several nodes and local cuts."""
    branched = local = 0
    for seed in (36, 74, 79):
        table = random_candidates(9, 40, 4, seed)
        parts = [part for part in split_into_components(table) if part.size > 1]
        content = make_certificate(table, [BranchAndCut(p, p.begin[1:] - 1).solve() for p in parts]).content
        assert checker.check_certificate(list_rows(table), content) == pytest.approx(best_score(table))
        branched += sum(len(part["nodes"]) > 1 for part in content["parts"])
        local += sum(cut[1] == 0 for part in content["parts"] for cut in part["cuts"])
    assert branched
    assert local


@pytest.mark.parametrize("method", ["auto", "exact"])
def test_a_proof_of_dynamic_programming_has_a_certificate(without_highspy: None, method: str) -> None:
    """The optimum of 12 variables is proven and certified."""
    data = load_network("greenhouse").sample(300, 1)
    result = learn(data.select(data.names[:12]), method=method, seconds=60, seed=1)
    assert result.optimal
    assert result.certificate.bound == pytest.approx(result.score)
    table = list_rows(result.certificate.table)
    assert checker.check_certificate(table, result.certificate.content) == pytest.approx(result.score)
