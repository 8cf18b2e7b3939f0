"""Searches over orderings, and exact search, with background knowledge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch import InputError, Knowledge
from bnsearch.data import Dataset
from bnsearch.exact import Exact
from bnsearch.learning.methods import make_method
from bnsearch.learning.search import search
from bnsearch.networks import random_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations
from bnsearch.scores import BIC
from bnsearch.selection import Auto
from candidate_tables import table_of
from knowledge_cases import best_legal_score, is_legal, knowledge, random_knowledge
from strategies import examples

NAMES = tuple("01234")
STEPS = {"obs": 10, "inobs": 10, "iinobs": 20, "minobs": 3, "asobs": 60, "rinobs": 400}


def five_variables(seed: int) -> Dataset:
    """Return 150 rows of a random network of five variables named 0 to 4."""
    sample = random_network(5, 1.6, 3, seed=seed).sample(150, seed=1)
    return Dataset.from_codes(sample.codes.T, names=NAMES, arities=sample.arities.tolist())


@given(st.integers(0, 20), knowledge(NAMES))
@examples(60)
def test_exact_search_finds_the_best_legal_network(seed, known):
    """The score is that of the best legal network, found by enumeration, and proven optimal."""
    problem = Problem(data=five_variables(seed), score=BIC(), knowledge=known, builder=Auto(seconds=math.inf))
    result = search(problem, Exact(), seed=1, threads=1)
    assert result.optimal
    assert is_legal(problem.constraints, result.dag.parents)
    assert result.score == pytest.approx(best_legal_score(problem.constraints, problem.scorer.family), abs=1e-6)


@pytest.mark.parametrize("name", STEPS)
@given(st.integers(0, 20), knowledge(NAMES), st.sampled_from(["random", "dfs", "fas"]))
@examples(20)
def test_every_search_finds_the_best_legal_network_of_five(name, seed, known, start):
    """On five variables a short search finds the best legal network, and its score is correct."""
    problem = Problem(data=five_variables(seed), score=BIC(), knowledge=known, builder=Auto(seconds=math.inf))
    method = make_method(name, start="random" if name == "asobs" else start)  # informed starts hardly differ
    result = search(problem, method, stop=Iterations(STEPS[name]), seed=1, threads=1)
    assert is_legal(problem.constraints, result.dag.parents)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert result.score == pytest.approx(best_legal_score(problem.constraints, problem.scorer.family), abs=1e-6)


@pytest.mark.parametrize("name", STEPS)
def test_the_first_iteration_finds_a_legal_network(name):
    """The first iteration, on 30 variables with many required edges, has a legal network."""
    data = random_network(30, 1.5, 3, seed=2).sample(300, seed=1)
    problem = Problem(
        data=data,
        score=BIC(),
        knowledge=random_knowledge(data.names, 4),
        builder=Auto(evaluations=30_000, max_parents=3),
    )
    assert problem.constraints.required.sum() > 10
    result = search(problem, make_method(name), stop=Iterations(1), seed=1, threads=1)
    assert problem.constraints.permits(result.dag)
    assert result.score > problem.base_score


def test_a_budgeted_table_proves_nothing():
    """With a selection of ten evaluations per variable, exact search finds a network without a proof."""
    data = random_network(8, 2, 3, seed=2).sample(300, seed=1)
    few = Problem(data=data, score=BIC(), builder=Auto(evaluations=80))
    result = search(few, Exact(), seed=1)
    assert (result.optimal, result.stop) == (False, "complete")
    assert search(Problem(data=data, score=BIC()), Exact(), seed=1).optimal


def given_table():
    """Return a table in which x0 gains from x1, and x1 gains from x0 or x2."""
    none, zero, one, two = frozenset(), frozenset({0}), frozenset({1}), frozenset({2})
    return table_of([{none: -10.0, one: -6.0}, {none: -10.0, zero: -5.0, two: -7.0}, {none: -10.0}])


@pytest.mark.parametrize("name", [*STEPS, "exact"])
@pytest.mark.parametrize(
    ("known", "score", "edges"),
    [
        ({"forbidden": [("x0", "x1")]}, -23.0, {("x1", "x0"), ("x2", "x1")}),
        ({"required": [("x2", "x1")]}, -23.0, {("x1", "x0"), ("x2", "x1")}),
        ({"required": [("x1", "x0")], "forbidden": [("x2", "x1")]}, -26.0, {("x1", "x0")}),
        ({"roots": ["x0"], "max_parents": {"x1": 0}}, -30.0, set()),
        ({}, -23.0, {("x1", "x0"), ("x2", "x1")}),
    ],
    ids=["forbidden", "required", "both", "limits", "nothing"],
)
def test_a_given_table_is_restricted(name, known, score, edges):
    """
    Rows of one small table: x0 alone -10 or with x1 -6; x1 alone -10, with x0 -5, with x2 -7; x2 alone -10.

    Without x0 -> x1 the best is -6 - 7 - 10 = -23; with x2 -> x1 required the same. With x1 -> x0 required and
    x2 -> x1 forbidden it is -6 - 10 - 10 = -26; without any parents -30.
    """
    problem = Problem(table=given_table(), knowledge=Knowledge(**known))
    result = search(problem, make_method(name), stop=Iterations(20), seed=1, threads=1)
    assert result.score == score
    assert set(result.dag.edges) == edges


def test_a_table_without_the_required_parents_is_refused():
    """No candidate set of x0 contains x2, and without data none can be scored."""
    problem = Problem(table=given_table(), knowledge=Knowledge(required=[("x2", "x0")]))
    with pytest.raises(InputError, match="no candidate set of 'x0' holds its required parents 'x2'"):
        _ = problem.parent_sets


def test_data_score_the_required_parents_that_a_table_lacks():
    """With data and a score, the set of the required parents is scored and added to the table."""
    data = Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (50, 3)), names=["x0", "x1", "x2"])
    known = Knowledge(required=[("x2", "x0")])
    problem = Problem(data=data, score=BIC(), table=given_table(), knowledge=known)
    rows = {parents: score for score, parents in problem.parent_sets.sets(0)}
    assert rows[(2,)] == pytest.approx(problem.scorer.family(0, (2,)))
    assert rows.keys() == {(2,), ()}


def test_exact_search_refuses_a_table_without_a_legal_network():
    """x0 has its required parent x2 only together with x1, and x1 has x3 only together with x0: a cycle."""
    none = frozenset()
    one, zero = {none: -10.0, frozenset({1, 2}): -1.0}, {none: -10.0, frozenset({0, 3}): -1.0}
    table = table_of([one, zero, {none: -10.0}, {none: -10.0}])
    problem = Problem(table=table, knowledge=Knowledge(required=[("x2", "x0"), ("x3", "x1")]))
    with pytest.raises(InputError, match="no network of the candidate table satisfies the knowledge"):
        search(problem, Exact(), seed=1)
