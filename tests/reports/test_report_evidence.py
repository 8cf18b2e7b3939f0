"""Distributions and evidence of report pages in a real browser."""

from __future__ import annotations

import itertools
from importlib.resources import files

import numpy as np
import pytest
from page_reader import make_large_network

from bnsearch.graphs.dag import DAG
from bnsearch.networks import random_network
from bnsearch.networks.network import BayesianNetwork
from bnsearch.reports.report import write_report


def enumerate_marginals(network, evidence):
    """Return the marginals and the probability of the evidence by enumeration of all rows."""
    marginals = [np.zeros(r) for r in network.arities]
    for row in itertools.product(*map(range, network.arities)):
        if all(row[v] == s for v, s in evidence.items()):
            families = zip(network.dag.parents, range(len(row)), strict=True)
            p = np.prod([network.tables[x][(*(row[u] for u in parents), row[x])] for parents, x in families])
            for x, s in enumerate(row):
                marginals[x][s] += p
    total = marginals[0].sum()
    return [marginal / total if total else marginal for marginal in marginals], total


@pytest.mark.parametrize("seed", range(4))
def test_marginals_equal_enumeration(page, tmp_path, seed):
    """All marginals without and with evidence, and the probability of the evidence, are exact."""
    network = random_network(7, 1.5, 3, seed)
    write_report(network, tmp_path / "n.html")
    page.open(tmp_path / "n.html")
    rng = np.random.default_rng(seed)
    evidence = {}
    for _ in range(3):
        expected, total = enumerate_marginals(network, evidence)
        for x, (name, found) in enumerate(page.read_bars()):
            assert name == network.names[x]
            np.testing.assert_allclose(found, expected[x], rtol=1e-9, atol=1e-12)
        if evidence:
            assert f"{float(f'{total:.2g}'):g}"[:3] in page.one("#evidence").text
        x = int(rng.choice([v for v in range(7) if v not in evidence]))
        evidence[x] = int(rng.choice(np.flatnonzero(expected[x] > 0)))
        page.all("#bars-panel article")[x].find_elements("css selector", ".state")[evidence[x]].click()
    page.one("#clear").click()
    assert page.all(".chip") == []


@pytest.mark.parametrize("seed", range(40))
def test_junction_trees_equal_enumeration(page, seed):
    """Marginals and the probability of the evidence of random networks, with zeros and variables of one state."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    cards = rng.integers(1, 4, n).tolist()
    order = rng.permutation(n).tolist()
    parents = [sorted(u for u in order[: order.index(v)] if rng.random() < 0.5) for v in range(n)]
    tables = [draw_table(rng, [cards[u] for u in its], cards[v]) for v, its in enumerate(parents)]
    names = [f"v{i}" for i in range(n)]
    network = BayesianNetwork(DAG(names, parents), [list(map(str, range(r))) for r in cards], tables)
    evidence = {v: int(rng.integers(cards[v])) for v in range(n) if rng.random() < 0.3}
    script = files("bnsearch.reports").joinpath("assets", "inference.js").read_text(encoding="utf-8")
    call = "return computeMarginals(buildJunctionTree(...arguments[0]), new Map(arguments[1]))"
    page.driver.get("about:blank")
    found = page.run(script + call, [cards, parents, [t.ravel().tolist() for t in tables]], list(evidence.items()))
    expected, total = enumerate_marginals(network, evidence)
    if total == 0:
        assert found is None
        return
    assert np.exp(found["logProbability"]) == pytest.approx(total, rel=1e-12)
    for mine, right in zip(found["marginals"], expected, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-12, atol=1e-14)


def draw_table(rng, shape, states):
    """Return a random table in which a fifth of the entries are zero."""
    table = rng.random([*shape, states]) * (rng.random([*shape, states]) > 0.2)
    sums = table.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, table / np.where(sums > 0, sums, 1), 1 / states)


def test_junction_trees_have_a_limit(page):
    """A network whose cliques have more cells than the limit has no junction tree."""
    script = files("bnsearch.reports").joinpath("assets", "inference.js").read_text(encoding="utf-8")
    network = [[2, 2, 2], [[], [0], [0, 1]], [[0.5, 0.5], [0.5] * 4, [0.5] * 8]]  # cliques of 8, 4 and 2 cells
    page.driver.get("about:blank")
    assert page.run(script + "return buildJunctionTree(...arguments[0], 14) === null", network) is False
    assert page.run(script + "return buildJunctionTree(...arguments[0], 13) === null", network) is True


def test_impossible_evidence_is_refused(page, asia):
    """Tuberculosis with neither disease has probability zero: a message says so, and the evidence stays."""
    page.open(asia)
    page.select("tub")
    page.all("#variable-panel .state")[0].click()
    page.select("either")
    page.all("#variable-panel .state")[1].click()
    assert "either = no has probability zero" in page.one("#evidence [role=alert]").text
    assert page.texts(".chip") == ["tub = yes \u00d7"]


def test_states_in_the_graph(page, asia):
    """With distributions in the boxes, a click on a state observes it."""
    page.open(asia)
    page.one("#bars").click()
    assert len(page.all(".box .row")) == 16
    page.all(".box .row")[0].click()
    assert len(page.all(".box .row.observed")) == 1
    assert page.texts(".chip") == ["asia = yes \u00d7"]


def test_networks_that_are_too_large_for_exact_computation(page, tmp_path):
    """The page says so, and shows frequencies."""
    write_report(make_large_network(120, 5), tmp_path / "n.html")
    page.open(tmp_path / "n.html")
    page.select("variable 3")
    text = page.one("#variable-panel").text
    assert "Frequencies in 10,000 rows sampled from the network. Evidence cannot be set: exact computation" in text
    assert not any(button.is_enabled() for button in page.all("#variable-panel .state"))
