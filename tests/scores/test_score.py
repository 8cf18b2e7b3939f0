"""The comparison of scores, and the protocol of a score."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.scores import SCORES, Score, improves
from bnsearch.scores.score import TOLERANCE, EquivalentScore

finite = st.floats(-1e9, 1e9)


@given(new=finite, old=finite)
def test_improves_beyond_rounding(new, old):
    """A score improves on another if it is higher by more than 1e-10 of it, and by more than 1e-10."""
    margin = TOLERANCE * max(1.0, abs(old))
    assert improves(new, old) == (new > old + margin)
    assert not (improves(new, old) and improves(old, new))
    assert not improves(old, old)


def test_ties_by_hand():
    """-100,000 and 1e-6 more are a tie, 2e-5 more is better; near zero 1e-11 is a tie and 1e-9 is not."""
    assert not improves(-100_000 + 1e-6, -100_000)
    assert improves(-100_000 + 2e-5, -100_000)
    assert not improves(1e-11, 0)
    assert improves(1e-9, 0)


def test_anything_improves_on_nothing():
    """Every other score improves on minus infinity, with which a search starts; that improves on no score."""
    assert improves(-1e300, -inf)
    assert not improves(-inf, -inf)
    assert not improves(-inf, -5.0)
    assert improves(inf, 5.0)
    assert not improves(inf, inf)


def test_what_is_no_number_never_improves():
    """Not a number is neither better nor worse."""
    for new, old in [(nan, 0.0), (0.0, nan), (nan, nan), (nan, -inf)]:
        assert not improves(new, old)


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_scores(name):
    """Each score fulfils the protocol; a score-equivalent one has the same cell sum for both parts."""
    score = SCORES[name]()
    assert isinstance(score, Score)
    assert score.name == name
    assert score.equivalent == isinstance(score, EquivalentScore)
    if score.equivalent:
        assert score.parents(50, 3) == score.joint(50)
    else:
        assert score.parents(50, 3) != score.parents(50, 4)


def test_an_equivalent_score_must_say_its_function():
    """The base class has no set function."""
    with pytest.raises(NotImplementedError):
        EquivalentScore().joint(10)
