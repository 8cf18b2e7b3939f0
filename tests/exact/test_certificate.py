"""Certificates: every bound passes the checker, damaged certificates and wrong tables do not."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.errors import InputError
from bnsearch.exact import (
    ClusterBound,
    Decision,
    Leaf,
    checker,
    find_cluster_bound,
    read_certificate,
    write_certificate,
)
from bnsearch.exact.certificate import compute_table_digest
from bnsearch.parent_sets import read_scores, write_scores
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import random_candidates
from clocks import Clock
from reference_exact import best_score
from strategies import examples

Written = tuple[Path, Path, ParentSets, ClusterBound]


def check(table_path: Path, certificate_path: Path) -> float:
    """Return the bound of a certificate."""
    return checker.check_certificate(checker.read_table(str(table_path)), json.loads(certificate_path.read_bytes()))


def sign(content: dict) -> dict:
    """Return a certificate with the checksum of its content."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    return {**content, "checksum": checker.compute_digest(content)}


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Return the files of a table and of the certificate of its bound, the table and the bound."""
    table = random_candidates(9, 20, 3, seed=5)
    bound = find_cluster_bound(table, Budget(10), incumbent=best_score(table))
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
    (leaf,) = read_certificate(folder / "certificate.json", table)
    assert leaf.decisions == ()
    assert leaf.bound.value == pytest.approx(bound.value, abs=1e-9)
    assert np.array_equal(leaf.bound.clusters, bound.clusters)


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c | {"bound": c["bound"] - 0.01}, "above the claimed bound"),
        (
            lambda c: c | {"leaves": [{"decisions": [], "clusters": c["leaves"][0]["clusters"][1:]}]},
            "above the claimed",
        ),
        (lambda c: c | {"leaves": [{"decisions": [], "clusters": [[[0, 1], 3, 1.0]]}]}, "invalid member, order"),
        (lambda c: c | {"leaves": [{"decisions": [], "clusters": [[[0, 99], 1, 1.0]]}]}, "invalid member, order"),
        (lambda c: c | {"leaves": [{"decisions": [], "clusters": [[[0, 1], 1, -1.0]]}]}, "or multiplier"),
        (lambda c: c | {"leaves": []}, "do not cover all networks"),
        (lambda c: c | {"leaves": [c["leaves"][0] | {"decisions": [[0, 1, True]]}]}, "do not cover all networks"),
        (lambda c: c | {"variables": c["variables"][::-1]}, "made for another table"),
        (lambda c: c | {"variables": [*c["variables"], "more"]}, "made for another table"),
        (lambda c: c | {"version": 2}, "version 1"),
    ],
)
def test_wrong_proofs_are_refused(written, change, message):
    """A certificate with a correct checksum must still prove its bound."""
    table_path, path, *_ = written
    path.write_text(json.dumps(sign(change(json.loads(path.read_bytes())))))
    with pytest.raises(ValueError, match=message):
        check(table_path, path)


def test_a_table_with_better_sets_is_refused(written, tmp_path):
    """The bound must hold over the table that the checker is given."""
    _, path, table, _ = written
    better = ParentSets(table.names, table.begin, np.where(table.sizes > 0, table.scores + 1.0, table.scores),
                        table.first, table.members)  # fmt: skip
    assert compute_table_digest(better) == compute_table_digest(table)
    write_scores(better, tmp_path / "better.jkl")
    with pytest.raises(ValueError, match="above the claimed bound"):
        check(tmp_path / "better.jkl", path)


def test_leaves_of_a_search_tree(tmp_path):
    """Two leaves, with and without the edge 1 -> 0, prove the larger of their bounds."""
    table = random_candidates(6, 12, 3, seed=2)
    write_scores(table, tmp_path / "sets.jkl")
    leaves = []
    for wanted in (True, False):
        rows = [r for r, v in enumerate(table.child.tolist()) if v > 0 or (1 in table.parents(r)) == wanted]
        kept = sorted({*rows, int(table.begin[1]) - 1})  # a table contains the empty sets
        bound = find_cluster_bound(table.take(np.array(kept)), Budget(10))
        leaves.append(Leaf((Decision(0, 1, wanted),), bound))
    write_certificate(tmp_path / "certificate.json", table, leaves)
    assert check(tmp_path / "sets.jkl", tmp_path / "certificate.json") >= best_score(table) - 1e-9
    assert [leaf.decisions for leaf in read_certificate(tmp_path / "certificate.json", table)] == [
        leaf.decisions for leaf in leaves
    ]


def test_reading_refuses_what_is_not_a_certificate(written, tmp_path):
    """The error names the file."""
    _, path, table, _ = written
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(InputError, match=r"other.json is not a certificate, or it is damaged"):
        read_certificate(tmp_path / "other.json", table)
    with pytest.raises(InputError, match=r"certificate.json was made for another table"):
        read_certificate(path, random_candidates(9, 20, 3, seed=6))


def test_the_checker_is_short_and_independent():
    """The checker has at most a hundred lines and imports only the standard library."""
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert source.count("\n") <= 100
    imported = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "itertools", "pathlib", "typing"}
