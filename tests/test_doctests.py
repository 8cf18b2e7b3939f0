"""The examples in the docstrings of all public names run, and every public name has one."""

from __future__ import annotations

import doctest
import inspect

import pytest

import bnsearch

WITHOUT = {"METHODS", "SCORES", "__version__"}  # objects that are not classes or functions
NAMES = sorted({*bnsearch.__all__} - WITHOUT)
METHODS = [bnsearch.Dataset.read, bnsearch.Dataset.from_frame, bnsearch.Dataset.from_codes]


def run_examples(subject: object, name: str) -> int:
    """Run the examples of one docstring, and return their number."""
    found = doctest.DocTestParser().get_doctest(inspect.getdoc(subject) or "", {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(found, out=report.append)
    assert not runner.summarize(verbose=False).failed, "".join(report)
    return len(found.examples)


@pytest.mark.parametrize("name", NAMES)
def test_examples(name, tmp_path, monkeypatch):
    """The docstring of the name itself has an example, not that of a base class."""
    monkeypatch.chdir(tmp_path)
    subject = getattr(bnsearch, name)
    assert ">>> " in (vars(subject).get("__doc__") if isinstance(subject, type) else subject.__doc__)
    assert run_examples(subject, name) > 0


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__qualname__)
def test_examples_of_methods(method, tmp_path, monkeypatch):
    """The constructors of a table have examples, too."""
    monkeypatch.chdir(tmp_path)
    assert run_examples(method, method.__qualname__) > 0


@pytest.mark.parametrize("name", ["learn", "search", "compare", "load_network", "make_method", "make_score"])
def test_sections(name):
    """The functions that most users call have all sections, with a type for each parameter."""
    text = inspect.getdoc(getattr(bnsearch, name))
    for title in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{title}\n{'-' * len(title)}\n" in text


def test_the_estimator(tmp_path, monkeypatch):
    """The estimator has an example, if scikit-learn is installed."""
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    assert run_examples(bnsearch.StructureLearner, "StructureLearner") > 0
