"""K2 compared with its definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.dags import K2
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.learning.search import search
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC, SCORES, make_score
from reference import family_score
from reference_dags import content_ranks, k2_parents
from strategies import examples, tables


@given(
    tables(max_variables=5, max_rows=65), st.sampled_from(sorted(SCORES)), st.sampled_from([None, 0, 1, 2]), st.data()
)
@examples(60)
def test_parents_are_those_of_the_definition(table, score, max_parents, draw):
    """For every score, any ordering and any number of parents."""
    order = draw.draw(st.permutations(range(len(table.columns))))
    parameters = {"ess": 1.0} if score == "bdeu" else {}
    known = None if max_parents is None else Knowledge(max_parents=max_parents)
    problem = Problem(data=table.dataset, score=make_score(score, **parameters), knowledge=known)
    ordering = [table.dataset.names[v] for v in order]
    result = search(problem, K2(ordering=ordering), threads=2)

    def family(child, parents):
        return family_score(score, table.codes, table.arities, child, sorted(parents), **parameters)

    ranks = content_ranks(table.dataset)
    most = len(order) if max_parents is None else max_parents
    expected = [k2_parents(v, order[: order.index(v)], most, family, ranks) for v in range(len(order))]
    assert list(map(frozenset, result.dag.parents)) == expected
    assert result.score == pytest.approx(sum(map(family, range(len(order)), expected)), rel=1e-9, abs=1e-7)


def test_random_orderings_follow_the_seed():
    """The same seed draws the same ordering, for any number of threads; some other seed another."""
    problem = Problem(data=load_network("asia").sample(300, seed=1), score=BIC())
    dags = [search(problem, K2(), seed=seed, threads=threads).dag for seed, threads in [(1, 1), (1, 3), (2, 1), (3, 1)]]
    assert dags[0] == dags[1]
    assert len(set(dags)) > 1


def test_asia_along_its_own_ordering():
    """With causes first, 20,000 rows give a network no worse than the true one."""
    truth = load_network("asia")
    problem = Problem(data=truth.sample(20_000, seed=2), score=BIC())
    ordering = [truth.names[v] for v in truth.dag.order]
    result = search(problem, K2(ordering=ordering), seed=1)
    assert result.score >= problem.scorer.network(truth.dag)
    assert (result.iterations, result.stop) == (1, "complete")


def test_no_time_means_no_edges():
    """Stopped at once, every variable keeps what it has: nothing."""
    problem = Problem(data=load_network("asia").sample(300, seed=1), score=BIC())
    assert search(problem, K2(), stop=Seconds(0), seed=1).dag.edges == []


@pytest.mark.parametrize(
    ("ordering", "message"),
    [("asia", "list of all"), (["asia", "tub"], "each of the 8"), (["asia"] * 8, "once"), (["rain"], "'rain'")],
    ids=["text", "short", "repeated", "unknown"],
)
def test_bad_orderings_are_refused(ordering, message):
    """An ordering holds every variable once."""
    problem = Problem(data=load_network("asia").sample(30, seed=1), score=BIC())
    with pytest.raises(InputError, match=message):
        search(problem, K2(ordering=ordering))
