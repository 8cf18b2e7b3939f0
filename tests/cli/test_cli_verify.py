"""`bnsearch verify`."""

from __future__ import annotations

import json

import pytest

from bnsearch.budgets.budget import Budget
from bnsearch.exact import find_cluster_bound, write_certificate
from bnsearch.parent_sets import write_scores
from candidate_tables import random_candidates


@pytest.fixture
def bound(run) -> float:
    """Write a table and the certificate of its bound to the folder that commands run in; return the bound."""
    table = random_candidates(6, 10, 3, seed=1)
    found = find_cluster_bound(table, Budget(10))
    write_scores(table, "sets.jkl")
    write_certificate("certificate.json", table, found)
    return found.value


def test_a_certificate_is_verified(run, bound):
    """One line for people, or one JSON object."""
    outcome = run("verify", "sets.jkl", "certificate.json")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"verified: no network over sets.jkl has a score above {bound:.6f}\n"
    assert json.loads(run("verify", "sets.jkl", "certificate.json", "--json").out)["bound"] == bound


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "certificate.json: Expecting value"),
        ("{}", "certificate.json is not a complete certificate (KeyError: 'checksum')"),
        ("[1]", "certificate.json is not a complete certificate"),
        ('{"checksum": 1}', "the checksum does not match: write the certificate again"),
        ("\x00\xff", "certificate.json"),
    ],
)
def test_damaged_certificates(refused, bound, tmp_path, text, message):
    """A file that is not a certificate fails with one line."""
    (tmp_path / "certificate.json").write_text(text)
    assert message in refused("verify", "sets.jkl", "certificate.json")


@pytest.mark.parametrize("text", ["", "2\n0 1\n-1 0\n", "1\n0 2\n-1 0\n", "x\n", "1\n0 1\nscore 0\n"])
def test_incomplete_tables(refused, bound, tmp_path, text):
    """A table that is cut off fails with one line that names it."""
    (tmp_path / "sets.jkl").write_text(text)
    assert "sets.jkl is not a complete score file: " in refused("verify", "sets.jkl", "certificate.json")


def test_missing_files(refused, bound):
    """The error names the file."""
    assert "absent" in refused("verify", "absent.jkl", "certificate.json")
    assert "absent.json does not exist" in refused("verify", "sets.jkl", "absent.json")
