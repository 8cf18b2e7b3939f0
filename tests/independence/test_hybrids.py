"""MMHC and IK2vMB, and what holds for every method that searches DAGs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from oracle import Oracle

from bnsearch.dags import K2, HillClimb, Tabu
from bnsearch.errors import InputError
from bnsearch.graphs import compare
from bnsearch.independence import BNPC, MMHC, GTest, IK2vMB
from bnsearch.independence.ik2vmb import find_common_effects
from bnsearch.independence.neighbourhoods import find_max_min_neighbours, find_mutual_pairs
from bnsearch.knowledge import Knowledge
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores import BIC, make_score
from strategies import examples, tables

METHODS = [HillClimb(restarts=2), Tabu(restarts=1, patience=5), K2(), MMHC(restarts=1), BNPC(), IK2vMB()]
IDS = [method.name for method in METHODS]


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Return 2,000 rows of a random network of 12 variables."""
    return Problem(data=random_network(12, 1.2, 3, seed=3).sample(2000, seed=1), score=BIC())


@pytest.mark.parametrize("method", METHODS, ids=IDS)
@given(table=tables(max_variables=6, max_rows=130))
@examples(25)
def test_every_method_serves_every_table(method, table):
    """Constant, copied and missing states, one row, one variable: an acyclic graph with the score it says."""
    for score in ("bic", "k2"):
        problem = Problem(data=table.dataset, score=make_score(score))
        result = search(problem, method, seed=1, threads=1)
        assert sorted(result.dag.order) == list(range(problem.size))
        assert result.score == pytest.approx(problem.scorer.network(result.dag), rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("method", METHODS, ids=IDS)
def test_the_result_does_not_depend_on_the_threads(problem, method):
    """One and three threads find the same graph and count the same evaluations."""
    results = [search(problem, method, stop=Iterations(3), seed=3, threads=threads) for threads in (1, 3)]
    assert results[0].dag == results[1].dag
    assert results[0].evaluations == results[1].evaluations


@pytest.mark.parametrize("method", METHODS, ids=IDS)
def test_no_time_and_an_early_wish_to_stop(problem, method):
    """Stopped at once or interrupted beforehand, a method returns some graph, with its score."""
    result = search(problem, method, stop=Seconds(0), seed=1, threads=2)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    run = Run(seed=1)
    run.budget.request_stop()
    method.search(problem, run)
    run.finish()
    assert run.reason == "interrupted"


def test_mmhc_joins_only_what_the_tests_allow(problem):
    """Every edge joins two variables that are in each other's max-min sets; the climb's rules are kept."""
    result = search(replace(problem, knowledge=Knowledge(max_parents=2)), MMHC(), seed=1)
    local = lambda tester, target, candidates: find_max_min_neighbours(tester, target, candidates, 3)  # noqa: E731
    allowed = find_mutual_pairs(problem.data, GTest(), local, Run())
    for child, parents in enumerate(result.dag.parents):
        assert len(parents) <= 2
        assert allowed[child, list(parents)].all()


def test_mmhc_finds_most_of_a_network():
    """Of greenhouse, 10,000 rows give a skeleton at least three quarters right."""
    truth = load_network("greenhouse")
    problem = Problem(data=truth.sample(10_000, seed=1), score=BIC())
    found = compare(truth.dag, search(problem, MMHC(), seed=1).dag).skeleton
    assert found.shared >= 0.75 * max(found.true, found.learned)


def test_common_effects_are_the_colliders():
    """0 -> 2 <- 1, 2 -> 3: all but 0, 3 and 1, 3 are in each other's blankets, and only 2 is an effect of two."""
    blankets = np.zeros((4, 4), dtype=bool)
    for x, y in [(0, 1), (0, 2), (1, 2), (2, 3)]:
        blankets[x, y] = blankets[y, x] = True
    assert find_common_effects(Oracle([[], [], [0, 1], [2]]), blankets) == [(0, 2, 1)]


def test_ik2vmb_takes_a_root(problem):
    """A root by name is used, an unknown one refused; random ones follow the seed."""
    named = [search(problem, IK2vMB(root=name), seed=1).dag for name in problem.names[:4]]
    assert len(set(named)) > 1
    single = replace(problem, knowledge=Knowledge(max_parents=1))
    found = [search(single, IK2vMB(), seed=5).dag for _ in range(2)]
    assert found[0] == found[1]
    assert max(map(len, found[0].parents)) == 1
    with pytest.raises(InputError, match="'nobody'"):
        search(problem, IK2vMB(root="nobody"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: MMHC(alpha=1),
        lambda: MMHC(max_condition=0),
        lambda: MMHC(patience=0),
        lambda: IK2vMB(alpha=-1),
    ],
    ids=["alpha", "condition", "patience", "ik2vmb alpha"],
)
def test_bad_parameters_are_refused(make):
    """Each parameter has a range, those of the parts too."""
    with pytest.raises(InputError, match="must be"):
        make()
