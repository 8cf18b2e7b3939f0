"""Networks near the optimum: compared with all networks by definition, and with a published number."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.exact import near_optimal
from bnsearch.exact.near_optimal import find_near_optimal
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.learning.learn import learn
from bnsearch.learning.search import search
from bnsearch.networks import load_network
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.near_optimal import NearOptimal
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores import BIC, K2, Scorer
from candidate_tables import candidate_tables, networks
from reference_graphs import all_graphs, is_acyclic
from strategies import examples

Parents = tuple[tuple[int, ...], ...]


def list_subsets(n: int, child: int) -> Iterator[tuple[int, ...]]:
    """Yield all sets of other variables."""
    others = [v for v in range(n) if v != child]
    for size in range(n):
        yield from itertools.combinations(others, size)


@cache
def list_dags(n: int) -> list[Parents]:
    """Return the parents of each variable in all DAGs over n variables."""
    graphs = [arcs for arcs in all_graphs(n, undirected=False) if is_acyclic(n, arcs)]
    return [tuple(tuple(i for i in range(n) if (i, j) in arcs) for j in range(n)) for arcs in graphs]


def list_networks(data: Dataset, scorer: Scorer) -> dict[Parents, float]:
    """Return all networks over the variables of a dataset with their scores."""
    n = data.n_variables
    families = [{p: scorer.family(v, p) for p in list_subsets(n, v)} for v in range(n)]
    return {dag: math.fsum(families[v][p] for v, p in enumerate(dag)) for dag in list_dags(n)}


def keep_near(scores: dict[Parents, float], factor: float) -> set[Parents]:
    """Return the networks within a factor of the best one."""
    least = max(scores.values()) - math.log(factor) - 1e-9
    return {parents for parents, score in scores.items() if score >= least}


def check(near: NearOptimal | None, expected: set[Parents]) -> None:
    """Compare networks near the optimum with those by definition; each is listed once, the best one first."""
    assert near is not None
    assert near.is_complete
    assert near.count == len(near.networks) == len(expected)
    assert {dag.parents for dag in near.networks} == expected
    assert np.all(np.diff(near.scores) <= 0)


@examples(25)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([1, 1.5, 20, 1e6]), st.sampled_from([BIC(), K2()]))
def test_all_networks_of_four_variables(n, seed, factor, score):
    """Of all DAGs over up to four variables, exactly those within the factor are listed."""
    data = Dataset.from_codes(np.random.default_rng(seed).integers(2, size=(12, n)), arities=[2] * n)
    scores = list_networks(data, Scorer(data, score))
    near = find_near_optimal(Problem(data=data, score=score), factor, Run())
    check(near, keep_near(scores, factor))


@examples(2)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 30]))
def test_all_networks_of_five_variables(seed, factor):
    """The same over five variables: 29,281 DAGs."""
    codes = np.random.default_rng(seed).integers(2, size=(30, 5)).cumsum(axis=1) % 2
    data = Dataset.from_codes(codes, arities=[2] * 5)
    check(
        find_near_optimal(Problem(data=data, score=BIC()), factor, Run()),
        keep_near(list_networks(data, Scorer(data, BIC())), factor),
    )


@examples(15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 1e3]))
def test_knowledge(seed, factor):
    """Only legal networks are listed, and the best legal one is the optimum."""
    data = Dataset.from_codes(np.random.default_rng(seed).integers(2, size=(12, 4)), arities=[2] * 4)
    known = Knowledge(required=[("2", "0")], forbidden=[("1", "3")], max_parents=2)
    problem = Problem(data=data, score=BIC(), knowledge=known)
    scores = list_networks(data, Scorer(data, BIC()))
    assert problem.permits is not None
    legal = {p: score for p, score in scores.items() if problem.permits(DAG(data.names, p))}
    check(find_near_optimal(problem, factor, Run()), keep_near(legal, factor))


@examples(30)
@given(candidate_tables(max_variables=5, max_sets=6), st.sampled_from([1, 2, 10, 100]))
def test_networks_over_a_table(table: ParentSets, factor):
    """With a candidate table, the networks over its sets are listed."""
    scores = {tuple(tuple(sorted(own)) for own in parents): score for score, parents in networks(table)}
    check(find_near_optimal(Problem(table=table), factor, Run()), keep_near(scores, factor))


def test_more_networks_than_the_limit():
    """All networks are counted, the first ones are listed."""
    data = load_network("asia").sample(200, 1)
    few = find_near_optimal(Problem(data=data, score=BIC()), 3, Run(), max_listed=5)
    every = find_near_optimal(Problem(data=data, score=BIC()), 3, Run())
    assert few is not None
    assert every is not None
    assert (few.count, len(few.networks)) == (every.count, 5)
    assert {dag.parents for dag in few.networks} < {dag.parents for dag in every.networks}
    assert repr(few) == f"NearOptimal({few.count:,} networks within a factor of 3)"


def test_equivalence_classes():
    """The classes of the networks of optimal score are one, with as many networks as the class has members."""
    data = load_network("asia").sample(200, 1)
    result = learn(data, seconds=10, seed=1, within=1)
    assert result.near_optimal is not None
    (only,) = result.near_optimal.classes
    assert only == result.cpdag


def test_a_stop_while_networks_are_counted(monkeypatch):
    """After a stop, the count is a lower bound."""
    monkeypatch.setattr(near_optimal, "STEPS_PER_CALL", 50)
    data = load_network("asia").sample(200, 1)
    problem = Problem(data=data, score=BIC())
    every = find_near_optimal(problem, 20, Run())
    stopped = find_near_optimal(problem, 20, StoppedRun(40))
    assert every is not None
    assert stopped is not None
    assert not stopped.is_complete
    assert 0 < stopped.count < every.count
    assert repr(stopped).startswith("NearOptimal(at least ")


class StoppedRun(Run):
    """A run that is halted after a number of questions."""

    def __init__(self, questions: int) -> None:
        super().__init__()
        self.questions = questions

    def halted(self, score: float = -math.inf) -> bool:
        """Return True after the questions."""
        self.questions -= 1
        return self.questions < 0


def test_too_many_variables():
    """The limit is checked before the search."""
    data = Dataset.from_codes(np.zeros((5, 21), dtype=int), arities=[2] * 21)
    with pytest.raises(InputError, match="at most 20 variables, but there are 21"):
        learn(data, within=3)
    with pytest.raises(InputError, match="within"):
        learn(load_network("asia").sample(50, 1), within=0.5)


def test_networks_of_wine(shared_data: Path):
    """The data's publishers report 308 networks within a factor of 3 of the optimum -1258.446."""
    data = Dataset.read(shared_data / "uci" / "wine.csv.gz", header=False)
    near = find_near_optimal(Problem(data=data, score=BIC()), 3, Run(threads=2))
    assert near is not None
    assert near.count == 308
    assert near.scores[0] == pytest.approx(-1258.445909, abs=1e-6)


def test_search_over_a_table_lists_networks():
    """`search` has the same option."""
    data = load_network("asia").sample(200, 1)
    problem = Problem(data=data, score=BIC())
    result = search(Problem(table=problem.parent_sets), "exact", seed=1, within=2)
    assert result.near_optimal is not None
    assert result.near_optimal.scores[0] == pytest.approx(result.score)
