"""Hill climbing, tabu search and K2 with background knowledge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch import InputError, Knowledge
from bnsearch.dags import K2, HillClimb, Tabu
from bnsearch.dags.climber import Climber
from bnsearch.dags.pricer import Pricer
from bnsearch.learning.search import search
from bnsearch.networks import random_network
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC, BDeu, Scorer
from bnsearch.scores.extender import Extender
from knowledge_cases import best_legal_score, is_legal, knowledge, random_knowledge
from reference_dags import climb_path, content_ranks
from strategies import examples, tables

NAMES = tuple("01234")
METHODS = [HillClimb(restarts=3), Tabu(restarts=2, patience=10), HillClimb(candidates=1), K2()]


@pytest.fixture(scope="module")
def data():
    """Return 200 rows of a random network of five variables named 0 to 4."""
    sample = random_network(5, 1.8, 3, seed=3, max_parents=3).sample(200, seed=1)
    return type(sample).from_codes(sample.codes.T, names=NAMES, arities=sample.arities.tolist())


@given(tables(min_variables=5, max_variables=5, max_rows=65), knowledge(NAMES))
@examples(20)
def test_a_climb_visits_legal_graphs_alone(table, known):
    """From the required edges on, the climb by definition among all legal graphs takes the same steps."""
    constraints = known.constraints(NAMES)
    rules = HillClimb().rules(constraints.allowed, constraints)
    climber, scorer = Climber(Pricer(table.dataset, BDeu(), rules)), Scorer(table.dataset, BDeu())
    start = tuple(map(frozenset, constraints.required_parents))
    climber.start(constraints.required_parents)
    path = [start]
    for _ in climber.climb(max_steps=1):
        graph = tuple(map(frozenset, climber.current_parents))
        path += [graph] * (graph != path[-1])
    expected = climb_path(
        start,
        lambda v, parents: scorer.family(v, sorted(parents)),
        content_ranks(table.dataset),
        lambda graph: is_legal(constraints, [sorted(parents) for parents in graph]),
    )
    assert path == expected


@pytest.mark.parametrize("method", METHODS, ids=["hillclimb", "tabu", "one-candidate", "k2"])
@given(known=knowledge(NAMES), seed=st.integers(0, 100))
@examples(25)
def test_networks_are_legal_and_scored_right(data, method, known, seed):
    """Under any knowledge, the network is legal, its score is right, and not above that of the best legal network."""
    problem = Problem(data=data, score=BIC(), knowledge=known)
    result = search(problem, method, seed=seed, threads=1)
    assert is_legal(problem.constraints, result.dag.parents)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert result.score <= best_legal_score(problem.constraints, problem.scorer.family) + 1e-6
    assert result.score >= problem.base_score - 1e-6


def test_climbs_find_the_best_legal_network(data):
    """With restarts, on five variables, in at least nine of ten cases."""
    hits = 0
    for seed in range(20):
        problem = Problem(data=data, score=BIC(), knowledge=random_knowledge(NAMES, seed))
        result = search(problem, HillClimb(restarts=10), seed=1, threads=1)
        hits += result.score >= best_legal_score(problem.constraints, problem.scorer.family) - 1e-6
    assert hits >= 18


def test_required_edges_survive_every_restart(data):
    """An edge that costs score, and its reversal, stay as required in all of fifty perturbed climbs."""
    problem = Problem(data=data, score=BIC(), knowledge=Knowledge(required=[("4", "0"), ("2", "1")]))
    result = search(problem, Tabu(restarts=50, perturbation=1.0, patience=3), seed=2, threads=2)
    assert {("4", "0"), ("2", "1")} <= set(result.dag.edges)


def test_k2_takes_required_parents_first(data):
    """With 0 -> 1 and 2 -> 1 required and two parents at most, 1 has just these, whatever comes before it."""
    known = Knowledge(required=[("0", "1"), ("2", "1")], max_parents=2)
    problem = Problem(data=data, score=BIC(), knowledge=known)
    result = search(problem, K2(ordering=("3", "4", "0", "2", "1")), seed=1)
    assert result.dag.parents[1] == (0, 2)


def test_k2_refuses_an_ordering_against_a_required_edge(data):
    """The edge 1 -> 0 cannot be there where 0 stands before 1."""
    problem = Problem(data=data, score=BIC(), knowledge=Knowledge(required=[("1", "0")]))
    with pytest.raises(InputError, match="the ordering has '0' before '1', but the edge '1' -> '0' is required"):
        search(problem, K2(ordering=NAMES))


def test_candidates_are_the_best_of_those_allowed(data):
    """With one candidate each and half of the edges forbidden, every variable has one."""
    forbidden = [(a, b) for a in NAMES for b in NAMES if a < b]
    problem = Problem(data=data, score=BIC(), knowledge=Knowledge(forbidden=forbidden))
    result = search(problem, HillClimb(candidates=1), seed=1, threads=1)
    extender = Extender(data, BIC())
    for child, parents in enumerate(result.dag.parents):
        allowed = np.arange(child + 1, 5)
        if len(parents):
            best = allowed[np.argmax(extender.extend(child, [], allowed))]
            assert parents == (best,)
