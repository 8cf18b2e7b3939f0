"""Selections with background knowledge: all legal sets and no others, and penalties for missing required parents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from best_first_cases import dependent_data, same_tables, undominated
from hypothesis import given
from hypothesis import strategies as st

from bnsearch import Knowledge
from bnsearch.data import Dataset
from bnsearch.parent_sets import relaxed
from bnsearch.parent_sets.legal import legal_table
from bnsearch.scores import BIC, K2, BDeu, Scorer
from bnsearch.selection import Auto, Sequential, make_selection
from knowledge_cases import best_legal_score, is_legal, knowledge, legal_sets, random_knowledge
from strategies import examples

NAMES = tuple("01234")
EVERY = ("auto", "sequential", "greedy", "independence")


def legal_part(table, known, child):
    """Return a variable's rows by set, without the empty set if it is not legal."""
    rows = {parents: score for score, parents in table.sets(child)}
    assert () in rows
    if known.required[child].any():
        assert rows.pop(()) < min(rows.values())
    return rows


@pytest.mark.parametrize("score", [BIC(), BDeu(), K2()], ids=["bic", "bdeu", "k2"])
@given(seed=st.integers(0, 1000), known=knowledge(NAMES))
@examples(40)
def test_a_complete_table_holds_the_legal_sets_that_matter(score, seed, known):
    """By definition: all legal sets scored, those kept that no legal subset matches or beats."""
    data, constraints = dependent_data(seed, n=5, rows=150), known.constraints(NAMES)
    selection = Auto(seconds=math.inf).select(data, score, threads=1, constraints=constraints)
    assert selection.complete
    scorer = Scorer(data, score)
    for child in range(5):
        scored = {parents: scorer.family(child, parents) for parents in legal_sets(constraints, child)}
        expected = undominated(scored)
        assert legal_part(selection.table, constraints, child) == pytest.approx(expected)


@pytest.mark.parametrize("name", EVERY)
@given(seed=st.integers(0, 1000), evaluations=st.integers(1, 900))
@examples(25)
def test_whatever_the_budget_all_sets_are_legal(name, seed, evaluations):
    """With any number of evaluations, sets are legal, have the right scores and include the smallest one."""
    data, names = dependent_data(seed, n=9, rows=150), [str(v) for v in range(9)]
    constraints = random_knowledge(names, seed).constraints(names)
    selections = [
        make_selection(name, evaluations=evaluations, max_parents=4).select(
            data, BIC(), threads=threads, constraints=constraints
        )
        for threads in (1, 3)
    ]
    assert same_tables(selections[0].table, selections[1].table)
    scorer = Scorer(data, BIC())
    for child in range(9):
        rows = legal_part(selections[0].table, constraints, child)
        legal = {p for p in legal_sets(constraints, child) if len(p) <= max(4, constraints.required[child].sum())}
        assert rows.keys() <= legal
        assert tuple(np.flatnonzero(constraints.required[child])) in rows
        assert rows == pytest.approx({parents: scorer.family(child, parents) for parents in rows})
        if selections[0].complete:
            assert rows.keys() == undominated({p: scorer.family(child, p) for p in legal}).keys()
    assert selections[0].scored >= selections[0].kept


def test_a_required_parent_is_grown_beyond_enumeration(monkeypatch):
    """With sizes of more than 30 sets left out, growth finds the parents of a noisy XOR that hold the required one."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (600, 12))
    codes[:, 11] = (codes[:, 0] + codes[:, 1] + codes[:, 2]) % 2
    data = type(dependent_data(0)).from_codes(codes)
    constraints = Knowledge(required=[("5", "11"), ("0", "11"), ("1", "11")]).constraints(data.names)
    monkeypatch.setattr("bnsearch.selection.lattice_search.MAX_SETS", 30)
    selection = Auto(evaluations=20_000).select(data, BIC(), constraints=constraints)
    assert not selection.complete
    best = next(iter(selection.table.sets(11)))[1]
    assert best == (0, 1, 2, 5)
    monkeypatch.undo()
    everything = Auto(seconds=math.inf).select(data, BIC(), constraints=constraints)
    assert everything.complete
    assert next(iter(everything.table.sets(11)))[1] == best


def test_penalties_are_more_than_any_network_makes_up_for():
    """Every network with a penalised set scores below every legal one, and none of them is huge."""
    names = [str(v) for v in range(5)]
    for seed in range(30):
        constraints = random_knowledge(names, seed).constraints(names)
        table = Auto(seconds=math.inf).select(dependent_data(seed, n=5), BIC(), constraints=constraints).table
        needy = np.flatnonzero(constraints.required.any(axis=1))
        lowest = math.fsum(min(legal_part(table, constraints, v).values()) for v in range(5))
        for v in needy.tolist():
            penalised = float(table.scores[table.begin[v + 1] - 1])
            others = math.fsum(max(legal_part(table, constraints, u).values()) for u in range(5) if u != v)
            assert penalised + others < lowest
        assert abs(table.scores).max() <= 3 * abs(lowest)


@given(st.integers(0, 1000), knowledge(NAMES))
@examples(30)
def test_the_relaxed_solution_bounds_all_legal_networks(seed, known):
    """The sum of the best rows is at least what the best legal network scores."""
    data, constraints = dependent_data(seed, n=5, rows=100), known.constraints(NAMES)
    table = Auto(seconds=math.inf).select(data, BIC(), constraints=constraints).table
    assert relaxed(table).score >= best_legal_score(constraints, Scorer(data, BIC()).family) - 1e-6


def test_max_sets_leave_the_smallest_legal_set():
    """A variable with required parents keeps its best set, just the required parents, and the empty set."""
    data = dependent_data(3, n=8)
    constraints = Knowledge(required=[("0", "7"), ("1", "7")]).constraints(data.names)
    selection = Auto(seconds=math.inf, max_sets=1).select(data, BIC(), constraints=constraints)
    rows = [parents for _, parents in selection.table.sets(7)]
    assert rows[-2:] == [(0, 1), ()]
    assert len(rows) <= 3
    assert not selection.complete


def test_completeness_is_said():
    """A table is complete if every set was considered, not with too few evaluations, too little time or memory."""
    data = dependent_data(2, n=8)
    assert Auto(seconds=math.inf).select(data, BIC()).complete
    assert Sequential(max_parents=2).select(data, BIC()).complete
    assert not Auto(evaluations=300).select(data, BIC()).complete
    assert not Auto(seconds=math.inf, max_sets=1).select(data, BIC()).complete
    assert not Sequential(max_parents=2, evaluations=20).select(data, BIC()).complete


@pytest.mark.parametrize("name", EVERY)
def test_few_legal_sets_are_all_looked_at(name):
    """With three allowed parents each there are eight sets a variable: no more are scored, and all are considered."""
    data = dependent_data(4, n=12)
    allowed = [(str((v + i) % 12), str(v)) for v in range(12) for i in (1, 2, 5)]
    constraints = Knowledge(allowed=allowed).constraints(data.names)
    selection = make_selection(name, seconds=100).select(data, BIC(), constraints=constraints)
    assert selection.complete
    assert selection.scored <= 12 * 8
    assert all(is_legal(constraints, [p if v == u else () for u in range(12)]) for v, p in rows_of(selection.table))


def rows_of(table):
    """Yield every row as (variable, parents)."""
    for v in range(table.n_variables):
        for _, parents in table.sets(v):
            yield v, parents


def test_huge_scores_keep_the_required_set():
    """
    Ten required parents of eight states: BIC charges 7 * 8^10 parameters, so the score is near -2e10.

    The tolerance of `improves` is then about 2. The row of the empty set must lie further below the required set than
    that, or it would prune the only legal set.
    """
    names = [str(v) for v in range(11)]
    codes = np.random.default_rng(0).integers(0, 8, (500, 11))
    data = Dataset.from_codes(codes, arities=[8] * 11)
    constraints = Knowledge(required=tuple((v, "10") for v in names[:10])).constraints(names)
    whole = Auto(seconds=math.inf).select(data, BIC(), threads=1, constraints=constraints).table
    restored = legal_table(
        names, whole.child, whole.scores, whole.first, whole.members, constraints, scorer=Scorer(data, BIC())
    )
    for table in (whole, restored):
        assert list(legal_part(table, constraints, 10)) == [tuple(range(10))]
        assert table.scores[table.begin[10]] < -2e10
