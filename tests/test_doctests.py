"""The examples in the docstrings of all public names run, and every public name has one."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re

import pytest

import bnsearch
from bnsearch.networks.queries import Queries

WITHOUT = {"METHODS", "SCORES", "__version__"}  # objects that are not classes or functions
NAMES = sorted({*bnsearch.__all__} - WITHOUT)
METHODS = [
    bnsearch.Dataset.read,
    bnsearch.Dataset.from_frame,
    bnsearch.Dataset.from_codes,
    bnsearch.DAG.d_separated,
    bnsearch.DAG.markov_blanket,
    *(method for method in vars(Queries).values() if inspect.isfunction(method)),
    bnsearch.BayesianNetwork.intervene,
    bnsearch.BayesianNetwork.simulate,
]


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
    """The constructors of a table, and the questions to graphs and networks, have examples, too."""
    monkeypatch.chdir(tmp_path)
    assert run_examples(method, method.__qualname__) > 0


FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(bnsearch, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sections_of_functions(name):
    """Every parameter of a function is described below a line with its type, and the value is described as well."""
    function = getattr(bnsearch, name)
    text, signature = inspect.getdoc(function), inspect.signature(function)
    titles = ["Parameters"] * bool(signature.parameters) + ["Returns"] * (signature.return_annotation != "None")
    for title in titles:
        assert f"\n{title}\n{'-' * len(title)}\n" in text
    for parameter in signature.parameters:
        assert re.search(rf"^(\*\*|\w+, )?{parameter}(, \w+)?( : .+)?\n    \S", text, re.MULTILINE), parameter


@pytest.mark.parametrize("name", [name for name in NAMES if dataclasses.is_dataclass(getattr(bnsearch, name))])
def test_sections_of_classes(name):
    """A parameter of a class is described on its own lines, below its type."""
    text = inspect.getdoc(getattr(bnsearch, name))
    section = re.search(r"^Parameters\n-+\n(.*?)(\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    for line in section[1].splitlines() if section else []:
        assert re.match(r"    \S|\w+(, \w+)*( : \S.*)?$", line), line


def test_the_estimators(tmp_path, monkeypatch):
    """The estimators have examples, if scikit-learn is installed."""
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    for estimator in (bnsearch.StructureLearner, bnsearch.NetworkClassifier):
        assert run_examples(estimator, estimator.__name__) > 0
