"""Bounds are sound: no family beats them, and no table changes with them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from best_first_cases import ceiling_of_supersets, same_tables
from hypothesis import given
from hypothesis import strategies as st
from test_sequential import by_definition

from bnsearch.data import Dataset
from bnsearch.scores import AIC, BIC, FNML, K2, QNML, BDeu, LogLikelihood, Scorer, improves
from bnsearch.scores.bounds import Bound, bound_of, max_useful_parents
from bnsearch.scores.extender import Extender
from bnsearch.selection import Auto, Greedy, Independence, Sequential
from strategies import examples

SCORES = [BIC(), AIC(), BDeu(ess=1.0), BDeu(ess=50.0), BDeu(ess=1.0, prior=True), K2(), FNML(), QNML(), LogLikelihood()]
IDS = ["bic", "aic", "bdeu", "bdeu50", "bdeu-prior", "k2", "fnml", "qnml", "loglik"]
NO_RULES: tuple[str, ...] = ()


def few_rows(n: int, rows: int, seed: int) -> Dataset:
    """Return a table whose columns copy, mix and contradict each other, of one to four states."""
    random = np.random.default_rng(seed)
    arities = random.integers(1, 5, n)
    hidden = random.integers(0, 12, rows)
    columns = [np.where(random.random(rows) < 0.8, hidden // (v + 1), random.integers(0, 12, rows)) for v in range(n)]
    return Dataset.from_codes(np.stack(columns, axis=1) % arities, arities=arities)


@pytest.mark.parametrize("score", SCORES, ids=IDS)
@given(n=st.integers(2, 5), rows=st.integers(1, 60), seed=st.integers(0, 10**6))
@examples(12)
def test_no_superset_beats_the_ceiling(score, n, rows, seed):
    """For every child and parent set: a superset that beats the set scores no more than the ceiling."""
    data = few_rows(n, rows, seed)
    scorer, extender, bound = Scorer(data, score), Extender(data, score), bound_of(data, score)
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = [s for k in range(n) for s in combinations(others, k)]
        for small in sets:
            ceiling = extender.ceiling(child, small, bound)
            assert ceiling == pytest.approx(ceiling_of_supersets(data, score, child, small), rel=1e-12)
            own = scorer.family(child, small)
            for large in sets:
                value = scorer.family(child, large)
                if set(small) < set(large) and improves(value, own):
                    assert value <= ceiling + 1e-9 * max(1, abs(value))


@pytest.mark.parametrize("score", [BIC(), AIC()], ids=["bic", "aic"])
@given(n=st.integers(2, 7), rows=st.integers(1, 40), seed=st.integers(0, 10**6))
@examples(25)
def test_no_larger_set_pays(score, n, rows, seed):
    """No set with more parents than the bound on in-degrees improves on all its subsets."""
    data = few_rows(n, rows, seed)
    most = max_useful_parents(data, score, None)
    assert all(len(s) <= most for sets in by_definition(data, score, n - 1) for s in sets)


def test_in_degree_by_hand():
    """
    1,000 rows of binary variables under BIC: 2^k - 1 < 1000 log 2 / (log(1000) / 2) = 200.7, so k is at most 7.

    Under AIC 2^k - 1 < 693.1, so k is at most 9. With three states, 2 (3^k - 1) < 1000 log 3 / 3.454 = 318.1: k = 4.
    """
    random = np.random.default_rng(0)
    binary = Dataset.from_codes(random.integers(0, 2, (1000, 15)), arities=[2] * 15)
    ternary = Dataset.from_codes(random.integers(0, 3, (1000, 15)), arities=[3] * 15)
    assert max_useful_parents(binary, BIC(), None) == 7
    assert max_useful_parents(binary, AIC(), None) == 9
    assert max_useful_parents(ternary, BIC(), None) == 4
    assert max_useful_parents(binary, BIC(), 3) == 3
    assert max_useful_parents(binary, BIC(), None, NO_RULES) == 14
    assert max_useful_parents(binary, BDeu(), None) == 14


def test_ceiling_by_hand():
    """
    A binary child that copies its one parent of three states (2 is 0 again) in 6 rows: 3 cells of 6 occur.

    BIC: more parents have at least 6 cells: -log(6) / 2 * 6. BDeu: -3 log 2; with the prior of ess 1, -6 log 2 more.
    """
    data = Dataset.from_codes(np.array([[0, 0], [1, 1], [0, 2], [0, 0], [1, 1], [0, 2]]), arities=[2, 3])
    for score, expected in (
        (BIC(), -3 * math.log(6)),
        (BDeu(ess=1.0), -3 * math.log(2)),
        (BDeu(ess=1.0, prior=True), -9 * math.log(2)),
        (QNML(), 0.0),
    ):
        assert Extender(data, score).ceiling(0, [1], bound_of(data, score)) == pytest.approx(expected)
    assert bound_of(data, BIC(), ("in-degree",)) == Bound()


@pytest.mark.parametrize("builder", [Sequential, Auto, Greedy], ids=lambda b: b.__name__.lower())
@pytest.mark.parametrize("score", [BIC(), AIC(), BDeu(ess=1.0), BDeu(prior=True), K2()], ids=lambda s: s.name)
@given(n=st.integers(1, 7), rows=st.integers(1, 60), seed=st.integers(0, 10**6))
@examples(8)
def test_rules_change_no_table(builder, score, n, rows, seed):
    """With each rule on and off the table is that of the definition; rules never make more work."""
    data = few_rows(n, rows, seed)
    chosen = [NO_RULES, ("in-degree",), ("ceiling",), ("in-degree", "ceiling")]
    without, *ruled = (
        builder(max_parents=None, seconds=math.inf, pruning=rules).select(data, score, threads=1) for rules in chosen
    )
    expected = by_definition(data, score, n - 1)
    assert [{p for _, p in without.table.sets(v)} for v in range(n)] == [set(e) for e in expected]
    for selection in ruled:
        assert same_tables(selection.table, without.table)
        assert selection.scored <= without.scored


@given(n=st.integers(1, 7), rows=st.integers(1, 60), seed=st.integers(0, 10**6))
@examples(10)
def test_rules_change_no_table_of_estimates(n, rows, seed):
    """The same for the search by BIC*."""
    data = few_rows(n, rows, seed)
    tables = [
        Independence(seconds=math.inf, pruning=rules).select(data, BIC(), threads=1).table
        for rules in (NO_RULES, ("in-degree",), ("ceiling",))
    ]
    assert same_tables(tables[0], tables[1])
    assert same_tables(tables[0], tables[2])


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=1.0)], ids=["bic", "bdeu"])
def test_the_ceiling_ends_the_enumeration(score):
    """Nine skewed, independent variables of four states, 60 rows: no large set can pay, and none is counted."""
    codes = np.random.default_rng(11).choice(4, (60, 9), p=[0.7, 0.1, 0.1, 0.1])
    data = Dataset.from_codes(codes, arities=[4] * 9)
    with_rule, without = (
        Sequential(max_parents=None, pruning=rules).select(data, score) for rules in (("ceiling",), NO_RULES)
    )
    assert with_rule.stop == without.stop == "complete"
    assert with_rule.depth == without.depth == 8
    assert with_rule.scored < without.scored
    assert same_tables(with_rule.table, without.table)
