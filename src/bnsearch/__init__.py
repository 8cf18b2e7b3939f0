"""
bnsearch: structure learning of Bayesian networks from discrete data, within a time budget.

All names are imported on first use, so that `import bnsearch` takes little time. `K2` is the search method; the score
of this name is `make_score("k2")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.budgets.events import Event
    from bnsearch.counting import Counter
    from bnsearch.dags.hillclimb import HillClimb, Tabu
    from bnsearch.dags.k2 import K2
    from bnsearch.data import Dataset
    from bnsearch.distributed.ray_executor import RayExecutor
    from bnsearch.distributed.workers import Workers
    from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES
    from bnsearch.errors import BnsearchError, InputError
    from bnsearch.estimators import NetworkClassifier as NetworkClassifier
    from bnsearch.estimators import StructureLearner as StructureLearner
    from bnsearch.exact import Exact
    from bnsearch.genetic.bncpso import BNCPSO
    from bnsearch.genetic.cga import CGA
    from bnsearch.genetic.dga import DGA
    from bnsearch.genetic.miiga import MIIGA
    from bnsearch.graphs import DAG, PDAG, compare, cpdag, shd, shd_cpdag
    from bnsearch.independence import BNPC, MMHC, IK2vMB
    from bnsearch.knowledge import Knowledge
    from bnsearch.learning.auto import AutoSearch
    from bnsearch.learning.learn import learn
    from bnsearch.learning.methods import METHODS, make_method
    from bnsearch.learning.search import search
    from bnsearch.networks import BayesianNetwork, fit, list_networks, load_network, random_network
    from bnsearch.networks.files import read_network, read_structure, write_network, write_structure
    from bnsearch.networks.inference.distributions import Distribution, Marginals, MostProbable
    from bnsearch.ondemand.ginobs import GINOBS
    from bnsearch.orderings.asobs import ASOBS
    from bnsearch.orderings.iinobs import IINOBS
    from bnsearch.orderings.inobs import INOBS
    from bnsearch.orderings.minobs import MINOBS
    from bnsearch.orderings.obs import OBS
    from bnsearch.orderings.rinobs import RINOBS
    from bnsearch.parent_sets import ParentSets, read_scores, write_scores
    from bnsearch.reports.report import write_report
    from bnsearch.runs.method import Method, Needs
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.result import Result
    from bnsearch.runs.run import Run
    from bnsearch.runs.stop import (
        AnyOf,
        Converged,
        Evaluations,
        Iterations,
        NoImprovement,
        Progress,
        Seconds,
        Stop,
        Target,
    )
    from bnsearch.runs.trace import Trace
    from bnsearch.scores import (
        AIC,
        BIC,
        FNML,
        QNML,
        SCORES,
        AllSets,
        BDeu,
        LocalScore,
        LogLikelihood,
        Score,
        Scorer,
        make_score,
    )
    from bnsearch.selection import Auto, Greedy, Independence, Selection, Sequential, Subsets

    __version__: str

# The estimators are not included: they need scikit-learn, which `import *` must not require.
__all__ = [
    "AIC",
    "ASOBS",
    "BIC",
    "BNCPSO",
    "BNPC",
    "CGA",
    "DAG",
    "DGA",
    "FNML",
    "GES",
    "GINOBS",
    "GRESP",
    "IGES",
    "IINOBS",
    "ILGES",
    "INOBS",
    "K2",
    "METHODS",
    "MIIGA",
    "MINOBS",
    "MMHC",
    "OBS",
    "PDAG",
    "QNML",
    "RINOBS",
    "SCORES",
    "VNGES",
    "AllSets",
    "AnyOf",
    "Auto",
    "AutoSearch",
    "BDeu",
    "BayesianNetwork",
    "BnsearchError",
    "Converged",
    "Counter",
    "Dataset",
    "Distribution",
    "Evaluations",
    "Event",
    "Exact",
    "Greedy",
    "HillClimb",
    "IK2vMB",
    "Independence",
    "InputError",
    "Iterations",
    "Knowledge",
    "LocalScore",
    "LogLikelihood",
    "Marginals",
    "Method",
    "MostProbable",
    "Needs",
    "NoImprovement",
    "ParentSets",
    "Problem",
    "Progress",
    "RayExecutor",
    "Result",
    "Run",
    "Score",
    "Scorer",
    "Seconds",
    "Selection",
    "Sequential",
    "Stop",
    "Subsets",
    "Tabu",
    "Target",
    "Trace",
    "Workers",
    "__version__",
    "compare",
    "cpdag",
    "fit",
    "learn",
    "list_networks",
    "load_network",
    "make_method",
    "make_score",
    "random_network",
    "read_network",
    "read_scores",
    "read_structure",
    "search",
    "shd",
    "shd_cpdag",
    "write_network",
    "write_report",
    "write_scores",
    "write_structure",
]

_HOMES = {
    "bnsearch.budgets.events": "Event",
    "bnsearch.counting": "Counter",
    "bnsearch.dags.hillclimb": "HillClimb Tabu",
    "bnsearch.dags.k2": "K2",
    "bnsearch.data": "Dataset",
    "bnsearch.distributed.ray_executor": "RayExecutor",
    "bnsearch.distributed.workers": "Workers",
    "bnsearch.equivalence": "GES GRESP IGES ILGES VNGES",
    "bnsearch.errors": "BnsearchError InputError",
    "bnsearch.estimators": "NetworkClassifier StructureLearner",
    "bnsearch.exact": "Exact",
    "bnsearch.genetic.bncpso": "BNCPSO",
    "bnsearch.genetic.cga": "CGA",
    "bnsearch.genetic.dga": "DGA",
    "bnsearch.genetic.miiga": "MIIGA",
    "bnsearch.graphs": "DAG PDAG compare cpdag shd shd_cpdag",
    "bnsearch.independence": "BNPC MMHC IK2vMB",
    "bnsearch.knowledge": "Knowledge",
    "bnsearch.learning.auto": "AutoSearch",
    "bnsearch.learning.learn": "learn",
    "bnsearch.learning.methods": "METHODS make_method",
    "bnsearch.learning.search": "search",
    "bnsearch.networks": "BayesianNetwork fit list_networks load_network random_network",
    "bnsearch.networks.files": "read_network read_structure write_network write_structure",
    "bnsearch.networks.inference.distributions": "Distribution Marginals MostProbable",
    "bnsearch.ondemand.ginobs": "GINOBS",
    "bnsearch.orderings.asobs": "ASOBS",
    "bnsearch.orderings.iinobs": "IINOBS",
    "bnsearch.orderings.inobs": "INOBS",
    "bnsearch.orderings.minobs": "MINOBS",
    "bnsearch.orderings.obs": "OBS",
    "bnsearch.orderings.rinobs": "RINOBS",
    "bnsearch.parent_sets": "ParentSets read_scores write_scores",
    "bnsearch.reports.report": "write_report",
    "bnsearch.runs.method": "Method Needs",
    "bnsearch.runs.problem": "Problem",
    "bnsearch.runs.result": "Result",
    "bnsearch.runs.run": "Run",
    "bnsearch.runs.stop": "AnyOf Converged Evaluations Iterations NoImprovement Progress Seconds Stop Target",
    "bnsearch.runs.trace": "Trace",
    "bnsearch.scores": "AIC BIC FNML QNML SCORES AllSets BDeu LocalScore LogLikelihood Score Scorer make_score",
    "bnsearch.selection": "Auto Greedy Independence Selection Sequential Subsets",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


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
    from importlib.util import find_spec

    optional = {"NetworkClassifier", "StructureLearner"} if find_spec("sklearn") is None else set()
    return sorted({*globals(), *_HOME_OF, *__all__} - optional)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("bnsearch")
    except PackageNotFoundError:  # the package is not installed: it runs from the source tree
        return "0+unknown"
