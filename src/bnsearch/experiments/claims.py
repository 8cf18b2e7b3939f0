"""Verdicts on claims that one method is better than another over the data sets of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bnsearch.experiments.conclusions import format_p, state_p
from bnsearch.experiments.measures import MEASURES
from bnsearch.experiments.statistics.pairs import PairResult, compare_pairs
from bnsearch.experiments.statistics.ranks import ALPHA, correct_by_holm
from bnsearch.experiments.values import Findings

REPRODUCED, NOT_REPRODUCED, NOT_TESTABLE = "reproduced", "not reproduced", "not testable"


@dataclass(frozen=True)
class Verdict:
    """
    The verdict on one comparison of a claim.

    Attributes
    ----------
    claim : text of the claim
    better, than, measure, score, budget : what is compared
    pair : the test; None if no data set has both methods
    adjusted : p-value after Holm's correction over all comparisons of claims
    smallest : the smallest such value that was possible with this number of data sets without ties
    """

    claim: str
    better: str
    than: str
    measure: str
    score: str
    budget: str
    pair: PairResult | None
    adjusted: float = 1.0
    smallest: float = 1.0

    @property
    def word(self) -> str:
        """Whether the claim is reproduced, not reproduced, or not testable."""
        if self.pair is None or self.smallest >= ALPHA:
            return NOT_TESTABLE
        return REPRODUCED if self.adjusted < ALPHA and self.pair.effect > 0 else NOT_REPRODUCED

    @property
    def reason(self) -> str:
        """The test and its numbers, in words."""
        pair = self.pair
        if pair is None:
            return "no data set has results of both methods"
        counts = f"better on {pair.wins}, tied on {pair.ties}, worse on {pair.losses} data sets"
        if self.word == NOT_TESTABLE:
            least = format_p(self.smallest)
            return f"{counts}; with these data sets and ties, the corrected p-value is at least {least}"
        test = f"Wilcoxon's test, {state_p(pair.p_value)}, corrected by Holm {format_p(self.adjusted)}"
        return f"{counts}; {test}, rank-biserial correlation {pair.effect:+.2f}"


def check_claims(findings: Findings) -> list[Verdict]:
    """Return the verdicts on all claims of an experiment."""
    found = [
        _compare(findings, claim, than, score, budget)
        for claim in findings.index["claims"]
        for score, budget in findings.settings
        if claim["budget"] in (None, budget)
        for than in claim["than"]
    ]
    return correct_verdicts(found)


def correct_verdicts(found: Sequence[Verdict]) -> list[Verdict]:
    """Return verdicts with their p-values corrected over all of them."""
    values = {number: verdict.pair.p_value for number, verdict in enumerate(found) if verdict.pair is not None}
    corrected = list(found)
    for number, verdict in enumerate(found):
        if verdict.pair is not None:
            smallest = _correct({**values, number: verdict.pair.smallest_p}, number)
            corrected[number] = replace(verdict, adjusted=_correct(values, number), smallest=smallest)
    return corrected


def _correct(values: dict[int, float], number: int) -> float:
    """Return one of several p-values after Holm's correction over all of them."""
    return dict(zip(values, correct_by_holm(list(values.values())), strict=True))[number]


def _compare(findings: Findings, claim: dict[str, Any], than: str, score: str, budget: str) -> Verdict:
    """Return the verdict on one comparison, without a correction."""
    measure = MEASURES[claim["measure"]]
    grid = findings.make_grid(measure, score, budget)
    pair = None
    if {claim["better"], than} <= set(grid.methods):
        matrix = replace(grid, methods=(claim["better"], than)).make_matrix()
        if len(matrix):
            higher, relative = measure.is_higher_better, measure.is_relative
            (pair,) = compare_pairs(matrix, is_higher_better=higher, is_relative=relative, tolerance=grid.tolerance)
    return Verdict(claim["text"], claim["better"], than, measure.title, score, budget, pair)
