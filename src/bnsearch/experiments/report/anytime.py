"""Anytime curves of an experiment: the distance to the best score over time or work."""

from __future__ import annotations

from typing import Any

import numpy as np

from bnsearch.experiments.measures import Best
from bnsearch.experiments.report.blocks import Block, Details, Figure
from bnsearch.experiments.report.curve_plot import draw_curves
from bnsearch.experiments.statistics.curves import Curve, bootstrap_mean, choose_places, make_curve
from bnsearch.experiments.values import Findings

SECONDS, ITERATIONS, EVALUATIONS, SCORE = range(4)  # columns of a trace in a result file
MIN_SECONDS = 1e-3  # first time of a curve
MAX_PLOTS = 24  # number of data sets with a plot of their own
Trace = list[tuple[float, float]]
Traces = dict[str, dict[str, list[Trace]]]  # by data set and method


def describe_anytime(findings: Findings, score: str, budget: str) -> list[Block]:
    """Return the plots of a score and a budget; none if no run has a trace of several points."""
    column, unit = choose_axis(findings, score, budget)
    traces = collect_traces(findings, score, budget, column)
    last = max((trace[-1][0] for by in traces.values() for runs in by.values() for trace in runs), default=0.0)
    if last <= 0 or all(len(trace) < 2 for by in traces.values() for runs in by.values() for trace in runs):
        return []
    blocks: list[Block] = []
    smallest = MIN_SECONDS if column == SECONDS else 1.0
    plots = [Figure(draw_curves(by, unit), name) for name, by in make_dataset_curves(traces, smallest).items()]
    if len(plots) > 1 and (curves := make_mean_curves(traces, smallest)):
        text = (
            "Mean over data sets of the distance to the best known score; bands are 95 % bootstrap intervals over "
            "data sets. Both axes are logarithmic, and lower is better."
        )
        blocks.append(Figure(draw_curves(curves, unit), text))
    left_out = f", the first {MAX_PLOTS} of {len(plots)}" if len(plots) > MAX_PLOTS else ""
    summary = f"Curves of each data set{left_out} (bands are 95 % bootstrap intervals over runs)"
    return [*blocks, Details(summary, plots[:MAX_PLOTS], is_long=True)] if plots else blocks


def choose_axis(findings: Findings, score: str, budget: str) -> tuple[int, str]:
    """Return the column of the horizontal axis: time only if it limits the runs, so that others are reproducible."""
    cell = next(cell for cell in findings.cells if (cell["score"], cell["budget"]) == (score, budget))
    if cell["timed"]:
        return SECONDS, "seconds"
    return (ITERATIONS, "iterations") if "iteration" in budget else (EVALUATIONS, "evaluations")


def collect_traces(findings: Findings, score: str, budget: str, column: int) -> Traces:
    """Return the traces of all runs, as pairs of a place and the distance to the best score with a minus sign."""
    traces: Traces = {dataset: {} for dataset in findings.datasets}
    for cell, record in findings.select(score, budget):
        best = findings.get_best(cell)
        points = [(float(p[column]), -measure_distance(p, best)) for p in record["trace"]]
        if points:
            end = get_end(record, column)
            points.append((max(end, points[-1][0]), points[-1][1]))
            traces[cell["dataset"]].setdefault(cell["method"], []).append(points)
    return {dataset: by for dataset, by in traces.items() if by}


def measure_distance(point: list[float], best: Best) -> float:
    """Return the distance of a point of a trace to the best score, in percent."""
    return 100 * max(0.0, best.score - point[SCORE]) / max(1.0, abs(best.score))


def get_end(record: dict[str, Any], column: int) -> float:
    """Return the last place of a run."""
    names = {SECONDS: "seconds", ITERATIONS: "iterations", EVALUATIONS: "evaluations"}
    return float(record["result"][names[column]])


def make_dataset_curves(traces: Traces, smallest: float) -> dict[str, dict[str, Curve]]:
    """Return the curve of each method on each data set; the runs of a method that has ended keep their last score."""
    found = {}
    for dataset, by_method in traces.items():
        last = max(trace[-1][0] for runs in by_method.values() for trace in runs)
        curves = {
            method: _negate(make_curve(runs, choose_places(runs, last, smallest))) for method, runs in by_method.items()
        }
        found[dataset] = {method: curve for method, curve in curves.items() if len(curve.places)}
    return {dataset: curves for dataset, curves in found.items() if curves}


def make_mean_curves(traces: Traces, smallest: float) -> dict[str, Curve]:
    """Return the mean curve of each method over the data sets on which it has runs."""
    last = max(trace[-1][0] for by in traces.values() for runs in by.values() for trace in runs)
    methods = list(dict.fromkeys(method for by in traces.values() for method in by))
    found = {}
    for method in methods:
        groups = [by[method] for by in traces.values() if method in by]
        places = choose_places([trace for runs in groups for trace in runs], last, smallest)
        means = np.stack([make_curve(runs, places).means for runs in groups])
        low, high = bootstrap_mean(-means)
        found[method] = Curve(places, -means.mean(axis=0), low, high, len(means))
    return found


def _negate(curve: Curve) -> Curve:
    return Curve(curve.places, -curve.means, -curve.high, -curve.low, curve.runs)
