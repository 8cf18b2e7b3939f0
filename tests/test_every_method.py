"""What holds for every method that has a name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsearch.methods import make_method, methods
from bnsearch.problem import Problem
from bnsearch.scores import BIC
from bnsearch.searching import search
from bnsearch.stop import Iterations
from random_knowledge import random_knowledge
from strategies import Table, tables

BRIEF = {"miiga": {"population": 6}, "cga": {"population": 6}, "dga": {"population": 6}, "bncpso": {"population": 6}}


@pytest.mark.parametrize("name", methods())
@settings(max_examples=8)
@given(table=tables(max_variables=5, max_rows=100), seed=st.integers(0, 1000), informed=st.booleans())
def test_networks_are_acyclic_legal_and_worth_their_score(name, table: Table, seed, informed):
    """On any table, whatever is known: an acyclic network that respects it, with the score that is told."""
    data = table.dataset
    knowledge = random_knowledge(data.names, seed) if informed else None
    problem = Problem(data=data, score=BIC(), knowledge=knowledge)
    result = search(problem, make_method(name, **BRIEF.get(name, {})), stop=Iterations(4), seed=seed, threads=1)
    place = {variable: i for i, variable in enumerate(result.dag.order)}
    assert sorted(place) == list(range(data.n_variables))
    assert all(place[p] < place[child] for child, parents in enumerate(result.dag.parents) for p in parents)
    assert problem.constraints is None or problem.constraints.permits(result.dag)
    assert result.score == pytest.approx(problem.scorer.network(result.dag), rel=1e-9, abs=1e-7)
