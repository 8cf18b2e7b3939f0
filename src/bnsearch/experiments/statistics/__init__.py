"""Statistics of experiments: tests over data sets and over runs, effect sizes, intervals of anytime curves."""

from __future__ import annotations

from bnsearch.experiments.statistics.curves import Curve, bootstrap_mean
from bnsearch.experiments.statistics.friedman import FriedmanResult, compare_methods
from bnsearch.experiments.statistics.pairs import PairResult, RunsResult, compare_pairs, compare_runs
from bnsearch.experiments.statistics.ranks import correct_by_holm, rank_rows

__all__ = [
    "Curve",
    "FriedmanResult",
    "PairResult",
    "RunsResult",
    "bootstrap_mean",
    "compare_methods",
    "compare_pairs",
    "compare_runs",
    "correct_by_holm",
    "rank_rows",
]
