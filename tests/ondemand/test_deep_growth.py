"""Growth through sets that score less, against the same growth written with a scorer."""

from __future__ import annotations

from math import fsum, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.ondemand.deep_growth import DeepGrowth
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC, K2, BDeu, Scorer, improves
from strategies import examples

SCORES = (BIC(), BDeu(ess=10.0), K2())


def uniform_table(n: int, rows: int, seed: int, states: int = 3) -> Dataset:
    """Return a table of independent variables."""
    codes = np.random.default_rng(seed).integers(0, states, (rows, n))
    return Dataset.from_codes(codes, arities=[states] * n)


def grow_by_definition(scorer: Scorer, v: int, parents: tuple[int, ...], candidates: set[int]) -> set[tuple[int, ...]]:
    """
    Return the best set of the path that always adds the best next parent, without members that cost nothing.

    If several parents are the best next one, up to rounding, there are several paths, and one result of each.
    """
    return {prune_by_definition(scorer, v, best) for best in walk_paths(scorer, v, parents, parents, candidates)}


def walk_paths(
    scorer: Scorer, v: int, grown: tuple[int, ...], best: tuple[int, ...], candidates: set[int]
) -> set[tuple[int, ...]]:
    """Return the best set of each path from the set `grown`; best : the best set so far, with its members in order."""
    if improves(scorer.family(v, grown), scorer.family(v, best)):
        best = grown
    scores = {u: scorer.family(v, [*grown, u]) for u in candidates - set(grown)}
    if not scores:
        return {best}
    highest = max(scores.values())
    ties = [u for u, score in scores.items() if not improves(highest, score)]
    return set().union(*(walk_paths(scorer, v, (*grown, u), best, candidates) for u in ties))


def prune_by_definition(scorer: Scorer, v: int, best: tuple[int, ...]) -> tuple[int, ...]:
    """Return a set without members that cost nothing, which are removed in the order of the path."""
    for u in best:
        rest = tuple(p for p in best if p != u)
        if not improves(scorer.family(v, best), scorer.family(v, rest)):
            best = rest
    return tuple(sorted(best))


def exchange_by_definition(scorer: Scorer, v: int, best: tuple[int, ...], candidates: set[int]) -> set[tuple[int, ...]]:
    """Return the sets in which no exchange of one parent gains, always by the first parent whose exchange gains."""
    for u in best:
        rest = tuple(p for p in best if p != u)
        scores = {w: scorer.family(v, [*rest, w]) for w in candidates - set(rest)}
        highest = max(scores.values())
        if improves(highest, scorer.family(v, best)):
            ties = [w for w, score in scores.items() if not improves(highest, score)]
            pruned = [prune_by_definition(scorer, v, (*rest, w)) for w in ties]
            return set().union(*(exchange_by_definition(scorer, v, each, candidates) for each in pruned))
    return {best}


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


def ancestors(dag: DAG, v: int) -> set[int]:
    """Return a variable and all of its ancestors."""
    return {v}.union(*(ancestors(dag, u) for u in dag.parents[v]))


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
