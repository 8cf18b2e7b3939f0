"""Comparisons of two methods, effect sizes, and bootstrap intervals: hand-worked examples and direct calls of scipy."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bnsearch.experiments.conclusions import explain_pairs, explain_runs, format_p, state_p
from bnsearch.experiments.statistics.curves import bootstrap_mean, choose_places, make_curve, read_scores_at
from bnsearch.experiments.statistics.pairs import compare_pairs, compare_runs, compute_cliffs_delta, compute_exact_p

NUMBERS = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=12)


def test_pairs_by_hand():
    """
    Differences 1, 2, 3, -4, 0: three wins, one loss, one tie.

    The ranks of 1, 2, 3 and 4 give W+ = 6 and W- = 4; the correlation is (6 - 4) / 10, and p = 0.875 (14 of the 16 sign
    patterns are at least as extreme).
    """
    values = np.array([[11, 10], [12, 10], [13, 10], [6, 10], [10, 10]], dtype=float)
    (pair,) = compare_pairs(values, is_higher_better=True)
    assert (pair.wins, pair.ties, pair.losses) == (3, 1, 1)
    assert pair.effect == pytest.approx(0.2)
    assert pair.p_value == pytest.approx(14 / 16)
    assert pair.smallest_p == 2 / 16
    (reverse,) = compare_pairs(values, is_higher_better=False)
    assert (reverse.wins, reverse.losses, reverse.effect) == (1, 3, pytest.approx(-0.2))


def test_runs_that_do_not_reach_their_target():
    """Infinite times are equal to each other and larger than all others: two of four pairs are larger, none smaller."""
    assert compute_cliffs_delta([math.inf, math.inf], [math.inf, 1.0]) == 0.5
    runs = [[{(None, 1): math.inf, (None, 2): math.inf}, {(None, 1): math.inf, (None, 2): math.inf}]]
    (equal,) = compare_runs(runs, is_higher_better=False)
    assert (equal.p_value, equal.effect) == (1.0, 0.0)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=7), st.data())
def test_exact_p_is_that_of_all_signs(sizes, data):
    """Of all patterns of signs, the share with a sum at most and at least as large; twice the smaller one."""
    ranks = stats.rankdata(sizes)
    signs = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    total = ranks[np.array(signs)].sum()
    sums = [sum(rank for rank, is_in in zip(ranks, chosen, strict=True) if is_in)
            for chosen in product((False, True), repeat=len(ranks))]  # fmt: skip
    shares = sum(s <= total for s in sums) / len(sums), sum(s >= total for s in sums) / len(sums)
    assert compute_exact_p(ranks, total) == pytest.approx(min(1.0, 2 * min(shares)))


def test_relative_differences():
    """A loss of 50 on a large data set counts less than a win of 1 on a small one, if differences are relative."""
    values = np.array([[-100_050, -100_000], [-99, -100]], dtype=float)
    (absolute,) = compare_pairs(values, is_higher_better=True)
    (relative,) = compare_pairs(values, is_higher_better=True, is_relative=True)
    assert absolute.effect < 0 < relative.effect


def test_pairs_are_corrected_together():
    """Three pairs over eight data sets: p = 2 / 256, times 3, 2 and 1 by Holm, made monotone."""
    values = np.arange(8)[:, None] * 0.1 + np.array([3.0, 2.0, 1.0])[None, :] * (1 + np.arange(8)[:, None])
    pairs = compare_pairs(values, is_higher_better=True)
    assert [pair.p_value for pair in pairs] == pytest.approx([2 / 256] * 3)
    assert [pair.adjusted for pair in pairs] == pytest.approx([6 / 256] * 3)
    assert all(pair.is_significant for pair in pairs)


@settings(max_examples=30)  # with ties, scipy computes the statistic of every permutation
@given(NUMBERS, st.randoms(use_true_random=False))
def test_wilcoxon_agrees_with_scipy(first, random):
    """The p-value is that of scipy for the differences that are not zero."""
    second = [random.randint(-5, 5) for _ in first]
    (pair,) = compare_pairs(np.array([first, second], dtype=float).T, is_higher_better=True)
    left = np.array([a - b for a, b in zip(first, second, strict=True) if a != b])
    assert pair.p_value == pytest.approx(stats.wilcoxon(left).pvalue if len(left) else 1.0)
    assert pair.wins + pair.ties + pair.losses == len(first)


def runs_of(*values: float, sample: int | None = None) -> dict[tuple[int | None, int], float]:
    """Return runs of one sample."""
    return {(sample, seed): value for seed, value in enumerate(values)}


@given(NUMBERS, NUMBERS)
def test_mann_whitney_agrees_with_scipy(first, second):
    """The p-value is that of scipy, and Cliff's delta follows from U."""
    (result,) = compare_runs([[runs_of(*first), runs_of(*second)]], is_higher_better=True)
    assert result.test == "Mann-Whitney"
    if len(set(first + second)) == 1:
        assert (result.p_value, result.effect) == (1.0, 0.0)
        return
    expected = stats.mannwhitneyu(first, second)
    assert result.p_value == pytest.approx(expected.pvalue)
    assert result.effect == pytest.approx(2 * expected.statistic / (len(first) * len(second)) - 1)


def test_mann_whitney_by_hand():
    """Three runs above three others: p = 2 / C(6, 3) = 0.1, delta 1; of lower-is-better measures delta -1."""
    runs = [[runs_of(4, 5, 6), runs_of(1, 2, 3)]]
    (result,) = compare_runs(runs, is_higher_better=True)
    assert (result.p_value, result.effect, result.smallest_p) == pytest.approx((0.1, 1.0, 0.1))
    (opposite,) = compare_runs(runs, is_higher_better=False)
    assert opposite.effect == -1.0


def test_samples_are_pairs():
    """With several samples, means over seeds are compared sample by sample, whatever the differences between these."""
    first = {(sample, seed): 100.0 * sample + seed + 1 for sample in range(6) for seed in range(2)}
    second = {(sample, seed): 100.0 * sample + seed for sample in range(6) for seed in range(2)}
    (result,) = compare_runs([[first, second]], is_higher_better=True)
    assert (result.test, result.p_value) == ("Wilcoxon", pytest.approx(2 / 64))


def test_single_runs_are_not_tested():
    """One run of each method allows no test."""
    assert compare_runs([[runs_of(1), runs_of(2)]], is_higher_better=True) == []
    assert explain_runs([])[0].startswith("Each method has one run")


def test_cliffs_delta_by_hand():
    """Of the six pairs of (1, 2) and (0, 1, 3), three favour the first, two the second, and one is tied."""
    assert compute_cliffs_delta([1, 2], [0, 1, 3]) == pytest.approx((3 - 2) / 6)


def test_conclusions_on_pairs():
    """Too few data sets: the text says that no difference could have been shown."""
    few = explain_pairs(compare_pairs([[1, 0], [2, 0], [3, 0]], is_higher_better=True), "ab", 3)
    assert "no difference between two methods is shown" in few[0]
    assert "the smallest possible corrected p-value is 0.25" in few[1]
    values = [[i + 1, 0] for i in range(8)]
    many = explain_pairs(compare_pairs(values, is_higher_better=True), "ab", 8)
    assert "a over b (p = 0.0078)" in many[0]
    assert len(many) == 1
    runs = compare_runs([[runs_of(4, 5, 6), runs_of(1, 2, 3)]], is_higher_better=True)
    assert "no corrected p-value can be below 0.05" in explain_runs(runs)[1]


def test_p_values_in_words():
    """Small p-values are bounds."""
    assert [format_p(p) for p in (1e-9, 0.0312, 0.25)] == ["< 0.0001", "0.031", "0.25"]
    assert [state_p(p) for p in (1e-9, 0.0312)] == ["p < 0.0001", "p = 0.031"]


def test_bootstrap_agrees_with_scipy():
    """The percentile interval of the mean is that of scipy up to the noise of the resampling."""
    values = np.random.default_rng(3).exponential(size=30)
    low, high = bootstrap_mean(values[:, None], resamples=20_000)
    expected = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=5).confidence_interval
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=0.02)


def test_bootstrap_by_hand():
    """Two runs, 0 and 1: a quarter of all resamples has the mean 0, a quarter 1, so the interval is [0, 1]."""
    low, high = bootstrap_mean([[0.0], [1.0]])
    assert (low[0], high[0]) == (0.0, 1.0)
    same_low, same_high = bootstrap_mean([[2.0], [2.0]])
    assert same_low[0] == same_high[0] == 2.0


def test_curves_by_hand():
    """Scores change in steps; before the first network of a run there is no mean."""
    trace, other = [(1.0, -5.0), (4.0, -2.0)], [(2.0, -3.0)]
    places = np.array([0.5, 1.0, 2.0, 4.0])
    assert read_scores_at(trace, places).tolist() == [-math.inf, -5.0, -5.0, -2.0]
    curve = make_curve([trace, other], places)
    assert curve.places.tolist() == [2.0, 4.0]
    assert curve.means.tolist() == [-4.0, -2.5]
    assert (curve.low <= curve.means).all()
    assert (curve.means <= curve.high).all()
    chosen = choose_places([trace, other], 4.0, 1.0)
    assert (chosen[0], chosen[-1]) == (2.0, 4.0)
    assert choose_places([[(4.0, 1.0)]], 4.0, 1.0).tolist() == [4.0]
