"""Plans for tests, and what they need."""

from __future__ import annotations

from pathlib import Path

from bnsearch.experiments import Plan, read_plan
from bnsearch.networks import load_network

SMALL = """
title = "Small"
seeds = [1, 2]
budgets = [{ iterations = 3 }]
measures = ["score", "relative_score", "shd", "f1", "evaluations", "regret"]
methods = ["hillclimb", { name = "tabu", label = "Tabu 5", parameters = { length = 5 } }]

[[sources]]
network = "asia"
rows = [100, 200]
sample_seeds = [1, 2]
"""


def write_plan(folder: Path, text: str, name: str = "plan.toml") -> Path:
    """Write a plan into a folder, and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def make_plan(folder: Path, text: str = SMALL) -> Plan:
    """Return the plan of a text."""
    return read_plan(write_plan(folder, text))


def write_asia(folder: Path, name: str = "asia.csv", rows: int = 120) -> Path:
    """Write rows of asia as CSV, and return the path."""
    path = folder / name
    load_network("asia").sample(rows, 1).write(path)
    return path
