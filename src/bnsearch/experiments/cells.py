"""Cells of an experiment: one run of one method on one table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bnsearch.checkpoints.identity import describe_value
from bnsearch.experiments.plan import Budget, Entry, MethodEntry, Plan
from bnsearch.experiments.sources import Source

CELL_FORMAT = 1  # increases when the same settings give other results, so that all cells run again
KEY_DIGITS = 24
FILE_SCORE = "score file"  # label of the scores of a score file


@dataclass(frozen=True)
class Cell:
    """
    One run of an experiment.

    Attributes
    ----------
    source, method, score, budget, seed : what is run; `score` is None for a score file
    threads : number of threads
    memory : memory limit, such as "2GB"; None for the default
    """

    source: Source
    method: MethodEntry
    score: Entry | None
    budget: Budget
    seed: int
    threads: int = 1
    memory: str | None = None

    @cached_property
    def key(self) -> str:
        """A digest of everything that determines the result; labels are not part of it."""
        text = json.dumps(self.identify(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]

    def identify(self) -> dict[str, Any]:
        """Return the settings that determine the result, with the default values of parameters."""
        method, selection = self.method, self.method.selection
        return {
            "format": CELL_FORMAT,
            "source": self.source.identify(),
            **method.identify(),
            "selection": None if selection is None else describe_value(selection.make_selection()),
            "max_parents": method.max_parents,
            "score": None if self.score is None else describe_value(self.score.make_score()),
            "budget": [self.budget.seconds, self.budget.iterations, self.budget.evaluations],
            "seed": self.seed,
            "threads": self.threads,
            "memory": self.memory,
        }

    def describe(self) -> dict[str, Any]:
        """Return the labels of the cell."""
        return {
            "key": self.key,
            "dataset": self.source.dataset,
            "sample": self.source.sample,
            "method": self.method.label,
            "score": FILE_SCORE if self.score is None else self.score.label,
            "budget": self.budget.label,
            "seed": self.seed,
        }

    def __str__(self) -> str:
        facts = self.describe()
        sample = "" if facts["sample"] is None else f", sample {facts['sample']}"
        return f"{facts['method']} on {facts['dataset']}{sample}, {facts['score']}, {facts['budget']}, seed {self.seed}"


def list_cells(plan: Plan) -> list[Cell]:
    """Return all cells of a plan; cells of the same table follow each other. Equal cells have the same key."""
    return list(_combine(plan))


def _combine(plan: Plan) -> Iterator[Cell]:
    for source in plan.sources:
        scores: tuple[Entry | None, ...] = plan.scores if source.has_data else (None,)
        for score in scores:
            for budget in plan.budgets:
                for method in plan.methods:
                    for seed in plan.seeds if method.seeds is None else method.seeds:
                        yield Cell(source, method, score, budget, seed, plan.threads, plan.memory)
