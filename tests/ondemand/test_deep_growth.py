"""Growth through sets that score less, against the same growth written with a scorer."""

from __future__ import annotations

from math import fsum, log

import pytest
from growth_by_definition import ancestors, exchange_by_definition, grow_by_definition, uniform_table
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.ondemand.deep_growth import DeepGrowth
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC, K2, BDeu, Scorer, improves
from strategies import examples

SCORES = (BIC(), BDeu(ess=10.0), K2())


@examples(25)
@given(st.integers(2, 7), st.integers(5, 60), st.integers(0, 999), st.sampled_from(SCORES))
def test_the_path_of_each_variable(n, rows, seed, score):
    """A network without edges: each variable in turn, with all variables that are not its descendants."""
    data = uniform_table(n, rows, seed)
    scorer = Scorer(data, score)
    empty = [()] * n
    start = fsum(scorer.family(v, ()) for v in range(n))
    found = DeepGrowth(Problem(data=data, score=score)).improve(start, empty, lambda: True)
    grown = empty if found is None else [tuple(p) for p in found[0].parents]
    dag = DAG(data.names, empty)
    for v in range(n):
        above = {u for u in range(n) if u != v and v not in ancestors(dag, u)}
        assert tuple(sorted(grown[v])) in grow_by_definition(scorer, v, (), above)
        dag = DAG(data.names, [grown[v] if w == v else p for w, p in enumerate(dag.parents)])
    if found is None:
        return
    assert found[1] == pytest.approx([scorer.family(v, p) for v, p in enumerate(dag.parents)], abs=1e-9)
    assert improves(fsum(found[1]), start)


@examples(25)
@given(st.integers(2, 7), st.integers(5, 60), st.integers(0, 999), st.sampled_from(SCORES))
def test_free_growth(n, rows, seed, score):
    """Each variable among all others, in several calls; nothing is left after that."""
    data = uniform_table(n, rows, seed)
    scorer = Scorer(data, score)
    growth = DeepGrowth(Problem(data=data, score=score))
    seen = []
    while not growth.is_exhausted:
        answers = iter([True] * 60)
        families = growth.grow_freely(lambda answers=answers: next(answers, False))
        first = families.first
        for i, (v, value) in enumerate(zip(families.child.tolist(), families.scores.tolist(), strict=True)):
            parents = tuple(families.members[first[i] : first[i + 1]].tolist())
            assert value == pytest.approx(scorer.family(v, parents), abs=1e-9)
            assert not improves(scorer.family(v, ()), value)
            seen.append(v)
            if i < len(families.child) - 1:  # the last one may have been interrupted
                others = set(range(n)) - {v}
                grown = grow_by_definition(scorer, v, (), others)
                assert parents in set().union(*(exchange_by_definition(scorer, v, each, others) for each in grown))
    assert seen == list(range(n))
    assert not len(growth.grow_freely(lambda: True).child)


def test_a_set_that_separates_all_rows():
    """Under BDeu, a uniform variable prefers parents with one row in each cell: every row then adds -log(states)."""
    data = uniform_table(12, 40, seed=1, states=4)
    score = BDeu(ess=10.0)
    scorer = Scorer(data, score)
    assert all(scorer.family(0, [u]) < scorer.family(0, []) for u in range(1, 12))  # a climb stays at the empty set
    dag, scores = DeepGrowth(Problem(data=data, score=score)).improve(0.0, [()] * 12, lambda: True)
    assert len(dag.parents[0]) > 1
    assert scores[0] >= -40 * log(4) > scorer.family(0, [])


def test_parts_of_a_network():
    """Each call grows some variables; a network is done when all of them were grown, and a new one is not."""
    growth = DeepGrowth(Problem(data=uniform_table(5, 40, seed=3), score=BIC()))
    assert not growth.is_done(-1.0)
    n_calls = 0
    while not growth.is_done(-1.0):
        answers = iter([True, False, False])  # begin with a variable, and give it up
        assert growth.improve(-1.0, [()] * 5, lambda answers=answers: next(answers)) is None
        n_calls += 1
    assert n_calls == 5
    assert not growth.is_done(-2.0)


def test_knowledge():
    """Required, forbidden and too many parents."""
    data = uniform_table(12, 40, seed=1, states=4)
    knowledge = Knowledge(required=[("1", "0")], forbidden=[("2", "0"), ("3", "0")], max_parents=5)
    problem = Problem(data=data, score=BDeu(ess=10.0), knowledge=knowledge)
    start = [(1,), *[()] * 11]
    dag, _ = DeepGrowth(problem).improve(0.0, start, lambda: True)
    assert 1 in dag.parents[0]
    assert not {2, 3} & set(dag.parents[0])
    assert 1 < max(len(p) for p in dag.parents) <= 5
    families = DeepGrowth(problem).grow_freely(lambda: True)
    of_first = families.members[: families.first[1]].tolist()
    assert 1 in of_first
    assert not {2, 3} & set(of_first)
    assert max(families.sizes) <= 5
