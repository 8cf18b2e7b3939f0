"""The part of a report on one measure: values, tests and what they allow to conclude."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from bnsearch.experiments.conclusions import explain_friedman, explain_pairs, explain_runs, format_p
from bnsearch.experiments.folder import RESULTS
from bnsearch.experiments.measures import Measure
from bnsearch.experiments.report.blocks import Block, Details, Entry, Figure, Heading, Items, Paragraph, Table
from bnsearch.experiments.report.overview import MAX_DATA_SETS, name_group
from bnsearch.experiments.report.rank_diagram import draw_rank_diagram
from bnsearch.experiments.statistics.friedman import MIN_DATA_SETS, MIN_METHODS, FriedmanResult, compare_methods
from bnsearch.experiments.statistics.pairs import PairResult, RunsResult, compare_pairs, compare_runs
from bnsearch.experiments.statistics.ranks import are_tied
from bnsearch.experiments.values import Findings, Grid

MAX_FILES = 8  # number of result files in a tooltip
MAX_RUN_TESTS = 300  # number of comparisons on single data sets that are listed


def describe_measure(findings: Findings, measure: Measure, score: str, budget: str) -> list[Block]:
    """Return the part of a report on a measure under a score and a budget; nothing if no cell has a value."""
    grid = findings.make_grid(measure, score, budget)
    if not grid.datasets:
        return []
    better = "Higher is better." if measure.is_higher_better else "Lower is better."
    blocks: list[Block] = [
        Heading(measure.title, 3),
        Paragraph(f"{measure.meaning} {better}"),
        *show_values(findings, grid, score, budget),
    ]
    return blocks + describe_tests(grid)


def show_values(findings: Findings, grid: Grid, score: str, budget: str) -> list[Block]:
    """Return the table of means; if there are many random networks, that of their patterns and a hidden one of all."""
    groups = {
        (cell["dataset"], cell["method"]): name_group(cell, findings)
        for cell in findings.cells
        if (cell["score"], cell["budget"]) == (score, budget)
    }
    published = {
        (value["dataset"], value["method"]): value["value"]
        for value in findings.index["published"]
        if value["measure"] == grid.measure.name
    }
    merged, table = grid.merge(), make_value_table(grid, groups, published)
    if len(grid.datasets) <= MAX_DATA_SETS or len(merged.datasets) == len(grid.datasets):
        return [table]
    return [make_value_table(merged, {}, published), Details(f"All {len(grid.datasets)} data sets", [table])]


def make_value_table(
    grid: Grid, groups: Mapping[tuple[str, str], str], published: Mapping[tuple[str, str], float]
) -> Table:
    """
    Return the mean of each method on each data set.

    Parameters
    ----------
    grid : the values
    groups : name of the row with the result files of a data set and a method
    published : published values by data set and method
    """
    rows: list[list[Entry | str]] = []
    for dataset in grid.datasets:
        means = {method: grid.mean(dataset, method) for method in grid.methods}
        best = find_best([mean for mean in means.values() if not math.isnan(mean)], grid.measure)
        tied = sum(are_tied(mean, best, grid.tolerance) for mean in means.values()) > 1
        row: list[Entry | str] = [dataset]
        for method, mean in means.items():
            is_best = len(grid.methods) > 1 and math.isfinite(best) and are_tied(mean, best, grid.tolerance)
            note, group = published.get((dataset, method)), groups.get((dataset, method))
            row.append(
                Entry(
                    format_value(grid, dataset, method),
                    is_best=is_best,
                    is_tied=is_best and tied,
                    note="" if note is None else f"published: {note:,.{grid.measure.digits}f}",
                    tooltip=list_files(grid, dataset, method),
                    target=f"#{group}" if group and grid.get(dataset, method) else "",
                )
            )
        rows.append(row)
    return Table(["data set", *grid.methods], rows)


def find_best(means: Sequence[float], measure: Measure) -> float:
    """Return the best of some means."""
    return max(means) if measure.is_higher_better else min(means)


def format_value(grid: Grid, dataset: str, method: str) -> str:
    """Return the mean and the standard deviation; the number of runs without a finite value if there are any."""
    found, digits = grid.get(dataset, method), grid.measure.digits
    if not found:
        return "none"
    unreached = sum(math.isinf(finding.value) for finding in found)
    if unreached:
        return f"not in {unreached} of {len(found)} runs" if len(found) > 1 else "not reached"
    mean = round(grid.mean(dataset, method), digits) + 0.0  # adding zero removes the sign of -0.0
    text, deviation = f"{mean:,.{digits}f}", grid.deviation(dataset, method)
    return text if deviation is None else f"{text} ± {deviation:,.{digits}f}"


def list_files(grid: Grid, dataset: str, method: str) -> str:
    """Return the result files of a value, one line each."""
    keys = [finding.key for finding in grid.get(dataset, method)]
    lines = [f"{RESULTS}/{key}.json" for key in keys[:MAX_FILES]]
    return "\n".join(lines + [f"and {len(keys) - MAX_FILES} more"] * (len(keys) > MAX_FILES))


def describe_tests(grid: Grid) -> list[Block]:
    """Return the tests of a measure, with what they allow to conclude."""
    if len(grid.methods) < 2:
        return []
    matrix, higher, tie = grid.make_matrix(), grid.measure.is_higher_better, grid.tolerance
    left_out = len(grid.datasets) - len(matrix)
    texts = [f"{left_out} data sets without values of all methods are left out of the tests."] if left_out else []
    blocks: list[Block] = []
    if len(matrix) < MIN_DATA_SETS:
        texts.append("With fewer than two data sets, nothing can be concluded about other data sets.")
    else:
        if len(grid.methods) >= MIN_METHODS:
            result = compare_methods(matrix, grid.methods, is_higher_better=higher, tolerance=tie)
            texts += explain_friedman(result)
            blocks += show_friedman(result)
        relative = grid.measure.is_relative
        pairs = compare_pairs(matrix, is_higher_better=higher, is_relative=relative, tolerance=tie)
        texts += explain_pairs(pairs, grid.methods, len(matrix))
        blocks.append(Details("Pairs of methods over data sets", [make_pair_table(pairs, grid.methods)]))
    if len(matrix):
        runs = compare_runs(grid.list_runs(), is_higher_better=higher, tolerance=tie)
        texts += explain_runs(runs)
        if runs:
            table = make_run_table(runs, grid)
            blocks.append(Details("Pairs of methods on single data sets", [table], is_long=True))
    return [Items(texts), *blocks]


def show_friedman(result: FriedmanResult) -> list[Block]:
    """Return the critical-difference diagram and the p-values of post-hoc tests."""
    text = (
        "Critical-difference diagram: mean ranks over data sets, the best on the left. A bar joins methods that "
        "Nemenyi's test does not separate at the level 0.05."
    )
    blocks: list[Block] = [Figure(draw_rank_diagram(result), text)]
    if result.nemenyi is not None and result.holm is not None:
        rows = []
        for first, name in enumerate(result.methods):
            for second in range(first + 1, len(result.methods)):
                p_values = result.nemenyi[first, second], result.holm[first, second]
                rows.append([f"{name} / {result.methods[second]}", *(format_p(float(p)) for p in p_values)])
        table = Table(["pair", "Nemenyi, p", "z-test with Holm's correction, p"], rows)
        blocks.append(Details("Post-hoc tests of Friedman's test", [table]))
    return blocks


def make_pair_table(pairs: Sequence[PairResult], methods: Sequence[str]) -> Table:
    """Return the comparisons of pairs over data sets."""
    headings = ["pair", "wins, ties, losses", "Wilcoxon, p", "corrected by Holm", "rank-biserial correlation"]
    rows: list[list[Entry | str]] = [
        [
            f"{methods[pair.first]} / {methods[pair.second]}",
            f"{pair.wins}, {pair.ties}, {pair.losses}",
            format_p(pair.p_value),
            Entry(format_p(pair.adjusted), is_best=pair.is_significant),
            f"{pair.effect:+.2f}",
        ]
        for pair in pairs
    ]
    return Table(headings, rows)


def make_run_table(runs: Sequence[RunsResult], grid: Grid) -> Table:
    """Return the comparisons on single data sets, those with the smallest p-values first if there are many."""
    if len(runs) > MAX_RUN_TESTS:
        order = np.argsort([result.p_value for result in runs], kind="stable")[:MAX_RUN_TESTS]
        runs = [runs[place] for place in order]
    rows: list[list[Entry | str]] = [
        [
            f"{grid.complete[result.data_set]}: {grid.methods[result.first]} / {grid.methods[result.second]}",
            result.test,
            format_p(result.p_value),
            Entry(format_p(result.adjusted), is_best=result.is_significant),
            f"{result.effect:+.2f}",
        ]
        for result in runs
    ]
    return Table(["pair", "test", "p", "corrected by Holm", "Cliff's delta"], rows)
