"""The values of an experiment: measures by data set, method, sample and seed, with their result files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.experiments.folder import ExperimentFolder
from bnsearch.experiments.measures import MEASURES, Best, Measure
from bnsearch.experiments.sources import name_pattern
from bnsearch.experiments.statistics.ranks import TOLERANCE

Record = dict[str, Any]
Table = tuple[str, int | None, str]  # data set, sample and score
Scores = dict[str, dict[int, float]]  # scores by method and seed
PENALTY = 2.0  # a run that does not reach its target counts in tests as this multiple of the largest time


@dataclass(frozen=True)
class Finding:
    """
    A value of a measure.

    Attributes
    ----------
    sample, seed : seeds of the table and of the run
    value : the value
    key : key of the cell, which is the name of its result file
    """

    sample: int | None
    seed: int
    value: float
    key: str


@dataclass(frozen=True)
class Grid:
    """
    The values of one measure under one score and budget.

    Attributes
    ----------
    measure : the measure
    datasets, methods : labels
    findings : values by data set and method
    tolerance : relative difference up to which values are tied
    """

    measure: Measure
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    findings: dict[tuple[str, str], list[Finding]] = field(repr=False)
    tolerance: float = TOLERANCE

    def get(self, dataset: str, method: str) -> list[Finding]:
        """Return the values of a method on a data set."""
        return self.findings.get((dataset, method), [])

    def mean(self, dataset: str, method: str) -> float:
        """Return the mean over samples of the means over seeds; not a number if there is no value."""
        return average(self.get(dataset, method))

    def deviation(self, dataset: str, method: str) -> float | None:
        """Return the standard deviation of all values; None if there is one, or if one is infinite."""
        values = [finding.value for finding in self.get(dataset, method)]
        return float(np.std(values, ddof=1)) if len(values) > 1 and np.isfinite(values).all() else None

    def merge(self) -> Grid:
        """Return a grid in which the random networks of one pattern are the samples of one data set."""
        merged: dict[tuple[str, str], list[Finding]] = {}
        numbers: dict[tuple[str, int | None], int] = {}
        for (dataset, method), findings in self.findings.items():
            merged.setdefault((name_pattern(dataset), method), []).extend(
                replace(finding, sample=numbers.setdefault((dataset, finding.sample), len(numbers)))
                for finding in findings
            )
        return replace(self, datasets=tuple(dict.fromkeys(map(name_pattern, self.datasets))), findings=merged)

    @property
    def complete(self) -> tuple[str, ...]:
        """The data sets on which all methods have a value."""
        return tuple(d for d in self.datasets if all(self.get(d, method) for method in self.methods))

    def make_matrix(self, methods: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Return the means on the complete data sets, for tests; infinite times are replaced by a penalty."""
        chosen = self.methods if methods is None else methods
        matrix = np.array([[self.mean(d, m) for m in chosen] for d in self.complete]).reshape(-1, len(chosen))
        finite = matrix[np.isfinite(matrix)]
        return np.where(np.isinf(matrix), PENALTY * finite.max(initial=1.0), matrix)

    def list_runs(self) -> list[list[dict[tuple[int | None, int], float]]]:
        """Return the values by sample and seed, for each complete data set and each method."""
        return [
            [{(f.sample, f.seed): f.value for f in self.get(dataset, method)} for method in self.methods]
            for dataset in self.complete
        ]


def average(findings: Sequence[Finding]) -> float:
    """Return the mean over samples of the means over seeds; not a number if there is none."""
    by_sample: dict[int | None, list[float]] = {}
    for finding in findings:
        by_sample.setdefault(finding.sample, []).append(finding.value)
    return math.fsum(map(np.mean, by_sample.values())) / len(by_sample) if by_sample else math.nan


class Findings:
    """
    The results of an experiment's folder.

    Parameters
    ----------
    folder : the folder

    Attributes
    ----------
    index : index of the experiment
    cells : descriptions of the cells
    records : content of the result files by key
    unused : number of result files that belong to no cell of the plan
    """

    def __init__(self, folder: ExperimentFolder) -> None:
        self.index = folder.read_index()
        self.cells: list[Record] = self.index["cells"]
        found = {cell["key"]: folder.read_result(cell["key"]) for cell in self.cells}
        self.records: dict[str, Record] = {key: record for key, record in found.items() if record is not None}
        self.unused = len(folder.list_keys() - set(found))
        self._best, self._scores = self._collect_scores()

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Labels of the methods, in the order of the plan."""
        return tuple(method["label"] for method in self.index["methods"])

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Labels of the data sets, in the order of the plan."""
        return tuple(dict.fromkeys(cell["dataset"] for cell in self.cells))

    @property
    def measures(self) -> list[Measure]:
        """The measures of the plan."""
        return [MEASURES[name] for name in self.index["measures"] if name in MEASURES]

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        """The combinations of score and budget, in the order of the plan."""
        return list(dict.fromkeys((cell["score"], cell["budget"]) for cell in self.cells))

    @property
    def failures(self) -> list[tuple[Record, str]]:
        """The failed cells with their errors."""
        failed = [(cell, self.records.get(cell["key"], {}).get("error")) for cell in self.cells]
        return [(cell, error) for cell, error in failed if error is not None]

    @property
    def missing(self) -> int:
        """Number of cells without a result file."""
        return sum(cell["key"] not in self.records for cell in self.cells)

    def select(self, score: str, budget: str) -> list[tuple[Record, Record]]:
        """Return the cells of a score and a budget that have a result, with their records."""
        return [
            (cell, self.records[cell["key"]])
            for cell in self.cells
            if (cell["score"], cell["budget"]) == (score, budget) and "result" in self.records.get(cell["key"], {})
        ]

    def make_grid(self, measure: Measure, score: str, budget: str) -> Grid:
        """Return the values of a measure; data sets and methods without any value are left out."""
        values: dict[tuple[str, str], list[Finding]] = {}
        for cell, record in self.select(score, budget):
            value = measure.compute(record, self.get_best(cell))
            if value is not None:
                finding = Finding(cell["sample"], cell["seed"], float(value), cell["key"])
                values.setdefault((cell["dataset"], cell["method"]), []).append(finding)
        datasets = tuple(d for d in self.datasets if any(d == dataset for dataset, _ in values))
        methods = tuple(m for m in self.methods if any(m == method for _, method in values))
        return Grid(measure, datasets, methods, values, self.index["tie"])

    def get_best(self, cell: Record) -> Best:
        """Return the best scores of other cells for the table and the score of a cell."""
        rivals = self._scores[_table_of(cell), cell["budget"]]
        others = [choose_score(by_seed, cell["seed"]) for label, by_seed in rivals.items() if label != cell["method"]]
        return Best(self._best[_table_of(cell)], self.index["target"], max(others, default=None))

    def _collect_scores(self) -> tuple[dict[Table, float], dict[tuple[Table, str], Scores]]:
        """Return the best score of each table, and the scores by method and seed for each table and budget."""
        best: dict[Table, float] = {}
        scores: dict[tuple[Table, str], Scores] = {}
        for cell in self.cells:
            record = self.records.get(cell["key"], {})
            if "result" in record:
                table, score = _table_of(cell), record["result"]["score"]
                best[table] = max(best.get(table, -math.inf), score)
                by_method = scores.setdefault((table, cell["budget"]), {})
                by_method.setdefault(cell["method"], {})[cell["seed"]] = score
        return best, scores


def choose_score(by_seed: Mapping[int, float], seed: int) -> float:
    """Return the score of a seed; the mean of all seeds if a method was not run with it."""
    return by_seed[seed] if seed in by_seed else math.fsum(by_seed.values()) / len(by_seed)


def _table_of(cell: Record) -> Table:
    return cell["dataset"], cell["sample"], cell["score"]
