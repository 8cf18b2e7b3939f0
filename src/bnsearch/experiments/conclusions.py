"""What the tests of an experiment allow to conclude, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from bnsearch.experiments.statistics.friedman import FriedmanResult
from bnsearch.experiments.statistics.pairs import PairResult, RunsResult
from bnsearch.experiments.statistics.ranks import ALPHA

FEW_DATA_SETS = 10  # with fewer, the chi-square distribution is a poor approximation (Demsar 2006)


def format_p(p_value: float) -> str:
    """Return a p-value, such as "0.031" or "< 0.0001"."""
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.2g}" if p_value < 0.0995 else f"{p_value:.2f}"


def state_p(p_value: float) -> str:
    """Return a p-value as part of a sentence, such as "p = 0.031" or "p < 0.0001"."""
    text = format_p(p_value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def explain_friedman(result: FriedmanResult) -> list[str]:
    """Return what Friedman's test allows to conclude, and what it does not."""
    n = result.n_data_sets
    lines = [
        f"Friedman's test over {n} data sets: chi-square {result.statistic:.3g}, {state_p(result.p_value)}. "
        + (
            "The methods differ: the hypothesis that all have the same distribution of ranks is rejected."
            if result.is_significant
            else "No difference between the methods is shown. This does not show that they are equal."
        )
    ]
    order = sorted(zip(result.mean_ranks, result.methods, strict=True))
    lines.append(f"Mean ranks, 1 is best: {', '.join(f'{name} {rank:.2f}' for rank, name in order)}.")
    if result.is_significant:
        lines.append(_explain_groups(result))
    if n < FEW_DATA_SETS:
        lines.append(
            f"With {n} data sets (fewer than {FEW_DATA_SETS}) the p-value is an approximation, and only large "
            "differences can be found."
        )
    if result.n_tied:
        lines.append(f"On {result.n_tied} of {n} data sets all methods are tied; these carry no information.")
    if result.note:
        lines.append(result.note)
    return lines


def _explain_groups(result: FriedmanResult) -> str:
    """Return the pairs that Nemenyi's test separates, in words."""
    ranks, names = result.mean_ranks, result.methods
    order = sorted(range(len(names)), key=lambda method: ranks[method])
    apart = [
        f"{names[a]} is better than {names[b]}"
        for place, a in enumerate(order)
        for b in order[place + 1 :]
        if ranks[b] - ranks[a] >= result.critical_difference
    ]
    limit = f"mean ranks that differ by at least {result.critical_difference:.2f}"
    if not apart:
        return f"Nemenyi's test ({limit}) does not separate any two methods."
    return f"Nemenyi's test ({limit}): {'; '.join(apart)}. All other pairs are not separated."


def explain_pairs(pairs: Sequence[PairResult], methods: Sequence[str], n_data_sets: int) -> list[str]:
    """Return what Wilcoxon's tests over data sets allow to conclude, and what they do not."""
    shown = []
    for pair in pairs:
        if pair.is_significant:
            better, worse = (pair.first, pair.second) if pair.effect > 0 else (pair.second, pair.first)
            shown.append(f"{methods[better]} over {methods[worse]} ({state_p(pair.adjusted)})")
    head = f"Wilcoxon's signed-rank tests over {n_data_sets} data sets, p-values corrected by Holm: "
    lines = [
        head + ("significant are " + "; ".join(shown) + "." if shown else "no difference between two methods is shown.")
    ]
    smallest = min((min(1.0, pair.smallest_p * len(pairs)) for pair in pairs), default=1.0)
    if smallest >= ALPHA:
        lines.append(
            f"No difference could have been shown: with this number of data sets without ties and {len(pairs)} "
            f"comparison{'s' * (len(pairs) != 1)}, the smallest possible corrected p-value is {smallest:.2g}."
        )
    return lines


def explain_runs(results: Sequence[RunsResult]) -> list[str]:
    """Return what the tests on single data sets allow to conclude."""
    if not results:
        return ["Each method has one run on each data set, so that differences on single data sets cannot be tested."]
    tests = " and ".join(sorted({result.test for result in results}))
    number = sum(result.is_significant for result in results)
    lines = [
        f"{tests} tests on single data sets: {number} of {len(results)} comparisons are significant after Holm's "
        "correction. They hold for these data sets only, and say nothing about others."
    ]
    if all(result.smallest_p * len(results) >= ALPHA for result in results):
        lines.append(
            "With this number of runs and comparisons, no corrected p-value can be below 0.05: use more seeds or "
            "samples to compare methods on single data sets."
        )
    return lines
