"""Properties of all methods: knowledge is respected, and threads and the order of columns do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS, make_method
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations
from bnsearch.scores import make_score
from knowledge_cases import best_legal_score, breaches, random_knowledge, varied_knowledge
from strategies import Table, examples, tables

every_method = pytest.mark.parametrize("method", list(METHODS))
BIC = make_score("bic")
ASIA = load_network("asia").sample(150, seed=5)
BRIEF = {"miiga": {"population": 6}, "cga": {"population": 6}, "dga": {"population": 6}, "bncpso": {"population": 6}}


def small_table(seed: int) -> Dataset:
    """Return 60 to 200 rows of a random network of 4 to 6 variables."""
    rng = np.random.default_rng(seed)
    network = random_network(int(rng.integers(4, 7)), 1.2, 3, seed)
    return network.sample(int(rng.integers(60, 201)), seed=seed)


@every_method
@examples(8)
@given(table=tables(max_variables=5, max_rows=100), seed=st.integers(0, 1000), informed=st.booleans())
def test_networks_are_acyclic_legal_and_worth_their_score(method, table: Table, seed, informed):
    """On any table and with any knowledge, the result is an acyclic legal network with the reported score."""
    data = table.dataset
    knowledge = random_knowledge(data.names, seed) if informed else None
    problem = Problem(data=data, score=BIC, knowledge=knowledge)
    result = search(problem, make_method(method, **BRIEF.get(method, {})), stop=Iterations(4), seed=seed, threads=1)
    place = {variable: i for i, variable in enumerate(result.dag.order)}
    assert sorted(place) == list(range(data.n_variables))
    assert all(place[p] < place[child] for child, parents in enumerate(result.dag.parents) for p in parents)
    assert problem.constraints is None or problem.constraints.permits(result.dag)
    assert result.score == pytest.approx(problem.scorer.network(result.dag), rel=1e-9, abs=1e-7)


@every_method
@examples(6)
@given(seed=st.integers(0, 2**32 - 1))
def test_knowledge_is_respected(method: str, seed: int) -> None:
    """The network is legal and has the reported score; no score exceeds the optimum."""
    data = small_table(seed)
    known = varied_knowledge(data.names, seed)
    problem = Problem(data=data, score=BIC, knowledge=known)
    assert problem.constraints is not None
    result = learn(data, method=method, knowledge=known, seconds=None, stop=Iterations(4), seed=seed, threads=1)
    best = best_legal_score(problem.constraints, problem.scorer.family)
    assert breaches(known, result.dag) == []
    assert problem.constraints.permits(result.dag)
    assert sorted(result.dag.order) == list(range(data.n_variables))
    assert result.score == pytest.approx(problem.scorer.network(result.dag), rel=1e-9)
    assert result.score <= best + 1e-9 * abs(best)
    assert result.bound is None or result.bound >= best - 1e-9 * abs(best)
    assert not result.optimal or result.score == pytest.approx(best, rel=1e-9)
    assert method != "exact" or result.optimal


@every_method
def test_required_and_forbidden_edges_against_the_data(method: str) -> None:
    """Where a copies b and c copies d: no edge joins a and b, d -> a is there, and c and d are still joined."""
    rng = np.random.default_rng(1)
    b, d = rng.integers(2, size=(2, 100))
    data = Dataset.from_codes(np.column_stack([b, b, d, d]), names=["a", "b", "c", "d"])
    known = Knowledge(required=[("d", "a")], forbidden=[("a", "b"), ("b", "a")])
    result = learn(data, method=method, knowledge=known, seconds=None, stop=Iterations(10), seed=2, threads=1)
    assert ("d", "a") in result.dag.edges
    assert not {("a", "b"), ("b", "a")} & set(result.dag.edges)
    assert {("c", "d"), ("d", "c")} & set(result.dag.edges)


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(required=[("asia", "tub"), ("tub", "asia")]),
        Knowledge(required=[("asia", "tub")], forbidden=[("asia", "tub")]),
        Knowledge(required=[("asia", "tub")], roots=["tub"]),
        Knowledge(required=[("asia", "tub")], max_parents=0),
        Knowledge(forbidden=[("asia", "tbu")]),
    ],
    ids=["cycle", "forbidden", "root", "limit", "unknown name"],
)
@every_method
def test_contradictions_are_refused_before_any_work(
    method: str, known: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No kernel is loaded, and the clock is not started."""

    def work(*_: object) -> float:
        raise AssertionError("this is work")

    monkeypatch.setattr("bnsearch.learning.learn.load_kernels", work)
    with pytest.raises(InputError, match="the knowledge"):
        learn(ASIA, method=method, knowledge=known, clock=work)


@pytest.mark.parametrize("known", [None, Knowledge(required=[("xray", "smoke")], max_parents=2)], ids=["free", "known"])
@every_method
def test_threads_change_nothing(method: str, known: Knowledge | None) -> None:
    """The same seed and number of iterations give the same network, the same score and the same counts."""
    for seed in range(2):
        one, two = (
            learn(ASIA, method=method, knowledge=known, seconds=None, stop=Iterations(7), seed=seed, threads=threads)
            for threads in (1, 2)
        )
        assert (one.dag, one.score, one.iterations) == (two.dag, two.score, two.iterations)
        assert (one.stop, one.optimal, one.bound) == (two.stop, two.optimal, two.bound)


@pytest.mark.parametrize("method", ["auto", "exact"])
def test_columns_in_any_order_under_any_name(method: str) -> None:
    """The best score is the same."""
    usual = learn(ASIA, method=method, seconds=3600, seed=4)
    assert usual.optimal
    rng = np.random.default_rng(4)
    for _ in range(3):
        order = rng.permutation(ASIA.n_variables)
        other = Dataset.from_codes(
            np.ascontiguousarray(ASIA.codes[order].T), names=[f"v{i}" for i in range(8)], arities=ASIA.arities[order]
        )
        result = learn(other, method=method, seconds=3600, seed=4)
        assert result.optimal
        assert result.score == pytest.approx(usual.score, rel=1e-12)
