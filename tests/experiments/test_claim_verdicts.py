"""Verdicts on claims: what few data sets and many comparisons allow."""

from __future__ import annotations

import pytest

from bnsearch.experiments.claims import Verdict, correct_verdicts
from bnsearch.experiments.statistics.pairs import PairResult


def make_verdict(wins, losses, p_value):
    """Return a verdict without a correction."""
    effect = 1.0 if losses == 0 else -1.0
    pair = PairResult(first=0, second=1, wins=wins, ties=0, losses=losses, p_value=p_value, effect=effect)
    return Verdict("text", "A", "B", "score", "bic", "10 s", pair)


@pytest.mark.parametrize(("comparisons", "word"), [(1, "reproduced"), (3, "reproduced"), (4, "not testable")])
def test_seven_wins_on_seven_data_sets(comparisons, word):
    """The smallest p-value is 2 / 2^7 = 0.0156: three times this is below 0.05, and four times this is not."""
    verdicts = correct_verdicts([make_verdict(7, 0, 2 / 2**7)] * comparisons)
    assert [verdict.word for verdict in verdicts] == [word] * comparisons
    assert verdicts[0].adjusted == verdicts[0].smallest == pytest.approx(comparisons * 2 / 2**7)


def test_losses_are_not_reproduced():
    """With seven data sets and two comparisons a claim can be tested, and a loss everywhere is no reproduction."""
    lost, won = correct_verdicts([make_verdict(0, 7, 2 / 2**7), make_verdict(7, 0, 2 / 2**7)])
    assert (lost.word, won.word) == ("not reproduced", "reproduced")


def test_methods_without_common_data_sets():
    """Such a comparison is not testable, and does not count for the correction of others."""
    none = Verdict("text", "A", "B", "score", "bic", "10 s", None)
    (missing, won) = correct_verdicts([none, make_verdict(6, 0, 2 / 2**6)])
    assert (missing.word, won.word) == ("not testable", "reproduced")
    assert won.adjusted == pytest.approx(2 / 2**6)
