"""
bnsearch: structure learning of Bayesian networks from discrete data, within a time budget.

All names are imported on first use, so that `import bnsearch` takes little time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.counting import Counter
    from bnsearch.data import Dataset
    from bnsearch.errors import BnsearchError, InputError
    from bnsearch.estimators import StructureLearner as StructureLearner
    from bnsearch.graphs import DAG, PDAG, compare
    from bnsearch.knowledge import Knowledge
    from bnsearch.learning.learn import learn
    from bnsearch.learning.methods import make_method
    from bnsearch.learning.search import search
    from bnsearch.networks import BayesianNetwork, load_network, random_network
    from bnsearch.networks.files import read_network, write_network
    from bnsearch.parent_sets import ParentSets
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.result import Result
    from bnsearch.runs.stop import Converged, Evaluations, Iterations, NoImprovement, Seconds, Target
    from bnsearch.scores import AllSets, Scorer, make_score

    __version__: str

# StructureLearner is not included: it needs scikit-learn, which `import *` must not require.
__all__ = [
    "DAG",
    "PDAG",
    "AllSets",
    "BayesianNetwork",
    "BnsearchError",
    "Converged",
    "Counter",
    "Dataset",
    "Evaluations",
    "InputError",
    "Iterations",
    "Knowledge",
    "NoImprovement",
    "ParentSets",
    "Problem",
    "Result",
    "Scorer",
    "Seconds",
    "Target",
    "__version__",
    "compare",
    "learn",
    "load_network",
    "make_method",
    "make_score",
    "random_network",
    "read_network",
    "search",
    "write_network",
]

_HOMES = {
    "bnsearch.counting": ("Counter",),
    "bnsearch.data": ("Dataset",),
    "bnsearch.errors": ("BnsearchError", "InputError"),
    "bnsearch.estimators": ("StructureLearner",),
    "bnsearch.graphs": ("DAG", "PDAG", "compare"),
    "bnsearch.knowledge": ("Knowledge",),
    "bnsearch.learning.learn": ("learn",),
    "bnsearch.learning.methods": ("make_method",),
    "bnsearch.networks": ("BayesianNetwork", "load_network", "random_network"),
    "bnsearch.networks.files": ("read_network", "write_network"),
    "bnsearch.parent_sets": ("ParentSets",),
    "bnsearch.runs.problem": ("Problem",),
    "bnsearch.runs.result": ("Result",),
    "bnsearch.scores": ("AllSets", "Scorer", "make_score"),
    "bnsearch.learning.search": ("search",),
    "bnsearch.runs.stop": ("Converged", "Evaluations", "Iterations", "NoImprovement", "Seconds", "Target"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    value: object
    if name == "__version__":
        value = _version()
    elif name in _HOME_OF:
        from importlib import import_module

        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # the next access does not call this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("bnsearch")
    except PackageNotFoundError:  # the package is not installed: it runs from the source tree
        return "0+unknown"
