"""Certificates: every bound passes the checker, damaged certificates and wrong tables do not."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.errors import BnsearchError
from bnsearch.exact import (
    ClusterBound,
    checker,
    find_cluster_bound,
    make_certificate,
    plain_reader,
    write_certificate,
)
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.certificate import certify_optimum
from bnsearch.exact.components import split_into_components
from bnsearch.exact.cut_bound import CutBound
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.learning.learn import learn
from bnsearch.learning.search import search
from bnsearch.networks import load_network
from bnsearch.parent_sets import read_scores, write_scores
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations, Seconds
from candidate_tables import random_candidates, table_of
from clocks import Clock
from reference_exact import best_score
from strategies import examples

Written = tuple[Path, Path, ParentSets, ClusterBound]


def check(table_path: Path, certificate_path: Path) -> float:
    """Return the bound of a certificate."""
    return checker.check_certificate(
        plain_reader.read_table(str(table_path)), json.loads(certificate_path.read_bytes())
    )


def sign(content: dict) -> dict:
    """Return a certificate with the checksum of its content."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    text = json.dumps(content, sort_keys=True)
    return {**content, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def list_rows(table: ParentSets) -> dict[str, list[tuple[float, list[str]]]]:
    """Return a table as the checker takes it."""
    names = table.names
    return {name: [(s, [names[u] for u in own]) for s, own in table.sets(v)] for v, name in enumerate(names)}


@pytest.fixture(scope="module")
def bounded() -> tuple[ParentSets, ClusterBound]:
    """Return a table and its bound."""
    table = random_candidates(9, 20, 3, seed=5)
    return table, find_cluster_bound(table, Budget(10), incumbent=best_score(table))


@pytest.fixture
def written(bounded: tuple[ParentSets, ClusterBound], tmp_path: Path) -> Written:
    """Return the files of a table and of the certificate of its bound, the table and the bound."""
    table, bound = bounded
    write_scores(table, tmp_path / "sets.jkl.gz")
    write_certificate(tmp_path / "certificate.json", table, bound)
    return tmp_path / "sets.jkl.gz", tmp_path / "certificate.json", table, bound


@examples(20)
@given(st.integers(1, 12), st.integers(2, 20), st.integers(0, 2**32 - 1), st.integers(10, 300))
def test_every_bound_has_a_valid_certificate(tmp_path_factory, n, sets, seed, readings):
    """The checker accepts the bound of a search that stops at any time, and it is not below the optimum."""
    folder = tmp_path_factory.mktemp("certificate")
    table = random_candidates(n, sets, 4, seed) if n > 1 else random_candidates(2, 1, 1, seed)
    bound = find_cluster_bound(table, Budget(readings, clock=Clock(tick=1.0)))
    write_scores(table, folder / "sets.jkl")
    write_certificate(folder / "certificate.json", table, bound)
    assert check(folder / "sets.jkl", folder / "certificate.json") == bound.value >= best_score(table) - 1e-9


def test_the_checker_reads_dominated_sets(tmp_path):
    """The certificate of a score file with dominated sets, names, comments and blank lines is valid for the file."""
    path = tmp_path / "sets.txt"
    path.write_text("# a comment\n2\n\na 3\n-1 0\n-0.5 1 b # best\n-0.5 1 b\nb 3\n-2 0\n-1 1 a\n-3 1 a\n")
    table = read_scores(path)
    write_certificate(tmp_path / "certificate.json", table, find_cluster_bound(table, Budget(10)))
    assert check(path, tmp_path / "certificate.json") == pytest.approx(-2.0, abs=1e-9)  # a alone, b with a


def test_any_change_is_noticed(written):
    """A certificate in which one character differs is refused, or has the same content."""
    table_path, path, *_ = written
    text = path.read_text()
    for at in range(0, len(text), 97):
        path.write_text(text[:at] + ("1" if text[at] != "1" else "2") + text[at + 1 :])
        with pytest.raises((ValueError, KeyError)):
            check(table_path, path)


def change_part(content: dict, **changes: object) -> dict:
    """Return a certificate whose only part has other values."""
    return content | {"parts": [content["parts"][0] | changes]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c | {"bound": c["bound"] - 0.01}, "more than the claimed bound"),
        (lambda c: change_part(c, bound=c["bound"] - 0.01), "exceeds the claimed bound"),
        (lambda c: change_part(c, nodes=[[-1, None, [c["parts"][0]["nodes"][0][2][0][:1]]]]), "exceeds the claimed"),
        (lambda c: change_part(c, cuts=[[[0, 1], 3, []]] * 99), "a cut is invalid"),
        (lambda c: change_part(c, cuts=[[[0, 99], 1, []]] * 99), "a cut is invalid"),
        (lambda c: change_part(c, cuts=[[[0, 0], 1, []]] * 99), "a cut is invalid"),
        (lambda c: change_part(c, cuts=[[[0, 1], 1.5, []]] * 99), "a number with a fraction"),
        (lambda c: change_part(c, nodes=[[-1, None, [[[0, -1.0]]]]]), "a multiplier is negative"),
        (lambda c: change_part(c, nodes=[[-1, None, []]]), "exceeds the claimed"),
        (lambda c: change_part(c, nodes=[[-1, None, []], [0, [0, 1], []]]), "exceeds the claimed"),
        (lambda c: change_part(c, nodes=[[-1, None, []], [0, [0, 0], []], [0, [0, 0], []]]), "exceeds the claimed"),
        (lambda c: change_part(c, nodes=[[-1, None, []], [0, [0, 1], []], [0, [2, 1], []]]), "exceeds the claimed"),
        (lambda c: c | {"parts": []}, "more than the claimed bound"),
        (lambda c: c | {"variables": [*c["variables"], "more"]}, "a table of other variables"),
        (lambda c: c | {"version": 1}, "version 2"),
    ],
)
def test_wrong_proofs_are_refused(written, change, message):
    """A certificate with a correct checksum must still prove its bound."""
    table_path, path, *_ = written
    path.write_text(json.dumps(sign(change(json.loads(path.read_bytes())))))
    with pytest.raises(ValueError, match=message):
        check(table_path, path)


def test_a_variable_in_two_parts_is_refused(written):
    """The bounds of parts can be added only if they have no variable in common."""
    table_path, path, *_ = written
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps(sign(content | {"parts": content["parts"] * 2})))
    with pytest.raises(KeyError):
        check(table_path, path)


def test_a_table_with_better_sets_is_refused(written, tmp_path):
    """The bound must hold over the table that the checker is given."""
    _, path, table, _ = written
    better = ParentSets(table.names, table.begin, np.where(table.sizes > 0, table.scores + 1.0, table.scores),
                        table.first, table.members)  # fmt: skip
    write_scores(better, tmp_path / "better.jkl")
    with pytest.raises(ValueError, match="exceeds the claimed bound"):
        check(tmp_path / "better.jkl", path)


@examples(25)
@given(st.integers(2, 11), st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_every_proof_of_branch_and_cut_has_a_valid_certificate(n, sets, seed):
    """The checker follows the tree with its precedences, dropped sets and local cuts, and finds the optimum."""
    pytest.importorskip("highspy")
    table = random_candidates(n, sets, 4, seed)
    proofs = [BranchAndCut(part, part.begin[1:] - 1).solve() for part in split_into_components(table) if part.size > 1]
    certificate = make_certificate(table, proofs)
    assert checker.check_certificate(list_rows(table), certificate.content) == pytest.approx(best_score(table))


def test_branched_proofs_are_certified():
    """Some of these tables need several nodes and local cuts; a tree without its last nodes proves less."""
    pytest.importorskip("highspy")
    branched = local = 0
    for seed in range(8):
        table = random_candidates(11, 40, 4, seed)
        proofs = [BranchAndCut(part, part.begin[1:] - 1).solve() for part in split_into_components(table)]
        content = make_certificate(table, [proof for proof in proofs if proof.component.size > 1]).content
        assert checker.check_certificate(list_rows(table), content) == pytest.approx(best_score(table))
        local += sum(cut[1] == 0 for part in content["parts"] for cut in part["cuts"])
        for part in content["parts"]:
            if len(part["nodes"]) > 1:
                branched += 1
                part["nodes"] = part["nodes"][:-1]
                with pytest.raises(ValueError, match="exceeds the claimed bound"):
                    checker.check_certificate(list_rows(table), sign(content))
    assert branched
    assert local


@pytest.mark.parametrize("readings", [5, 50, 500])
def test_bounds_of_a_stopped_search_are_certified(readings):
    """Branch and cut in slices has a certificate at any time, with the bound that it reports."""
    pytest.importorskip("highspy")
    table = random_candidates(14, 60, 4, seed=3)
    ascent = PricedAscent(table)
    ascent.improve(Budget(60), max_rounds=3)
    search = CutBound(table, table.begin[1:] - 1, ascent.bound)
    for _ in range(3):
        value = search.improve(Budget(readings, clock=Clock(tick=1.0)))
        proof = search.make_proofs() if search.value < ascent.bound.value else ascent.bound
        bound = checker.check_certificate(list_rows(table), make_certificate(table, proof).content)
        assert bound == pytest.approx(value)
        assert value >= best_score(table) - 1e-9


def test_the_optimum_of_dynamic_programming_is_certified():
    """A component without a proof is proven by branch and cut."""
    table = random_candidates(8, 20, 3, seed=4)
    result = search(Problem(table=table), "exact", seed=1)
    assert result.optimal
    assert result.certificate.bound == pytest.approx(result.score, abs=1e-9)
    assert checker.check_certificate(list_rows(table), result.certificate.content) == pytest.approx(result.score)
    rows = np.array([table.begin[v + 1] - 1 for v in range(8)])
    assert certify_optimum(table, rows, []).bound == pytest.approx(result.score, abs=1e-9)


def test_a_component_of_best_parent_sets_is_certified():
    """
    x0 and x1 are a component; their best sets {x2} and {x0} are on no cycle, so no cut is needed.

    x3 and x4 are another component: one of them has no parent. The best score is -1 - 1 - 3 - 1 - 3 = -9.
    """
    pytest.importorskip("highspy")
    none = frozenset[int]()
    first = [{none: -3.0, frozenset({1}): -2.0, frozenset({2}): -1.0}, {none: -3.0, frozenset({0}): -1.0}]
    second = [{none: -3.0, frozenset({4}): -1.0}, {none: -3.0, frozenset({3}): -1.0}]
    table = table_of([*first, {none: -3.0}, *second])
    result = search(Problem(table=table), "exact", seed=1)
    assert result.score == -9.0
    assert checker.check_certificate(list_rows(table), result.certificate.content) == -9.0


def test_the_time_for_a_certificate_is_limited():
    """Branch and cut ends after the time for it; the error says what is missing and what to do."""
    table = random_candidates(8, 20, 3, seed=4)
    with pytest.raises(BnsearchError, match=r"no certificate: .* within 0 s; .*limit the number of parents"):
        certify_optimum(table, table.begin[1:] - 1, [], max_seconds=0.0)


def test_the_error_names_the_extra(monkeypatch):
    """Without highspy, the error also says how to install it."""
    monkeypatch.setitem(sys.modules, "highspy", None)
    table = random_candidates(8, 20, 3, seed=4)
    with pytest.raises(BnsearchError, match=r"install the faster solver highspy \(.*'\.\[exact\]' in a copy"):
        certify_optimum(table, table.begin[1:] - 1, [], max_seconds=0.0)


@pytest.mark.parametrize("stop", [Iterations(200), Seconds(1.0)])
def test_the_bound_of_learn_is_certified(stop, tmp_path):
    """The certificate of the islands' bound is valid for the table that it is written with."""
    data = load_network("greenhouse").sample(300, 1)
    wide = data.codes.T.repeat(4, axis=1) ^ (np.random.default_rng(1).random((300, 4 * data.n_variables)) < 0.1)
    result = learn(wide.astype(int), seconds=None, stop=stop, seed=1, threads=2, clock=Clock(tick=1e-3))
    assert result.bound >= result.score - 1e-9 * abs(result.score)
    result.certificate.write(tmp_path / "certificate.json")
    result.certificate.write_table(tmp_path / "sets.jkl.gz")
    assert check(tmp_path / "sets.jkl.gz", tmp_path / "certificate.json") == pytest.approx(result.bound, rel=1e-9)


def test_other_methods_have_no_certificate():
    """Hill climbing has no bound."""
    assert learn(load_network("asia").sample(100, 1), method="hillclimb", seconds=1, seed=1).certificate is None


def test_the_checker_is_short_and_independent():
    """The checker has at most a hundred lines and imports only the standard library."""
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert source.count("\n") <= 100
    source += Path(plain_reader.__file__).read_text(encoding="utf-8")
    tree = ast.walk(ast.parse(source.replace("from __future__ import annotations", "")))
    imported = {node.module for node in tree if isinstance(node, ast.ImportFrom)}
    assert imported == {"functools", "itertools", "pathlib", "typing"}
