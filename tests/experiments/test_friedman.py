"""Friedman's test, ranks and post-hoc tests: hand-worked examples, and direct calls of scipy and scikit-posthocs."""

from __future__ import annotations

import math
import sys
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from bnsearch.errors import InputError
from bnsearch.experiments.conclusions import explain_friedman
from bnsearch.experiments.statistics.friedman import compare_methods, compute_critical_difference
from bnsearch.experiments.statistics.ranks import correct_by_holm, rank_rows

TABLES = arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(3, 6)), elements=st.integers(0, 6).map(float))


def test_ranks_by_hand():
    """Higher is better: 9, 7, 7, 5 have the ranks 1, 2.5, 2.5, 4; rounding errors are ties."""
    assert rank_rows([[7, 9, 5, 7]], is_higher_better=True).tolist() == [[2.5, 1, 4, 2.5]]
    assert rank_rows([[7, 9, 5, 7]], is_higher_better=False).tolist() == [[2.5, 4, 1, 2.5]]
    assert rank_rows([[-1e5, -1e5 - 1e-6, -2e5]], is_higher_better=True).tolist() == [[1.5, 1.5, 3]]
    assert rank_rows([[100, 101, 103]], is_higher_better=False, tolerance=0.01).tolist() == [[1.5, 1.5, 3]]
    assert rank_rows([[math.inf, 1, math.inf]], is_higher_better=False).tolist() == [[2.5, 1, 2.5]]


def test_friedman_by_hand():
    """
    Four data sets, three methods, ranks (1, 2, 3), (1, 2, 3), (1, 3, 2), (2, 1, 3): sums 5, 8, 11.

    Chi-square is 12 / (4 * 3 * 4) * (25 + 64 + 121) - 3 * 4 * 4 = 52.5 - 48 = 4.5, and with two degrees of freedom
    p = exp(-4.5 / 2).
    """
    values = [[9, 8, 7], [9, 8, 7], [9, 7, 8], [8, 9, 7]]
    result = compare_methods(values, "abc", is_higher_better=True)
    assert result.mean_ranks == (1.25, 2.0, 2.75)
    assert result.statistic == pytest.approx(4.5)
    assert result.p_value == pytest.approx(math.exp(-2.25))
    assert not result.is_significant


def test_critical_difference_of_the_literature():
    """Demsar (2006), section 3.2.2: four methods on 14 data sets, 2.569 * sqrt(4 * 5 / (6 * 14)) = 1.25."""
    assert compute_critical_difference(4, 14) == pytest.approx(2.569 * math.sqrt(20 / 84), abs=1e-3)
    assert compute_critical_difference(2, 10) == pytest.approx(1.960 * math.sqrt(6 / 60), abs=1e-3)


def test_groups():
    """On 14 data sets the critical difference is 1.25; the mean ranks are 1.00, 2.43, 2.57 and 4.00."""
    values = np.array([[4, 3, 2, 1]] * 6 + [[4, 2, 3, 1]] * 8, dtype=float)
    result = compare_methods(values, "abcd", is_higher_better=True)
    assert result.mean_ranks == pytest.approx((1.0, 2 * 6 / 14 + 3 * 8 / 14, 3 * 6 / 14 + 2 * 8 / 14, 4.0))
    assert result.groups == [(2, 1)]


@given(TABLES)
def test_friedman_agrees_with_scipy(values):
    """Statistic and p-value are those of scipy, unless all values of each row are equal."""
    with patch.dict(sys.modules, {"scikit_posthocs": None}):  # no post-hoc tests, which integrate numerically
        result = compare_methods(values, [str(i) for i in range(values.shape[1])], is_higher_better=False)
    if (np.ptp(values, axis=1) == 0).all():
        assert (result.statistic, result.p_value) == (0.0, 1.0)
    else:
        expected = stats.friedmanchisquare(*values.T)
        assert (result.statistic, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))


def test_post_hoc_tests_agree_with_scikit_posthocs():
    """The p-values of the original values are those of their ranks, whichever direction is better."""
    posthocs = pytest.importorskip("scikit_posthocs")
    values = np.random.default_rng(1).normal(size=(12, 4)) + np.array([0, 0, 1, 2])
    result = compare_methods(values, "abcd", is_higher_better=True)
    assert result.nemenyi == pytest.approx(posthocs.posthoc_nemenyi_friedman(values).to_numpy())
    assert result.holm == pytest.approx(posthocs.posthoc_siegel_friedman(values, p_adjust="holm").to_numpy())


def test_post_hoc_tests_by_hand():
    """Z = |R1 - R3| / sqrt(k (k + 1) / (6 n)) = 1.5 / sqrt(12 / 24) for the first example, and Nemenyi's q."""
    pytest.importorskip("scikit_posthocs")
    result = compare_methods([[9, 8, 7], [9, 8, 7], [9, 7, 8], [8, 9, 7]], "abc", is_higher_better=True)
    z = 1.5 / math.sqrt(0.5)
    assert result.holm[0, 2] == pytest.approx(3 * 2 * stats.norm.sf(z))
    assert result.nemenyi[0, 2] == pytest.approx(stats.studentized_range.sf(z * math.sqrt(2), 3, math.inf), rel=1e-4)


def test_missing_package_is_a_note(monkeypatch):
    """Without scikit-posthocs the test itself is made, and a sentence says what is missing."""
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    result = compare_methods([[3, 2, 1]] * 12, "abc", is_higher_better=True)
    assert result.nemenyi is None
    assert result.is_significant
    assert any("pip install 'bnsearch[experiments]'" in line for line in explain_friedman(result))


def test_conclusions():
    """Sentences on the number of data sets, on ties, and on what is not shown."""
    few = explain_friedman(compare_methods([[3, 2, 1], [1, 1, 1], [1, 2, 3]], "abc", is_higher_better=True))
    assert "This does not show that they are equal." in few[0]
    assert any("With 3 data sets" in line for line in few)
    assert any("On 1 of 3 data sets all methods are tied" in line for line in few)
    many = explain_friedman(compare_methods([[3, 2, 1]] * 12, "abc", is_higher_better=True))
    assert many[1] == "Mean ranks, 1 is best: a 1.00, b 2.00, c 3.00."
    assert "a is better than c" in many[2]
    assert not any("data sets (fewer than" in line for line in many)


def test_too_few_methods():
    """Two methods are compared by other tests."""
    with pytest.raises(InputError, match="needs 3 methods and 2 data sets, not 2 and 3"):
        compare_methods(np.ones((3, 2)), "ab", is_higher_better=True)


def test_holm_by_hand():
    """0.01, 0.04, 0.03 times 3, 1, 2 in ascending order: 0.03, 0.06, 0.06 (monotone)."""
    assert correct_by_holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert correct_by_holm([0.6, 0.9]) == [1.0, 1.0]
    assert correct_by_holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_agrees_with_statsmodels(p_values):
    """The adjusted p-values are those of statsmodels."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    with patch("gc.collect"):  # statsmodels collects garbage in each call, which takes half a second
        expected = multitest.multipletests(p_values, method="holm")[1].tolist()
    assert correct_by_holm(p_values) == pytest.approx(expected)
