"""GINOBS and the default method: budgets, seeds, threads, and memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS
from bnsearch.learning.search import search
from bnsearch.networks import random_network
from bnsearch.ondemand.ginobs import GINOBS
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations, Target
from bnsearch.scores import Scorer, make_score
from candidate_tables import random_candidates
from knowledge_cases import best_legal_score, random_knowledge
from reference_exact import best_score
from reference_ondemand import SCORES, problem_of
from strategies import Table, examples, tables

DATA = random_network(15, 2.0, 2, 3).sample(400, seed=2)
KNOWN = Knowledge(required=[(DATA.names[3], DATA.names[0])], max_parents=3)


@pytest.mark.parametrize("known", [None, KNOWN], ids=["free", "known"])
@pytest.mark.parametrize("score", ["bic", "k2"])
def test_same_network_for_any_number_of_threads(score, known):
    """The same seed and number of steps: the same network, to the last digit of its score."""
    found = [
        learn(
            DATA, method="ginobs", score=score, knowledge=known, seconds=None, stop=Iterations(900), seed=2, threads=t
        )
        for t in (1, 2, 3, 1)
    ]
    assert len({(result.score, result.iterations) for result in found}) == 1
    assert all(result.dag == found[0].dag for result in found)


def test_same_network_from_auto_for_any_number_of_threads():
    """The same for the default method with too many variables for a proof: the island model."""
    data = random_network(40, 3.0, 2, 3).sample(2000, seed=1)
    found = [
        learn(data, seconds=None, stop=Iterations(800), seed=2, threads=threads, max_parents=2) for threads in (1, 2, 3)
    ]
    assert len({(result.score, result.iterations, result.stop, result.bound) for result in found}) == 1
    assert found[0].dag == found[1].dag == found[2].dag
    assert found[0].score == pytest.approx(Scorer(data, make_score("bic")).network(found[0].dag), rel=1e-11)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
@examples(8)
@given(table=tables(min_variables=2, max_variables=5, max_rows=150), seed=st.integers(0, 1000), informed=st.booleans())
def test_auto_proves_the_optimum_of_few_variables(score, table: Table, seed, informed):
    """With up to five variables and any knowledge, the best legal network is found, and is proven optimal."""
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else Knowledge())
    known = problem.constraints
    result = learn(data, score=score, knowledge=problem.knowledge, seconds=None, seed=seed, threads=1)
    best = best_legal_score(known, problem.scorer.family)
    assert result.optimal
    assert result.score == pytest.approx(best, rel=1e-9, abs=1e-7)
    assert result.score == pytest.approx(problem.scorer.network(result.dag), rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
@examples(8)
@given(table=tables(min_variables=2, max_variables=5, max_rows=150), seed=st.integers(0, 1000), informed=st.booleans())
def test_ginobs_on_few_variables(score, table: Table, seed, informed):
    """The score is not above the optimum, not below that of the required edges alone, and is that of the network."""
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else Knowledge())
    result = search(problem, GINOBS(memory=1 << 20), stop=Iterations(60), seed=seed, threads=1)
    best = best_legal_score(problem.constraints, problem.scorer.family)
    margin = 1e-9 * max(1.0, abs(best))
    assert problem.base_score - margin <= result.score <= best + margin
    assert result.score == pytest.approx(problem.scorer.network(result.dag), rel=1e-11, abs=1e-9)


def test_the_optimum_of_fifteen_variables():
    """Exact search knows the best score: a few thousand steps reach it."""
    best = learn(DATA, method="exact", seconds=None, seed=0)
    assert best.optimal
    result = learn(DATA, method="ginobs", seconds=None, stop=Iterations(20_000) | Target(best.score), seed=1, threads=1)
    assert result.stop == "target"


@pytest.mark.parametrize("limit", [1, 2, 7, 400])
def test_a_budget_of_steps(limit):
    """As many steps as allowed, or, where they do not divide among the islands, one more for each island at most."""
    result = learn(DATA, method="ginobs", seconds=None, stop=Iterations(limit), seed=1, threads=1)
    assert result.stop == "iterations"
    assert limit <= result.iterations <= limit + 2


def test_a_table_of_candidate_sets_is_not_enough():
    """GINOBS needs data; auto searches a table without data exactly, or over orderings."""
    table = random_candidates(6, 5, 2, seed=1)
    with pytest.raises(InputError, match="a candidate table is not enough"):
        search(Problem(table=table), GINOBS(), stop=Iterations(20), seed=1, threads=1)
    result = search(Problem(table=table), METHODS["auto"](), stop=Iterations(20), seed=1, threads=1)
    assert result.score <= best_score(table) + 1e-9


@pytest.mark.parametrize("wrong", [{"islands": 0}, {"islands": 1.5}, {"memory": 1000}], ids=str)
def test_bad_parameters_are_refused(wrong):
    """Each parameter has its range."""
    with pytest.raises(InputError):
        GINOBS(**wrong)


@pytest.mark.parametrize("method", ["auto", "ginobs"])
def test_little_memory(method):
    """64 MiB are enough, and the reported score is that of the network."""
    result = learn(DATA, method=method, memory="64MiB", seconds=None, stop=Iterations(200), seed=1, threads=2)
    assert result.score == pytest.approx(Scorer(DATA, make_score("bic")).network(result.dag), rel=1e-11)
