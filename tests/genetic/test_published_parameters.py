"""The parameters of the methods that Dai et al. (2020) compare, as published or as docs/papers/fidelity.md says."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from bnsearch.dags import K2, HillClimb, Tabu
from bnsearch.genetic.bncpso import BNCPSO
from bnsearch.genetic.cga import CGA
from bnsearch.genetic.dga import DGA
from bnsearch.genetic.miiga import FIXED_ALPHA, MIIGA
from bnsearch.independence import BNPC, MMHC, GTest, IK2vMB, InformationTest

SIZES = {"population": 100, "generations": 500, "max_parents": 5}  # section 4.2; the limit on parents is ours
CLIMB = {"candidates": None, "restarts": 10, "perturbation": 0.5, "restart_moves": None}
PARAMETERS = [
    (
        MIIGA,
        {
            **SIZES,
            "tournament": 2,
            "step": 0.02,
            "start": "information",
            "recombination": "priority",
            "binding": "adaptive",
            "mutation": "any",
            "distinct": False,
        },
    ),
    (CGA, {**SIZES, "crossover": 0.5, "mutation": 0.1}),
    (DGA, {**SIZES, "crossover": 0.65, "mutation": 0.05}),
    (
        BNCPSO,
        {
            **SIZES,
            "inertia": 0.95,
            "inertia_end": 0.4,
            "cognition": 0.82,
            "cognition_end": 0.5,
            "society": 0.4,
            "society_end": 0.83,
        },
    ),
    (K2, {"ordering": None}),
    (IK2vMB, {"root": None, "alpha": 0.01, "rows_per_degree": 5.0}),
    (
        MMHC,
        {
            "alpha": 0.05,
            "rows_per_degree": 5.0,
            "max_condition": 3,
            "length": 100,
            "patience": 15,
            "restarts": 10,
            "perturbation": 0.5,
        },
    ),
    (BNPC, {"threshold": 0.005, "rows_per_degree": 5.0, "max_condition": 3}),
    (HillClimb, CLIMB),
    (Tabu, {**CLIMB, "length": 100, "patience": 100, "tabu_list": "graphs"}),
    (GTest, {"alpha": 0.05, "rows_per_degree": 5.0}),
    (InformationTest, {"threshold": 0.01, "rows_per_degree": 5.0}),
]


@pytest.mark.parametrize(("kind", "parameters"), PARAMETERS, ids=[kind.__name__ for kind, _ in PARAMETERS])
def test_defaults(kind, parameters):
    """Every parameter has its published value."""
    assert asdict(kind()) == parameters


def test_the_fixed_binding_parameter():
    """The ablation FixA of section 4.3 has alpha = 0.9."""
    assert FIXED_ALPHA == 0.9
