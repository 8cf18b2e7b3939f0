"""The functions of a count against exact arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import lgamma, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.counting.kernels_terms import (
    binary_normaliser,
    find_product,
    log_normaliser,
    log_rising,
    stirling_tail,
)
from reference import log_normaliser_by_sum, scaled_normaliser_by_sum


def log_product(n, a):
    """Return the log of a (a + 1) ... (a + n - 1), multiplied out with 50 digits."""
    with localcontext(prec=50):
        product = Decimal(1)
        for i in range(n):
            product *= Decimal(a) + i
        return float(product.ln())


@given(n=st.one_of(st.integers(0, 40), st.integers(0, 2_000)), exponent=st.floats(-300, 18))
def test_log_rising(n, exponent):
    """The product's logarithm agrees for pseudo-counts from 1e-300 to 1e18."""
    a = 10.0**exponent
    assert log_rising(n, a) == pytest.approx(log_product(n, a), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 18, 33])
@pytest.mark.parametrize("a", [1e-300, 1e-9, 0.5, 1.0, 2.0, 1e6, 1e18])
def test_log_rising_around_the_switch(n, a):
    """Sixteen factors are multiplied, the seventeenth is the first that Stirling's series serves."""
    assert log_rising(n, a) == pytest.approx(log_product(n, a), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("n", [10_000, 3_000_000, 10**9])
def test_log_rising_of_large_counts(n):
    """Millions of rows: log gamma(n + a) - log gamma(a), where nothing cancels."""
    for a in (1e-3, 1.0, 30.0):
        assert log_rising(n, a) == pytest.approx(lgamma(n + a) - lgamma(a), rel=1e-13)


def test_stirling_tail():
    """The log of 15! is (16 - 1/2) log 16 - 16 + log(2 pi) / 2 + tail(16)."""
    tail = log(1_307_674_368_000) - (15.5 * log(16) - 16 + log(2 * np.pi) / 2)
    assert stirling_tail(16.0) == pytest.approx(tail, abs=1e-13)


def test_binary_normaliser_by_hand():
    """C(1, 2) = 1 + 1; C(2, 2) = 1 + 2 / 4 + 1; C(3, 2) = 2 + 2 * 3 * 4 / 27."""
    assert [binary_normaliser(n) for n in (1, 2, 3)] == pytest.approx([2, 2.5, 2 + 24 / 27], rel=1e-15)


@pytest.mark.parametrize("n", [*range(1, 40), 500, 998, 999, 1_000, 1_001, 1_500, 4_000])
def test_binary_normaliser(n):
    """The sum below 1,000 rows and the series from there on agree with exact integers."""
    exact = float(Decimal(scaled_normaliser_by_sum(n, 2)) / Decimal(n) ** n)
    assert binary_normaliser(n) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 63, 999, 1_000, 1_001, 2_500])
@pytest.mark.parametrize("states", [1, 2, 3, 4, 30, 999, 1_000, 1_001, 1_002, 5_000, 10**9])
def test_log_normaliser(n, states):
    """The recurrence and the finite sum agree with exact integers, on either side of 1,000 states."""
    assert log_normaliser(n, float(states)) == pytest.approx(log_normaliser_by_sum(n, states), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("states", [1_499, 1_500, 1_501])
def test_log_normaliser_where_states_are_an_eighth_of_the_rows(states):
    """Of 12,000 rows an eighth is 1,500: up to there the recurrence serves, beyond it the finite sum."""
    assert log_normaliser(12_000, float(states)) == pytest.approx(log_normaliser_by_sum(12_000, states), rel=1e-12)


@pytest.mark.parametrize("states", [2.0**53, 1e30, 1e100])
def test_log_normaliser_of_more_states_than_integers_hold(states):
    """Products of arities leave 64 bits: the finite sum takes any number."""
    assert log_normaliser(70, states) == pytest.approx(log_normaliser_by_sum(70, int(states)), rel=1e-12)


def test_log_normaliser_of_nothing():
    """No rows, or one state, leave nothing to choose: C = 1."""
    assert [log_normaliser(0, 5.0), log_normaliser(9, 1.0), log_normaliser(0, 1e9)] == [0, 0, 0]


@given(products=st.sets(st.integers(1, 60), max_size=40), cells=st.integers(0, 61))
def test_find_product(products, cells):
    """A tabulated number of cells is found where it stands, any other is not there."""
    ascending = np.array(sorted(products), dtype=np.float64)
    found = find_product(ascending, float(cells))
    assert found == (sorted(products).index(cells) if cells in products else -1)
