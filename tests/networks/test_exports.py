"""Conversion of networks to the classes of other libraries."""

from __future__ import annotations

import math
import sys
import warnings

import numpy as np
import pytest

from bnsearch._tools.extras import import_optional
from bnsearch.errors import InputError
from bnsearch.networks import load_network, row_log_likelihoods
from format_samples import LAWN


def imported(name):
    """Return an optional package without its import warnings, or skip the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


@pytest.fixture(params=["lawn", "asia", "greenhouse"])
def network(request):
    """Return a network."""
    return LAWN if request.param == "lawn" else load_network(request.param)


def test_networkx(network):
    """The nodes in order, and the edges."""
    graph = network.to_networkx()
    assert tuple(graph.nodes) == network.names
    assert sorted(graph.edges) == sorted(network.dag.edges)


@pytest.mark.filterwarnings("ignore")
def test_pgmpy(network):
    """Structure, states and probabilities are equal in pgmpy, whose own check passes."""
    imported("pgmpy")
    structure = network.dag.to_pgmpy()
    assert list(structure.nodes) == list(network.names)
    assert sorted(structure.edges) == sorted(network.dag.edges)
    model = network.to_pgmpy()
    assert model.check_model()
    assert sorted(model.edges) == sorted(network.dag.edges)
    for child, name in enumerate(network.names):
        table = model.get_cpds(name)
        family = (child, *network.dag.parents[child])
        assert table.variables == [network.names[v] for v in family]
        assert table.state_names == {network.names[v]: list(network.states[v]) for v in family}
        np.testing.assert_allclose(table.values, np.moveaxis(network.probabilities(child), -1, 0))


@pytest.mark.filterwarnings("ignore")
def test_pyagrum(network):
    """Rows have the same probability in pyAgrum as in bnsearch."""
    imported("pyagrum")
    structure = network.dag.to_pyagrum()
    expected = {(p, child) for child, parents in enumerate(network.dag.parents) for p in parents}
    assert set(structure.arcs()) == expected
    model = network.to_pyagrum()
    assert model.size() == len(network.names)
    data = network.sample(20, seed=3)
    for row, expected_log in zip(data.to_polars().rows(named=True), row_log_likelihoods(network, data), strict=True):
        cell = model.completeInstantiation()
        for name, state in row.items():
            cell.chgVal(name, state)
        found = sum(math.log(model.cpt(name).get(cell)) for name in network.names)
        assert found == pytest.approx(expected_log)


@pytest.mark.parametrize(("package", "extra"), [("pgmpy", "networks"), ("pyagrum", "pyagrum")])
def test_absent_packages(monkeypatch, package, extra):
    """If a package is not installed, the error says how to install it."""
    for name in (package, "pgmpy.base", "pgmpy.models"):
        monkeypatch.setitem(sys.modules, name, None)
    for graph in (LAWN, LAWN.dag):
        with pytest.raises(InputError, match=rf"this needs {package} .*pip install 'bnsearch\[{extra}\]'"):
            getattr(graph, f"to_{package}")()


def test_import_optional():
    """An installed package is returned; a missing one is named in the error."""
    assert import_optional("json.decoder", "nothing") is sys.modules["json.decoder"]
    with pytest.raises(InputError, match=r"this needs no_such_package .*\[some\]"):
        import_optional("no_such_package.part", "some")
