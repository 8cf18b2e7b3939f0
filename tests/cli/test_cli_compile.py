"""`bnsearch compile`."""

from __future__ import annotations

import json

import pytest

from bnsearch.learning import compilation


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """Use a folder for the markers of compiled groups, and groups that compile nothing; return the folder."""
    monkeypatch.setattr("bnsearch.kernels.cache.describe_cache", lambda: (tmp_path, "0" * 64))
    monkeypatch.setattr(compilation.sys, "executable", "")  # no processes
    for group in compilation.GROUPS:
        monkeypatch.setitem(compilation.GROUPS, group, lambda problem: None)
    return tmp_path


def test_kernels_are_compiled_once(run, cache):
    """All groups are compiled and marked; the second call compiles nothing."""
    first = run("compile", "--json")
    assert (first.code, json.loads(first.out)["compiled"]) == (0, True)
    assert len(list(cache.glob("*.compiled"))) == len(compilation.GROUPS)
    again = run("compile", "--json")
    facts = json.loads(again.out)
    assert (facts["compiled"], facts["cache"]) == (False, str(cache))
    assert run("compile").err == f"nothing to compile: all kernels of the default method are cached in {cache}\n"


def test_people_get_one_line(run, cache):
    """The line says where the kernels are."""
    assert f"they are cached in {cache}\n" in run("compile").err


def test_without_a_cache_the_message_names_the_variable(run, monkeypatch):
    """Nothing is compiled that could not be stored."""
    monkeypatch.setattr("bnsearch.kernels.cache.describe_missing_cache", lambda: "set NUMBA_CACHE_DIR")
    outcome = run("compile")
    assert outcome.code == 2
    assert "NUMBA_CACHE_DIR" in outcome.err
