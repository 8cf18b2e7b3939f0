"""The names of the package itself: all there, and imported only when used."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bnsearch

HEAVY = ["numpy", "numba", "polars", "scipy", "networkx", "pandas", "rich", "sklearn", "matplotlib"]


def loaded_after(code: str) -> str:
    """Run code in a fresh interpreter and return which of the heavy packages it imported."""
    script = f"import sys\n{code}\nprint([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": str(Path(bnsearch.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, text=True, capture_output=True, check=True)
    return done.stderr.strip()


@pytest.mark.parametrize(
    "code",
    [
        "import bnsearch",
        "import bnsearch; bnsearch.__version__; dir(bnsearch); bnsearch.InputError",
        "from bnsearch.cli.main import main; main(['--help'])",
        "from bnsearch.cli.main import main; main(['--version'])",
        "from bnsearch.cli.main import main; main(['score', '--help'])",
    ],
)
def test_nothing_heavy_is_imported(code):
    """Importing the package and asking for help cost no numpy, numba or polars."""
    assert loaded_after(code) == "[]"


def test_numba_waits_for_counting():
    """Every public name can be had without numba."""
    assert "numba" not in loaded_after("from bnsearch import *")


@pytest.mark.parametrize("name", bnsearch.__all__)
def test_public_names_exist(name):
    """Every name of __all__ is there, listed, and stays the same object."""
    assert getattr(bnsearch, name) is getattr(bnsearch, name)
    assert name in dir(bnsearch)


def test_public_names_are_the_library_s():
    """The names lead to the objects of the modules they come from."""
    from bnsearch.graphs.compare import compare
    from bnsearch.networks.files import read_network

    assert bnsearch.compare is compare
    assert bnsearch.read_network is read_network
    assert bnsearch.random_network.__name__ == "random_network"
    assert issubclass(bnsearch.InputError, bnsearch.BnsearchError)


def test_unknown_names_are_refused():
    """A name that is not there is an AttributeError as of any module."""
    with pytest.raises(AttributeError, match="module 'bnsearch' has no attribute 'learnt'"):
        _ = bnsearch.learnt


@pytest.mark.parametrize(("installed", "version"), [("1.2.3", "1.2.3"), (None, "0+unknown")])
def test_version(monkeypatch, installed, version):
    """The version is that of the installed package; a bare source tree says that it does not know."""

    def find(name):
        if installed is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(importlib.metadata, "version", find)
    monkeypatch.delitem(vars(bnsearch), "__version__", raising=False)
    assert bnsearch.__version__ == version
    monkeypatch.delitem(vars(bnsearch), "__version__")


def test_all_classes_of_the_registries_are_public():
    """Every method and score of the library can be imported from the package; K2 is the method."""
    from bnsearch.learning.methods import METHODS
    from bnsearch.scores import SCORES

    for name in METHODS.built_in:
        assert getattr(bnsearch, METHODS[name].__name__) is METHODS[name]
    for name in set(SCORES.built_in) - {"k2"}:
        assert getattr(bnsearch, SCORES[name].__name__) is SCORES[name]


def test_members_can_be_listed_without_scikit_learn():
    """`inspect.getmembers` gets every name that `dir` lists; the estimator is listed only if it can be imported."""
    code = """
import importlib.util, inspect, sys
import bnsearch
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "sklearn" else find(name, *rest)
sys.modules["sklearn"] = None
names = [name for name, _ in inspect.getmembers(bnsearch)]
assert "learn" in names and "StructureLearner" not in names
"""
    loaded_after(code)
    assert "StructureLearner" in dir(bnsearch)
