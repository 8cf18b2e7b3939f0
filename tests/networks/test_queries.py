"""Queries, marginals and most probable states against enumeration, and the errors of wrong input."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from bnsearch.errors import InputError
from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork, load_network, random_network
from reference_inference import Case, cases, joint_given

ASIA = load_network("asia")


@given(cases())
def test_query_by_enumeration(case: Case) -> None:
    """The joint distribution and the probability of the evidence agree with sums over all joint states."""
    network = case.recipe.make_network()
    expected, total = joint_given(network, case.targets, case.evidence)
    if total == 0:
        with pytest.raises(InputError, match="has probability zero in this network"):
            network.query(case.named_targets, case.named_evidence)
        return
    found = network.query(case.named_targets, case.named_evidence)
    assert_allclose(found.probabilities, expected / total, atol=1e-12)
    assert found.log_evidence == pytest.approx(math.log(total), abs=1e-9)
    assert found.names == tuple(case.named_targets)
    assert found.errors is None
    assert found.notes == ()


@given(cases())
def test_marginals_by_enumeration(case: Case) -> None:
    """The marginal of each variable that is not observed agrees with sums over all joint states."""
    network = case.recipe.make_network()
    _, total = joint_given(network, [], case.evidence)
    if total == 0:
        with pytest.raises(InputError, match="has probability zero in this network"):
            network.marginals(case.named_evidence)
        return
    found = network.marginals(case.named_evidence)
    assert [*found] == [name for name in network.names if name not in case.named_evidence]
    assert found.log_evidence == pytest.approx(math.log(total), abs=1e-9)
    for x, name in enumerate(network.names):
        if name in found:
            assert_allclose(found[name].probabilities, joint_given(network, [x], case.evidence)[0] / total, atol=1e-12)
    chosen = network.marginals(case.named_evidence, case.named_targets)
    assert [*chosen] == case.named_targets
    for name in chosen:
        assert_allclose(chosen[name].probabilities, found[name].probabilities, atol=1e-12)


@given(cases())
def test_most_probable_states_by_enumeration(case: Case) -> None:
    """No joint state of the targets is more probable, whether the other variables are summed out or there are none."""
    network = case.recipe.make_network()
    everything = [x for x in range(len(network.names)) if x not in case.evidence]
    for targets, named in ((case.targets, case.named_targets), (everything, None)):
        joint, total = joint_given(network, targets, case.evidence)
        if total == 0:
            with pytest.raises(InputError, match="has probability zero in this network"):
                network.most_probable(case.named_evidence, named)
            continue
        found = network.most_probable(case.named_evidence, named)
        assert list(found.states) == [f"v{x}" for x in targets]
        cell = tuple(int(found.states[f"v{x}"][1:]) for x in targets)
        assert joint[cell] == pytest.approx(joint.max(), rel=1e-9)
        assert found.probability == pytest.approx(joint.max() / total, rel=1e-9)
        assert found.log_evidence == pytest.approx(math.log(total), abs=1e-9)


def test_asia_by_hand() -> None:
    """P(lung | smoke = yes) is a row of the table; P(smoke | lung = yes) = 0.5 * 0.1 / (0.5 * 0.1 + 0.5 * 0.01)."""
    assert ASIA.query("lung", {"smoke": "yes"})["yes"] == pytest.approx(0.1)
    assert ASIA.query("smoke", {"lung": "yes"})["yes"] == pytest.approx(0.1 / 0.11)
    joint = ASIA.query(["smoke", "lung"])
    assert joint["yes", "no"] == pytest.approx(0.45)
    assert math.exp(ASIA.query("smoke", {"lung": "yes"}).log_evidence) == pytest.approx(0.055)


def test_states_that_are_most_probable_together() -> None:
    """
    The most probable pair is not the pair of the most probable states.

    P(a) = 0.4, 0.6; b is 0 if a = 0, and uniform over three states if a = 1: the pairs have probabilities 0.4 and 0.2.
    """
    dag = DAG.from_edges("ab", ["ab"])
    network = BayesianNetwork(dag, ["01", "012"], [np.array([0.4, 0.6]), np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])])
    assert network.most_probable().states == {"a": "0", "b": "0"}
    assert network.most_probable(targets="a").states == {"a": "1"}
    assert network.most_probable(targets="a").probability == pytest.approx(0.6)
    assert network.most_probable({"a": 1, "b": 2}).states == {}


def test_long_products_do_not_become_zero() -> None:
    """Evidence on 1,000 children has a probability of about 10^-523; the distribution of the parent is exact."""
    n = 1000
    dag = DAG(["c", *(f"x{i}" for i in range(n))], [[], *([0] for _ in range(n))])
    rows = [np.array([[0.9, 0.1], [0.1, 0.9]])] * n
    network = BayesianNetwork(dag, ["01"] * (n + 1), [np.array([0.2, 0.8]), *rows])
    evidence = {f"x{i}": i % 2 for i in range(n)}
    found = network.query("c", evidence)
    assert_allclose(found.probabilities, [0.2, 0.8], atol=1e-9)
    assert found.log_evidence == pytest.approx(n / 2 * math.log(0.09))
    assert network.most_probable(evidence).states == {"c": "1"}
    assert_allclose(network.marginals(evidence)["c"].probabilities, [0.2, 0.8], atol=1e-9)
    free = network.marginals()
    assert free["x7"]["0"] == pytest.approx(0.2 * 0.9 + 0.8 * 0.1)


def make_grid(width: int) -> BayesianNetwork:
    """Return a network over a square grid, whose exact tables have about 2^width cells."""
    names = [f"g{i}" for i in range(width * width)]
    edges = [(names[i], names[i + 1]) for i in range(width * width) if i % width < width - 1]
    edges += list(pairwise(names[::width])) + [(a, b) for a, b in zip(names, names[width:], strict=False)]
    dag = DAG.from_edges(names, sorted(set(edges)))
    rng = np.random.default_rng(3)
    tables = []
    for parents in dag.parents:
        first = rng.uniform(0.2, 0.8, (2,) * len(parents))
        tables.append(np.stack([first, 1 - first], axis=-1))
    return BayesianNetwork(dag, ["01"] * len(names), tables)


def test_large_cliques_are_sampled_with_a_note() -> None:
    """A grid of 24 x 24 needs tables of about 2^24 cells, which exceed the limit; the note says how much they need."""
    network = make_grid(24)
    found = network.query("g575", {"g0": 1}, samples=20_000, memory="64MB")
    assert found.errors is not None
    assert "exact inference needs" in found.notes[0]
    assert (
        "the limit of memory is 64 MB; the probabilities are estimated from 20,000 weighted samples" in found.notes[0]
    )
    assert "error" in found.to_polars().columns
    marginals = network.marginals({"g0": 1}, samples=5000, memory="64MB")
    assert "error" in marginals.to_polars().columns
    assert "exact inference needs" in marginals.notes[0]
    with pytest.raises(InputError, match=r"exact inference needs .*: raise the limit \(memory\), observe more"):
        network.query("g575", method="exact", memory="64MB")
    with pytest.raises(InputError, match=r"the most probable states need .* for tables, and the limit"):
        network.most_probable(memory="64MB")
    with pytest.raises(InputError, match=r"predicting 'g575' needs .* for tables, and the limit of memory is 64 MB"):
        network.predict_proba(network.sample(2, 1).select(["g0"]), "g575", memory="64MB")


def test_sampling_agrees_with_exact_inference() -> None:
    """Estimates lie within five standard errors, for a single variable, a joint distribution and all marginals."""
    evidence = {"xray": "yes", "dysp": "yes"}
    exact = ASIA.marginals(evidence)
    sampled = ASIA.marginals(evidence, method="sampling", samples=50_000, seed=1)
    assert sampled.notes == ()
    for name, distribution in sampled.items():
        assert distribution.errors is not None
        deviation = np.abs(distribution.probabilities - exact[name].probabilities)
        assert np.all(deviation <= 5 * distribution.errors)
        assert np.all(distribution.errors < 0.02)
    assert sampled.log_evidence == pytest.approx(exact.log_evidence, abs=0.05)
    joint = ASIA.query(["lung", "tub"], evidence, method="sampling", seed=2)
    assert joint.errors is not None
    deviation = np.abs(joint.probabilities - ASIA.query(["lung", "tub"], evidence).probabilities)
    assert np.all(deviation <= 5 * joint.errors)


def test_standard_errors_match_the_spread_of_repeated_estimates() -> None:
    """Over 200 seeds, the standard deviation of an estimate is the mean standard error, to 15 %."""
    runs = [ASIA.query("lung", {"xray": "yes"}, method="sampling", samples=2000, seed=s) for s in range(200)]
    errors = [run.errors[0] for run in runs if run.errors is not None]
    assert np.std([run["yes"] for run in runs]) == pytest.approx(np.mean(errors), rel=0.15)


def test_sampling_of_improbable_evidence() -> None:
    """Few effective samples are noted; if no sample agrees with the evidence, an error says so."""
    found = ASIA.query("smoke", {"asia": "yes", "tub": "yes", "xray": "yes"}, method="sampling", samples=50)
    assert "the weighted samples are worth only" in found.notes[0]
    with pytest.raises(InputError, match="none of 10 samples agrees with the evidence, which is impossible or very"):
        ASIA.query("smoke", {"lung": "yes", "either": "no"}, method="sampling", samples=10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lungs",), r"^targets: there is no variable 'lungs' \(did you mean 'lung'\?\); the variables are 'asia', "),
        (([],), "^targets: name at least one variable$"),
        ((["lung", "lung"],), "^targets: the variable 'lung' occurs twice$"),
        ((3,), "^targets must be the name of a variable or a list of names, not 3$"),
        (("lung", {"smok": "yes"}), r"^evidence: there is no variable 'smok' \(did you mean 'smoke'\?\)"),
        (("lung", {"smoke": "ye"}), r"^evidence: the variable 'smoke' has no state 'ye' \(did you mean 'yes'\?\); its"),
        (("lung", {"smoke": True}), "^evidence: the variable 'smoke' has no state 'True'; its states are 'yes', 'no'$"),
        (("lung", "smoke=yes"), "^evidence must be a mapping from variables to states, such as {'x': 'yes'}, not 'smo"),
        (("lung", {"lung": "yes"}), "^'lung' cannot be both a target and evidence: remove it from one of them$"),
        (
            ("asia", {"lung": "yes", "either": "no"}),
            "^the evidence 'lung=yes', 'either=no' has probability zero in this",
        ),
    ],
)
def test_wrong_queries_are_rejected(arguments: tuple[object, ...], message: str) -> None:
    """The message says which argument is wrong, and what exists."""
    with pytest.raises(InputError, match=message):
        ASIA.query(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "exakt"}, r"^method must be one of auto, exact, sampling, not 'exakt' \(did you mean 'exact'\?\)$"),
        ({"samples": 0}, "^samples must be at least 1, not 0$"),
        ({"memory": "much"}, "^memory must be a number of bytes or text such as '2GB', not 'much'$"),
        ({"method": "sampling", "seed": -1}, "^seed must be a whole number, at least 0"),
    ],
)
def test_wrong_options_are_rejected(options: dict[str, object], message: str) -> None:
    """The message names the option and its legal values."""
    for ask in (ASIA.query, ASIA.marginals):
        with pytest.raises(InputError, match=message):
            ask(targets="lung", **options)


def test_joint_distributions_have_a_limit() -> None:
    """Too many targets are rejected before memory is allocated."""
    network = random_network(70, 1, 2, 1)
    with pytest.raises(InputError, match=r"the joint distribution of 50 variables needs 9\.01 PB: query fewer targets"):
        network.query(network.names[:50])


def test_texts_and_frames() -> None:
    """The text shows six cells; the frame has one row for each joint state, with all labels in order."""
    joint = ASIA.query(["tub", "lung", "bronc"], {"smoke": "no"})
    assert repr(joint).startswith("P(tub, lung, bronc | smoke=no): yes,yes,yes 3.12e-05, yes,yes,no ")
    assert repr(joint).endswith(", ...")
    frame = joint.to_polars()
    assert frame.columns == ["tub", "lung", "bronc", "probability"]
    assert frame.shape == (8, 4)
    for *labels, probability in frame.rows():
        assert joint[tuple(labels)] == probability
    assert repr(ASIA.marginals({"smoke": "no"})) == "Marginals(7 variables given smoke=no)"
    sampled = ASIA.query("smoke", method="sampling")
    assert "±" in repr(sampled)
    with pytest.raises(InputError, match="give one state for each of them"):
        _ = joint["yes"]
    with pytest.raises(InputError, match="the variable 'lung' has no state 'maybe'; its states are 'yes', 'no'"):
        _ = joint["yes", "maybe", "no"]
    marginals = ASIA.marginals({"smoke": "no"})
    assert marginals.get("smoke") is None
    assert marginals.get("lung") is marginals["lung"]
    with pytest.raises(InputError, match="there is no marginal distribution of 'smoke': it is evidence"):
        _ = marginals["smoke"]
    with pytest.raises(InputError, match="there is no marginal distribution of 'smog': they include 'asia', 'tub'"):
        _ = marginals["smog"]


def test_probability_tables() -> None:
    """A table has one row for each joint state of the family; a variable named probability keeps its name."""
    frame = ASIA.probability_table("either")
    assert frame.columns == ["tub", "lung", "either", "probability"]
    assert frame["probability"].to_list() == ASIA.tables[ASIA.names.index("either")].ravel().tolist()
    network = BayesianNetwork(DAG.empty(["probability"]), ["ab"], [np.array([0.25, 0.75])])
    assert network.probability_table("probability").to_dict(as_series=False) == {
        "probability": ["a", "b"],
        "probability_": [0.25, 0.75],
    }
    with pytest.raises(InputError, match="variable: there is no variable 'smog'"):
        ASIA.probability_table("smog")


def test_marginals_as_text() -> None:
    """Each variable has a line, of many variables the first 40."""
    found = load_network("asia").marginals({"smoke": "yes"}, ["lung", "bronc"])
    assert str(found) == "P(lung | smoke=yes): yes 0.1, no 0.9\nP(bronc | smoke=yes): yes 0.6, no 0.4"
    chain = DAG.from_edges(map(str, range(50)), [])
    many = BayesianNetwork(chain, [("a", "b")] * 50, [np.array([0.5, 0.5])] * 50).marginals()
    assert str(many).splitlines()[-1] == "... 10 more variables"
    assert len(str(many).splitlines()) == 41
