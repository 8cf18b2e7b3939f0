"""The best scores of other cells, with which regret and lead are computed."""

from __future__ import annotations

import pytest

from bnsearch.experiments.measures import MEASURES
from bnsearch.experiments.values import Findings


class ListedResults:
    """The results of an experiment's folder, given as a list of cells: method, budget, seed and score."""

    def __init__(self, *rows):
        self._records = {str(i): {"result": {"score": row[3]}} for i, row in enumerate(rows) if row[3] is not None}
        labels = {"dataset": "table", "sample": None, "score": "bic"}
        self._cells = [
            labels | {"key": str(i), "method": row[0], "budget": row[1], "seed": row[2]} for i, row in enumerate(rows)
        ]

    def read_index(self):
        """Return the index."""
        methods = [{"label": label} for label in dict.fromkeys(cell["method"] for cell in self._cells)]
        return {"cells": self._cells, "target": 0.01, "tie": 1e-9, "methods": methods, "measures": ["lead"]}

    def read_result(self, key):
        """Return the record of a cell; None if it has failed."""
        return self._records.get(key)

    def list_keys(self):
        """Return the keys of all records."""
        return set(self._records)


def list_leads(budget, *rows):
    """Return the leads by method and seed under a budget."""
    grid = Findings(ListedResults(*rows)).make_grid(MEASURES["lead"], "bic", budget)
    return {(method, f.seed): f.value for (_, method), found in grid.findings.items() for f in found}


def test_lead_compares_cells_of_the_same_seed():
    """With seed 1, a is 10 % above b and with seed 2 20 % below it, although a has the best score of all seeds."""
    rows = [("a", "1 s", 1, -90.0), ("b", "1 s", 1, -100.0), ("a", "1 s", 2, -120.0), ("b", "1 s", 2, -100.0)]
    leads = list_leads("1 s", *rows)
    assert leads["a", 1] == pytest.approx(10.0)
    assert leads["a", 2] == pytest.approx(-20.0)
    assert leads["b", 2] == pytest.approx(100 * 20 / 120)


def test_lead_over_several_methods_is_that_over_the_best():
    """The best of b and c is -100."""
    leads = list_leads("1 s", ("a", "1 s", 1, -90.0), ("b", "1 s", 1, -200.0), ("c", "1 s", 1, -100.0))
    assert leads["a", 1] == pytest.approx(10.0)


def test_method_without_a_seed_counts_with_its_mean():
    """The method b was run with the seeds 3 and 4 only: its mean is -100."""
    rows = [("a", "1 s", 1, -90.0), ("b", "1 s", 3, -80.0), ("b", "1 s", 4, -120.0)]
    assert list_leads("1 s", *rows)["a", 1] == pytest.approx(10.0)


def test_lead_does_not_compare_budgets_and_failed_cells():
    """The better score of b has another budget, and c has failed; alone, a method has no lead."""
    rows = [("a", "1 s", 1, -90.0), ("b", "1 s", 1, -100.0), ("b", "9 s", 1, -50.0), ("c", "1 s", 1, None)]
    assert list_leads("1 s", *rows)["a", 1] == pytest.approx(10.0)
    assert list_leads("9 s", *rows) == {}


def test_regret_compares_all_cells_of_a_table():
    """The best score of all budgets is -50, so that a has a regret of 80 %."""
    findings = Findings(ListedResults(("a", "1 s", 1, -90.0), ("b", "9 s", 1, -50.0)))
    grid = findings.make_grid(MEASURES["regret"], "bic", "1 s")
    assert grid.mean("table", "a") == pytest.approx(80.0)
