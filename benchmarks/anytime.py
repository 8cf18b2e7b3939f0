"""
Compare runs of `learn` with different time budgets, from the result files of an experiment.

    bnsearch experiment experiments/own/anytime.toml -o FOLDER --workers 2
    python benchmarks/anytime.py FOLDER

The program prints three tables. The first compares the incumbent after t seconds of the longest run with the result of
a run of t/2 seconds, the second each budget with the next larger one; both have means over seeds. The third shows how
late runs end, and when they have their first network.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from bnsearch.experiments.folder import ExperimentFolder
from bnsearch.experiments.values import Findings

TOLERANCE = 0.02  # loss in percent against a shorter run that is not a failure
Record = dict[str, Any]
Runs = dict[str, dict[float, dict[int, Record]]]  # records by data set, seconds and seed


def collect_runs(folder: Path) -> Runs:
    """Return the records of all cells with a time budget."""
    findings, runs = Findings(ExperimentFolder(folder)), defaultdict[str, dict[float, dict[int, Record]]](dict)
    for cell in findings.cells:
        record = findings.records.get(cell["key"], {})
        if "result" in record and cell["timed"]:
            seconds = record["settings"]["budget"][0]
            runs[cell["dataset"]].setdefault(seconds, {})[cell["seed"]] = record
    return dict(runs)


def find_incumbent(record: Record, seconds: float) -> float:
    """Return the score of the incumbent at some time of a run; minus infinity if there is none."""
    return max((point[3] for point in record["trace"] if point[0] <= seconds), default=-math.inf)


def compute_loss(longer: list[float], shorter: list[float]) -> float:
    """Return the difference between the means of two lists of scores in percent; positive if the first is lower."""
    return 100 * (statistics.fmean(shorter) - statistics.fmean(longer)) / abs(statistics.fmean(shorter))


def print_comparison(title: str, rows: list[tuple[str, float]]) -> None:
    """Print the losses, and how many are larger than the tolerance."""
    print(f"\n{title}")
    for text, loss in rows:
        print(f"  {text:40} {loss:9.4f} %{'  FAILS' if loss > TOLERANCE else ''}")
    print(f"  {sum(loss > TOLERANCE for _, loss in rows)} of {len(rows)} lose more than {TOLERANCE:g} %")


def compare_incumbents(runs: Runs) -> list[tuple[str, float]]:
    """Return the losses of incumbents of the longest runs against results of runs with half the time."""
    rows = []
    for dataset, by_seconds in runs.items():
        *short, longest = sorted(by_seconds)
        for seconds in short:
            seeds = sorted(by_seconds[seconds].keys() & by_seconds[longest].keys())
            if seeds and 2 * seconds <= longest:
                at = [find_incumbent(by_seconds[longest][seed], 2 * seconds) for seed in seeds]
                results = [by_seconds[seconds][seed]["result"]["score"] for seed in seeds]
                rows.append((f"{dataset}, t = {2 * seconds:g} s of {longest:g} s", compute_loss(at, results)))
    return rows


def compare_budgets(runs: Runs) -> list[tuple[str, float]]:
    """Return the losses of runs against those with the next smaller budget."""
    rows = []
    for dataset, by_seconds in runs.items():
        budgets = sorted(by_seconds)
        for less, more in pairwise(budgets):
            seeds = sorted(by_seconds[less].keys() & by_seconds[more].keys())
            if seeds:
                scores = [[by_seconds[b][seed]["result"]["score"] for seed in seeds] for b in (more, less)]
                rows.append((f"{dataset}, {more:g} s against {less:g} s", compute_loss(*scores)))
    return rows


def print_times(runs: Runs) -> None:
    """Print how late runs end, and when they have their first network."""
    print("\nlargest delay after the budget, and largest time of the first network, in seconds")
    for dataset, by_seconds in runs.items():
        records = [(seconds, record) for seconds, by_seed in by_seconds.items() for record in by_seed.values()]
        late = max(record["result"]["seconds"] - seconds for seconds, record in records)
        first = max((record["trace"][0][0] for _, record in records if record["trace"]), default=math.nan)
        print(f"  {dataset:40} {max(0.0, late):9.3f} {first:9.3f}")


def main() -> None:
    """Print the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of an experiment with one method and several time budgets")
    runs = collect_runs(parser.parse_args().folder)
    print_comparison("loss of the incumbent after t seconds against a run of t/2 seconds", compare_incumbents(runs))
    print_comparison("loss of longer runs", compare_budgets(runs))
    print_times(runs)


if __name__ == "__main__":
    main()
