"""Cell sums: tables of f, constants of sets, and what happens beyond the tables."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.counting import Sweep, cell_sums
from bnsearch.counting.cell_sums import CellFunction, CellSum, products_of_sets
from bnsearch.counting.kernels_terms import sum_counts
from bnsearch.scores import FNML, K2, QNML, AllSets, BDeu, LogLikelihood, Scorer
from strategies import Table


@pytest.fixture
def tables_of(monkeypatch):
    """Return a function that bounds the tables of all cell sums made from then on."""

    def bound(entries, products):
        monkeypatch.setattr(cell_sums, "TABLE_ENTRIES", entries)
        monkeypatch.setattr(cell_sums, "MAX_PRODUCTS", products)
        cell_sums._terms.cache_clear()

    yield bound
    cell_sums._terms.cache_clear()


def value(cell_sum, counts, cells, rows, products=(1.0, 2.0, 4.0, 8.0)):
    """Return a cell sum of some counts."""
    return sum_counts(np.array(counts), len(counts), cell_sum.terms(rows, np.array(products)), float(cells))


def test_functions_by_hand():
    """
    The four forms of f on the counts 3 and 2 of a set with 4 cells, 5 rows in all.

    n log n: 3 log 3 + 2 log 2. Rising from 2: log(2 * 3 * 4) + log(2 * 3). Rising from 1 spread over 4 cells:
    log(1/4 * 5/4 * 9/4) + log(1/4 * 5/4). The regret of 2 states adds log C(3, 2) + log C(2, 2) = log 78/27 * 5/2.
    """
    plain = 3 * log(3) + 2 * log(2)
    for cell_sum, expected in [
        (CellSum(CellFunction.XLOGX), plain),
        (CellSum(CellFunction.RISING, a=2.0), log(24) + log(6)),
        (CellSum(CellFunction.RISING_SPREAD, a=1.0), log(45 / 64) + log(5 / 16)),
        (CellSum(CellFunction.XLOGX_REGRET, a=2.0), plain + log(78 / 27 * 5 / 2)),
    ]:
        assert value(cell_sum, [3, 2], 4, 5) == pytest.approx(expected, rel=1e-14)
        assert value(cell_sum, [0, 3, 0, 2], 4, 5) == pytest.approx(expected, rel=1e-14)


def test_constants_by_hand():
    """A slope of -3 takes 12 from a set of 4 cells; the regret of 2 rows over 2 cells is log 5/2."""
    sloped = CellSum(CellFunction.XLOGX, slope=-3.0)
    assert value(sloped, [1, 1], 4, 2) == -12
    assert value(sloped, [1, 1], 7, 2) == -21  # not tabulated
    regret = CellSum(CellFunction.XLOGX, regret=True)
    assert value(regret, [1, 1], 2, 2) == pytest.approx(-log(5 / 2))
    assert value(regret, [1, 1], 2, 2, products=[1.0]) == pytest.approx(-log(5 / 2))


def test_no_rows_beyond_the_table():
    """The table of f holds every count that the rows can give: f(0) = 0 up to f(rows)."""
    for cell_sum, rows in [
        (CellSum(CellFunction.XLOGX), 1),
        (CellSum(CellFunction.RISING_SPREAD, a=1.0), 3),
        (CellSum(CellFunction.XLOGX_REGRET, a=1.0), 1),
    ]:
        terms = cell_sum.terms(3, np.array([1.0, 2.0, 6.0]))
        assert terms[-1].shape == (rows, 4)
        assert not terms[-1][:, 0].any()


def test_terms_are_made_once():
    """The same request is answered by the same arrays, another one is not."""
    products = np.array([1.0, 2.0])
    cell_sum = CellSum(CellFunction.XLOGX, slope=-1.5)
    terms = cell_sum.terms(10, products)
    assert terms is CellSum(CellFunction.XLOGX, slope=-1.5).terms(10, products.copy())
    for other in [cell_sum.terms(11, products), cell_sum.terms(10, products[:1])]:
        assert other is not terms


@given(arities=st.lists(st.integers(1, 9), min_size=1, max_size=6), largest=st.integers(0, 5))
def test_products_of_sets(arities, largest):
    """The products are those of all sets up to the size, and each can be made of the arities."""
    products = products_of_sets(np.array(arities), largest).tolist()
    needed = {prod(s) for k in range(largest + 1) for s in combinations(arities, k)}
    possible = {prod(s) for k in range(largest + 1) for s in combinations_with_replacement(arities, k)}
    assert needed <= set(products) <= possible
    assert products == sorted(set(products))


def test_products_are_cut_at_the_large_end(tables_of):
    """With room for 20, the 20 smallest products remain: none below the last one is missing."""
    arities = np.array([2, 3, 7, 11, 13])
    everything = products_of_sets(arities, 4)
    tables_of(1 << 21, 20)
    assert products_of_sets(arities, 4).tolist() == everything[:20].tolist()


def test_products_stay_exact():
    """Beyond 2^53 a product would depend on the order of its factors: none is kept."""
    products = products_of_sets(np.array([65_535, 65_534, 2]), 6)
    assert products[-1] < 2**53
    assert 65_535**3 in products.tolist()
    assert products_of_sets(np.empty(0, dtype=np.int64), 3).tolist() == [1]


SCORES = [LogLikelihood(), BDeu(ess=10.0, prior=True), K2(), FNML(), QNML()]


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
@pytest.mark.parametrize(("entries", "products"), [(64, 4096), (8, 2)])
@pytest.mark.parametrize("representation", ["auto", "bitmap", "sparse"])
def test_values_beyond_the_tables(tables_of, score, entries, products, representation):
    """Counts beyond the table and products that are not tabulated have the values that tables give."""
    table = Table(1_500, (("skewed", 2), ("uniform", 3), ("function", 5), ("constant", 4), ("gaps", 7)), seed=21)
    families = [(c, p) for c in range(5) for k in range(4) for p in combinations([v for v in range(5) if v != c], k)]

    def scores():
        scorer = Scorer(table.dataset, score, representation=representation)
        sets = AllSets(table.dataset, score, 4, representation=representation)
        return [[scorer.family(*f) for f in families], [sets.family(*f) for f in families]]

    expected = scores()
    tables_of(entries, products)
    assert np.array(scores()) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-9)


def test_more_rows_than_the_table_holds():
    """2^21 + 64 equal rows exceed the 2^21 tabulated counts: n log n all the same."""
    rows = (1 << 21) + 64
    data = Table(rows, (("constant", 2), ("constant", 3)), seed=1).dataset
    expected = rows * log(rows)
    assert Scorer(data, LogLikelihood()).set_value([0, 1]) == pytest.approx(expected, rel=1e-14)
    for memory in (0, 1 << 30):
        sweep = Sweep(data, 2, memory=memory, representation="auto")
        assert sweep.values(2, CellSum(CellFunction.XLOGX)).tolist() == pytest.approx([expected], rel=1e-14)
