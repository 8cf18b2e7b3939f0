"""Inference on published networks agrees with pyAgrum and pgmpy, where these are installed."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bnsearch.networks import BayesianNetwork, read_network

TINY = ("asia", "cancer", "earthquake", "sachs", "survey")
SMALL = (*TINY, "alarm", "child", "hailfinder", "hepar2", "insurance", "win95pts")
LARGE = ("barley", "diabetes", "mildew", "munin", "pigs", "water")
HUGE = ("link", "munin1")  # pyAgrum takes minutes for all marginals


def load_case(shared_data: Path, name: str, seed: int) -> tuple[BayesianNetwork, dict[str, str]]:
    """Return a network, and the states of up to five variables in a row that was drawn from it."""
    network = read_network(shared_data / "networks" / f"{name}.bif.gz")
    n = len(network.names)
    row = network.sample(1, seed).codes[:, 0]
    chosen = np.random.default_rng(seed).choice(n, min(5, n // 2), replace=False)
    return network, {network.names[x]: network.states[x][row[x]] for x in chosen.tolist()}


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_marginals_and_evidence_of_pyagrum(name: str, shared_data: Path) -> None:
    """All marginals, and the probability of the evidence, agree to 1e-9."""
    gum = pytest.importorskip("pyagrum", reason="pyagrum is not installed")
    network, evidence = load_case(shared_data, name, 3)
    found = network.marginals(evidence)
    engine = gum.LazyPropagation(network.to_pyagrum())
    engine.setEvidence({v: network.states[network.names.index(v)].index(state) for v, state in evidence.items()})
    engine.makeInference()
    for variable in found:
        assert_allclose(found[variable].probabilities, engine.posterior(variable).toarray(), atol=1e-9)
    assert found.log_evidence == pytest.approx(math.log(engine.evidenceProbability()), abs=1e-9)


@pytest.mark.parametrize("name", HUGE)
def test_single_marginals_of_pyagrum(name: str, shared_data: Path) -> None:
    """The marginals of four variables agree to 1e-9."""
    gum = pytest.importorskip("pyagrum", reason="pyagrum is not installed")
    network, evidence = load_case(shared_data, name, 3)
    found = network.marginals(evidence)
    model = network.to_pyagrum()
    for variable in [*found][:: len(found) // 4][:4]:
        engine = gum.VariableElimination(model)
        engine.setEvidence({v: network.states[network.names.index(v)].index(state) for v, state in evidence.items()})
        engine.setTargets({variable})
        engine.makeInference()
        assert_allclose(found[variable].probabilities, engine.posterior(variable).toarray(), atol=1e-9)


def make_engine(network: BayesianNetwork) -> Any:
    """Return pgmpy's variable elimination; pgmpy warns about its own dependencies when it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inference = pytest.importorskip("pgmpy.inference", reason="pgmpy is not installed")
        return inference.VariableElimination(network.to_pgmpy())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SMALL)
def test_queries_of_pgmpy(name: str, shared_data: Path) -> None:
    """The joint distribution of two variables agrees to 1e-9."""
    network, evidence = load_case(shared_data, name, 4)
    targets = [v for v in network.names if v not in evidence][-2:]
    expected = make_engine(network).query(targets, evidence=evidence, show_progress=False)
    axes = [expected.variables.index(v) for v in targets]
    order = [[expected.state_names[v].index(s) for s in network.states[network.names.index(v)]] for v in targets]
    found = network.query(targets, evidence)
    assert_allclose(found.probabilities, expected.values.transpose(axes)[np.ix_(*order)], atol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*LARGE, *HUGE])
def test_single_marginals_of_pgmpy(name: str, shared_data: Path) -> None:
    """The marginals of six variables of a large network agree to 1e-9."""
    network, evidence = load_case(shared_data, name, 3)
    found = network.marginals(evidence)
    engine = make_engine(network)
    for variable in [*found][:: len(found) // 6][:6]:
        expected = engine.query([variable], evidence=evidence, show_progress=False)
        states = network.states[network.names.index(variable)]
        order = [expected.state_names[variable].index(state) for state in states]
        assert_allclose(found[variable].probabilities, expected.values[order], atol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TINY)
def test_most_probable_states_of_pgmpy(name: str, shared_data: Path) -> None:
    """The best explanation has the same probability; there may be several with this probability."""
    network, evidence = load_case(shared_data, name, 4)
    hidden = [v for v in network.names if v not in evidence]
    states = make_engine(network).map_query(hidden, evidence=evidence, show_progress=False)
    found = network.most_probable(evidence)
    expected = sum_logs(network, {**states, **evidence}) - found.log_evidence
    assert found.log_probability == pytest.approx(expected, abs=1e-9)


def sum_logs(network: BayesianNetwork, states: dict[str, str]) -> float:
    """Return the logarithm of the probability of one state for each variable."""
    codes = [network.states[x].index(str(states[name])) for x, name in enumerate(network.names)]
    cells = ((*(codes[p] for p in parents), codes[x]) for x, parents in enumerate(network.dag.parents))
    return math.fsum(math.log(network.probabilities(x)[cell]) for x, cell in enumerate(cells))
