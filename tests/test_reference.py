"""The slow definitions themselves, against arithmetic done by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log, prod

import pytest

from reference import (
    family_score,
    joint_counts,
    log_normaliser,
    log_normaliser_by_sum,
    network_score,
    scaled_normaliser,
    scaled_normaliser_by_definition,
    scaled_normaliser_by_sum,
)

# Four rows of two binary columns, x = 0 0 1 1 and y = 0 1 1 1.
X_AND_Y = [[0, 0, 1, 1], [0, 1, 1, 1]]


def test_joint_counts_follow_the_order_asked():
    """Rows (0,0), (0,1), (1,1), (1,1): as (y, x) they are (0,0), (1,0) and twice (1,1)."""
    rows = [(0, 0), (0, 1), (1, 1), (1, 1)]
    assert joint_counts(rows, [1, 0]) == {(0, 0): 1, (1, 0): 1, (1, 1): 2}


def test_joint_counts_of_no_variable_are_all_rows():
    """The empty set has one cell, which holds every row."""
    assert joint_counts([(0, 0), (0, 1), (1, 1)], []) == {(): 3}


Y_GIVEN_X = [
    ("loglik", {}, log(1 / 4)),
    ("aic", {}, log(1 / 4) - 2),
    ("bic", {}, log(1 / 16)),
    ("bdeu", {"ess": 4.0}, log(1 / 18)),
    ("bdeu", {"ess": 4.0, "prior": True}, log(1 / 450)),
    ("k2", {}, log(1 / 18)),
    ("fnml", {}, log(1 / 25)),
    ("qnml", {}, log(103 / 1748)),
]


@pytest.mark.parametrize(("name", "params", "expected"), Y_GIVEN_X)
def test_y_given_x_by_hand(name, params, expected):
    """
    Under x = 0 the counts of y are (1, 1), under x = 1 they are (0, 2); r = q = 2 and N = 4.

    loglik: (1/2)(1/2) * 1 * 1 = 1/4. aic: less (2 - 1) 2 = 2. bic: less log(4)/2 * 2 = log 4, so 1/16.
    bdeu, ess 4: a_j = 2, a_jk = 1; G(2)/G(4) * 1 * 1 = 1/6 and G(2)/G(4) * G(3)/G(1) = 2/6; 1/6 * 1/3 = 1/18.
    prior: kappa = 1/5 and (r - 1) q = 2, so 1/18 * 1/25 = 1/450. k2: a_jk = 1 as above, so 1/18.
    fnml: C(2, 2) = 1 + 2/4 + 1 = 5/2 for each x, so 1/4 * (2/5)^2 = 1/25.
    qnml: C(4, 1) = 1 and C(4, 2) = 1 + 4*27/256 + 6*16/256 + 4*27/256 + 1 = 103/32; the recurrence gives
    C(4, 3) = 103/32 + 4*1 = 231/32 and C(4, 4) = 231/32 + 2*103/32 = 437/32. Both columns together have
    likelihood (1/4)(1/4)(2/4)^2 = 1/64, x has (1/2)^4 = 1/16: (1/64 * 32/437) / (1/16 * 32/103) = 103/1748.
    """
    assert family_score(name, X_AND_Y, [2, 2], 1, [0], **params) == pytest.approx(expected, rel=1e-14)


Y_ALONE = [
    ("loglik", {}, log(27 / 256)),
    ("aic", {}, log(27 / 256) - 2),
    ("bic", {}, log(27 / 1024)),
    ("bdeu", {"ess": 6.0}, log(1 / 63)),
    ("bdeu", {"ess": 6.0, "prior": True}, log(1 / 3087)),
    ("k2", {}, log(1 / 60)),
    ("fnml", {}, log(9 / 616)),
    ("qnml", {}, log(9 / 616)),
]


@pytest.mark.parametrize(("name", "params", "expected"), Y_ALONE)
def test_unobserved_state_by_hand(name, params, expected):
    """
    Without parents y has counts (1, 3, 0), its third declared state never seen; r = 3, q = 1 and N = 4.

    loglik: (1/4)(3/4)^3 = 27/256. aic: less (3 - 1) 1 = 2. bic: less log(4)/2 * 2 = log 4, so 27/1024.
    bdeu, ess 6: a_j = 6, a_jk = 2; G(6)/G(10) * G(3)/G(2) * G(5)/G(2) = 120/362880 * 2 * 24 = 1/63.
    prior: kappa = 1/7 and (r - 1) q = 2, so 1/63 * 1/49 = 1/3087. k2: G(3)/G(7) * 1! 3! = 2 * 6/720 = 1/60.
    fnml, and qnml, which agrees without parents: C(4, 3) = 231/32 as above, so 27/256 * 32/231 = 9/616.
    """
    assert family_score(name, X_AND_Y, [2, 3], 1, [], **params) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", ["loglik", "aic", "bic", "k2", "fnml", "qnml"])
def test_child_with_one_state_scores_zero(name):
    """A child of arity 1 is certain and has no parameters: probability 1, whatever its parents."""
    assert family_score(name, [[0, 1, 1], [0, 0, 0]], [2, 1], 1, [0]) == pytest.approx(0, abs=1e-14)


def test_network_score_is_the_sum_over_families():
    """BIC of x -> y: x alone has 1/16, less log(4)/2: 1/32; y given x has 1/16; together 1/512."""
    assert network_score("bic", X_AND_Y, [2, 2], [[], [0]]) == pytest.approx(log(1 / 512), rel=1e-14)


def test_bdeu_is_score_equivalent_and_k2_is_not():
    """
    Compare x -> y with y -> x on the four rows.

    K2, x -> y: x has counts (2, 2), 1/5! * 2! 2! = 1/30; times 1/18 = 1/540. y -> x: y has counts (1, 3),
    1/5! * 3! = 1/20; x given y = 0 has (1, 0): 1/2; given y = 1 (1, 2): 1/4! * 2! = 1/12; together 1/480.
    """
    both = [[[], [0]], [[1], []]]
    assert [exp(network_score("k2", X_AND_Y, [2, 2], g)) for g in both] == pytest.approx([1 / 540, 1 / 480])
    forward, backward = (network_score("bdeu", X_AND_Y, [2, 2], g, ess=4.0) for g in both)
    assert forward == pytest.approx(backward, rel=1e-14)


def test_normaliser_of_two_rows_and_two_states():
    """The sequences 00, 01, 10, 11 have highest likelihoods 1, 1/4, 1/4, 1: C(2, 2) = 5/2 and 2^2 C = 10."""
    assert scaled_normaliser_by_definition(2, 2) == 10


@pytest.mark.parametrize(("n", "r"), [(1, 4), (3, 2), (4, 3), (5, 3), (6, 2)])
def test_normaliser_over_count_vectors_equals_the_sum_over_sequences(n, r):
    """Grouping the r^n sequences by their counts changes nothing."""
    over_sequences = sum(
        prod(Fraction(sequence.count(k), n) ** sequence.count(k) for k in set(sequence))
        for sequence in product(range(r), repeat=n)
    )
    assert scaled_normaliser_by_definition(n, r) == over_sequences * n**n


@pytest.mark.parametrize("n", range(9))
@pytest.mark.parametrize("r", range(1, 6))
def test_normaliser_recurrence_and_finite_sum_equal_the_definition(n, r):
    """Both short forms give the sum over all count vectors exactly."""
    assert scaled_normaliser(n, r) == scaled_normaliser_by_definition(n, r)
    assert scaled_normaliser_by_sum(n, r) == scaled_normaliser_by_definition(n, r)


@pytest.mark.parametrize("n", [1, 2, 17, 64, 129, 300])
def test_normaliser_finite_sum_equals_the_recurrence(n):
    """The two short forms agree exactly where the definition is out of reach."""
    for r in [1, 2, 3, 10, 30, 200]:
        assert scaled_normaliser_by_sum(n, r) == scaled_normaliser(n, r)


def test_normaliser_of_no_rows_is_one():
    """There is one empty sequence, of probability 1."""
    assert [log_normaliser(0, 7), log_normaliser_by_sum(0, 7)] == [0, 0]


def test_normaliser_of_one_row_is_the_number_of_states():
    """Each of the r sequences of length 1 has highest likelihood 1; also for r = 30^7."""
    assert log_normaliser(1, 30) == pytest.approx(log(30), rel=1e-14)
    assert log_normaliser_by_sum(1, 30**7) == pytest.approx(7 * log(30), rel=1e-14)
