"""Tests of independence compared with their definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.independence import GTest, InformationTest, PairTester
from bnsearch.independence.decisions import log_p_values
from reference_independence import dependence, enough_rows
from strategies import tables


@given(tables(min_variables=2, max_variables=5), st.sampled_from([1.0, 5.0]), st.data())
def test_strengths_are_those_of_the_definition(table, per_degree, draw):
    """Both rules, any condition, across the 64-bit edge; NaN exactly where there is no evidence."""
    x, y, *others = draw.draw(st.permutations(range(len(table.columns))))
    condition = others[: draw.draw(st.integers(0, len(others)))]
    total, degrees = dependence(table.codes, x, y, condition)
    rules = GTest(alpha=0.02, rows_per_degree=per_degree), InformationTest(threshold=0.03, rows_per_degree=per_degree)
    found = [PairTester(table.dataset, rule).strengths([(x, y)], [condition])[0] for rule in rules]
    if not enough_rows(table.n_rows, table.arities, x, y, condition, per_degree):
        assert np.isnan(found).all()
        return
    p = log_p_values(np.array([2 * total]), np.array([degrees]))[0]
    assert np.isnan(found[0]) == (degrees == 0)
    assert found[0] == pytest.approx(math.log(0.02) - p, abs=1e-6, rel=1e-6, nan_ok=True)
    assert found[1] == pytest.approx((total - degrees / 2) / table.n_rows - 0.03, abs=1e-9)


def test_a_table_by_hand():
    """
    30 rows with x = y in 20 and x != y in 10, evenly: n = 10, 5, 5, 10, margins 15.

    G = 2 (2 * 10 log(10 * 30 / 225) + 2 * 5 log(5 * 30 / 225)) = 2 (20 log(4/3) + 10 log(2/3)) = 3.3980, one degree
    of freedom, p = 0.0653: independent at 0.05, dependent at 0.1. The mutual information is G / 60 = 0.05663, less
    1 / 60 for chance 0.03997.
    """
    x = [0] * 15 + [1] * 15
    y = [0] * 10 + [1] * 5 + [0] * 5 + [1] * 10
    data = Dataset.from_codes(np.array([x, y]).T, arities=[2, 2])
    at_5, at_10 = (PairTester(data, GTest(alpha=a)).strengths([(0, 1)])[0] for a in (0.05, 0.1))
    assert at_5 == pytest.approx(math.log(0.05 / 0.0653), abs=1e-3)
    assert at_10 - at_5 == pytest.approx(math.log(2))
    information = PairTester(data, InformationTest(threshold=0.01)).strengths([(1, 0)])[0]
    assert information == pytest.approx(0.03997 - 0.01, abs=1e-5)


def test_states_that_do_not_occur_cost_no_degrees():
    """Of three declared states two occur under each condition: (2 - 1) * (2 - 1) * 2 = 2 degrees, not 8."""
    rng = np.random.default_rng(4)
    z = rng.integers(2, size=400)
    codes = np.stack([z + rng.integers(2, size=400), z + rng.integers(2, size=400), z])
    total, degrees = dependence(codes, 0, 1, [2])
    assert degrees == 2
    data = Dataset.from_codes(codes.T, arities=[3, 3, 2])
    found = PairTester(data, InformationTest(threshold=0.5)).strengths([(0, 1)], [[2]])[0]
    assert found == pytest.approx((total - 1) / 400 - 0.5)


@pytest.mark.parametrize("statistic", [0.0, 0.5, 30.0, 1280.0, 1300.0, 5000.0, 1e6])
def test_p_values_far_out(statistic):
    """
    With 2 degrees the tail is exp(-g / 2); with 4, exp(-g / 2) (1 + g / 2); with 1, twice the normal tail at sqrt(g).

    The change from the plain value to the logarithm is near 1290.
    """
    from scipy.special import log_ndtr

    half = statistic / 2
    expected = [math.log(2) + log_ndtr(-math.sqrt(statistic)), -half, math.log1p(half) - half]
    found = log_p_values(np.full(3, statistic), np.array([1, 2, 4]))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_p_values_without_degrees_or_tests():
    """Without degrees of freedom there is no p-value; what was not tested has none either."""
    found = log_p_values(np.array([0.0, np.nan, np.nan, 1e5]), np.array([0, 0, 1, 90]))
    assert np.isnan(found[:3]).all()
    assert -50_000 < found[3] < -49_000


def test_a_copy_is_no_evidence():
    """
    Given its copy, a variable has one state under each condition: no degrees of freedom.

    The G-test cannot tell, though x and y agree in 40 of 50 rows; the mutual information is zero, 0.01 below 0.01.
    """
    x = np.repeat([0, 1], 25)
    y = np.where(np.arange(50) % 5 == 0, 1 - x, x)
    data = Dataset.from_codes(np.stack([x, y, x], axis=1), arities=[2, 2, 2])
    assert PairTester(data, GTest()).strengths([(0, 1)])[0] > 0
    assert np.isnan(PairTester(data, GTest()).strengths([(0, 1)], [[2]])[0])
    assert PairTester(data, InformationTest(threshold=0.01)).strengths([(0, 1)], [[2]])[0] == pytest.approx(-0.01)


def test_many_tests_at_once_and_forks():
    """More tests than one call takes come back in order; a fork answers alike; both count."""
    rng = np.random.default_rng(1)
    data = Dataset.from_codes(rng.integers(3, size=(200, 6)), arities=[3] * 6)
    tester = PairTester(data, GTest())
    pairs = [tuple(rng.choice(6, 2, replace=False).tolist()) for _ in range(5000)]
    conditions = [[z for z in rng.permutation(6).tolist()[: i % 3] if z not in pairs[i]] for i in range(5000)]
    found = tester.strengths(pairs, conditions)
    other = tester.fork()
    single = [other.strengths([pairs[i]], [conditions[i]])[0] for i in (0, 4095, 4096, 4999)]
    assert np.array_equal(found[[0, 4095, 4096, 4999]], single, equal_nan=True)
    assert (tester.tests, other.tests) == (5000, 4)
    assert tester.strengths([]).size == 0


@pytest.mark.parametrize(
    ("pair", "condition"),
    [((0, 0), []), ((0, 1), [1]), ((0, 3), []), ((0, 1), [-1])],
    ids=["same", "given", "far", "low"],
)
def test_nonsense_is_refused(pair, condition):
    """A pair is two known variables, and the condition holds neither."""
    data = Dataset.from_codes(np.eye(3, dtype=int), arities=[2, 2, 2])
    with pytest.raises(InputError):
        PairTester(data, GTest()).strengths([pair], [condition])


@pytest.mark.parametrize(
    "make",
    [lambda: GTest(alpha=0), lambda: GTest(rows_per_degree=0.5), lambda: InformationTest(threshold=0)],
    ids=["alpha", "rows", "threshold"],
)
def test_bad_rules_are_refused(make):
    """Each parameter has a range."""
    with pytest.raises(InputError, match="must be"):
        make()
