"""The folder of an experiment: its plan, its index, and one result file for each finished cell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bnsearch._tools.files import atomic_write
from bnsearch._tools.locks import try_file_lock
from bnsearch.errors import InputError
from bnsearch.experiments.cells import Cell
from bnsearch.experiments.plan import Plan

INDEX, PLAN, RESULTS, LOCK = "experiment.json", "plan.toml", "results", "experiment.lock"
INDEX_FORMAT = 1
Record = dict[str, Any]


class ExperimentFolder:
    """
    The folder of an experiment.

    Parameters
    ----------
    path : path of the folder
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def results(self) -> Path:
        """The folder of the result files."""
        return self.path / RESULTS

    def create(self) -> None:
        """Create the folder; an existing one must be empty or have an experiment."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is a file: choose a folder for the results")
        if self.path.is_dir() and any(self.path.iterdir()) and not (self.path / LOCK).exists():
            raise InputError(f"the folder {self.path} has other files: choose an empty or a new folder")
        try:
            self.results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot create the folder {self.results}: {error.strerror}") from None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the lock of the folder; an error if another process has it."""
        with try_file_lock(self.path / LOCK) as is_held:
            if not is_held:
                raise InputError(f"another process runs the experiment in {self.path}: wait until it has ended")
            yield

    def write_index(self, plan: Plan, cells: Sequence[Cell]) -> None:
        """Write the plan and the index of its cells, and remove incomplete files of an earlier process."""
        for leftover in self.results.glob(".*.json"):
            leftover.unlink(missing_ok=True)
        with atomic_write(self.path / PLAN) as to:
            to.write_text(plan.text, encoding="utf-8")
        _write_json(self.path / INDEX, make_index(plan, cells))

    def read_index(self) -> Record:
        """Return the index; an error if the folder has none."""
        path = self.path / INDEX
        index = _read_json(path)
        if index is None or index.get("format") != INDEX_FORMAT:
            raise InputError(f"{self.path} has no experiment ({path.name} is missing or damaged): run its plan first")
        return index

    def write_result(self, record: Record) -> None:
        """Write the result file of a cell."""
        _write_json(self.results / f"{record['cell']['key']}.json", record)

    def read_result(self, key: str) -> Record | None:
        """Return the content of a result file; None if it is missing or damaged."""
        record = _read_json(self.results / f"{key}.json")
        has_result = record is not None and ("error" in record or "result" in record)
        return record if has_result else None

    def list_keys(self) -> set[str]:
        """Return the keys of all result files."""
        return {path.stem for path in self.results.glob("[!.]*.json")}


def make_index(plan: Plan, cells: Sequence[Cell]) -> Record:
    """Return the index of an experiment: everything that its report needs in addition to the result files."""
    return {
        "format": INDEX_FORMAT,
        "title": plan.title,
        "description": plan.description,
        "measures": list(plan.measures),
        "target": plan.target,
        "tie": plan.tie,
        "threads": plan.threads,
        "methods": [
            {
                "label": method.label,
                "name": method.name,
                "parameters": method.parameters_shown,
                "selection": None if method.selection is None else asdict(method.selection),
                "max_parents": method.max_parents,
            }
            for method in plan.methods
        ],
        "claims": [asdict(claim) for claim in plan.claims],
        "published": [asdict(value) for value in plan.published],
        "cells": [cell.describe() | {"timed": cell.budget.seconds is not None} for cell in cells],
    }


def _write_json(path: Path, value: Record) -> None:
    text = json.dumps(value, allow_nan=False, default=str, indent=1 if path.name == INDEX else None)
    with atomic_write(path) as to:
        to.write_text(text + "\n", encoding="utf-8")


def _read_json(path: Path) -> Record | None:
    """Return the object in a file; None if there is none, or if the file is damaged."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
